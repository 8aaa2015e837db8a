/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a stranger as a bundle; of one in eight, a job is made as well. What decoding makes of
 * odd exhibits is the part of whole-fuzz.c: here it is what bundles alone tell, as damage and gaps.
 */
#include "change.h"
#include "decode/decode.h"
#include "evidence/format/bundle.h"
#include "job/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct evidence evidence = {0};

	(void)bundle_unpack(bytes, size, &evidence, NULL);
	if (input_hash(bytes, size) % 8 == 0)
		job_free(decode_job(&evidence));
	evidence_release(&evidence);
	return 0;
}
