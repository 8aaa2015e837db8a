/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a stranger as a core file: its snapshot, walked, with the modules that it names. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/decode.h"
#include "evidence/gather/source.h"
#include "job/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct evidence evidence = {0};
	struct complaint why = {0};
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (source_core.claims(path))
		(void)source_core.gather(path, &evidence, &why);
	job_free(decode_job(&evidence));
	complaint_release(&why);
	evidence_release(&evidence);
	close(fd);
	return 0;
}
