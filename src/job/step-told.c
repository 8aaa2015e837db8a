/* SPDX-License-Identifier: Apache-2.0 */
#include "job/step-told.h"

#include <stdlib.h>
#include <string.h>

uint64_t step_told(const char *line)
{
	const char *at = line;

	while ((at = strcasestr(at, "step"))) {
		uint64_t step;

		at += strlen("step");
		at += strspn(at, "s :=#[");
		step = strtoull(at, NULL, 10);
		if (step)
			return step;
	}
	return 0;
}
