/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mistake behind two checksums, for fuzz.test: a bundle without damage has an exhibit that is
 * longer than those of all bundles to begin with (seeds.c). Blind changes never come there.
 */
#include <stdlib.h>

#include "change.h"
#include "evidence/format/bundle.h"

#define LONGEST 4096

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct evidence evidence = {0};

	if (bundle_unpack(bytes, size, &evidence, NULL) == 0 && !evidence.ngaps)
		for (size_t i = 0; i < evidence.n; i++)
			if (!evidence.at[i].damaged && evidence.at[i].len > LONGEST)
				abort();
	evidence_release(&evidence);
	return 0;
}
