/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a stranger, all the way to a job: as a bundle; and, by the first byte, as one exhibit of
 * some kind.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "decode/decode.h"
#include "evidence/format/bundle.h"
#include "job/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void decode_and_release(struct evidence *evidence)
{
	job_free(decode_job(evidence));
	evidence_release(evidence);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct exhibit about = {.host = (char *)"h", .rank = -1, .pid = 7, .start_time = 9};
	struct evidence evidence = {0};

	if (!size)
		return 0;
	(void)bundle_unpack(bytes, size, &evidence, NULL);
	decode_and_release(&evidence);
	about.kind = (enum exhibit_kind)(bytes[0] % EXHIBIT_UNKNOWN_KIND);
	evidence_add(&evidence, &about, alloc_copy(bytes + 1, size - 1), size - 1);
	decode_and_release(&evidence);
	return 0;
}
