/* SPDX-License-Identifier: Apache-2.0 */
#include "job/step-told.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

uint64_t step_told(const char *line)
{
	const char *at = line;

	while ((at = strcasestr(at, "step"))) {
		uint64_t step;
		char *end;

		at += strlen("step");
		at += strspn(at, "s :=#[");
		step = strtoull(at, &end, 10);
		/* "step [61s]" is how long it takes. */
		if (step && !isalpha((unsigned char)*end) && *end != '.')
			return step;
	}
	return 0;
}
