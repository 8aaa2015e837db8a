/* SPDX-License-Identifier: Apache-2.0 */
/* A reader with a mistake: a number that is too large ends it. fuzz.test wants that seen. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size > 1 && bytes[1] > 127)
		abort();
	return 0;
}
