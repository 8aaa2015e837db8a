/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "verdict/backends/backend.h"

const struct backend *const backends[] = {
#define BACKEND_FILE(name) &backend_##name,
#include "lists/backend.def"
	NULL,
};

bool backend_fits(const char *text, const char *const *patterns)
{
	for (; patterns && *patterns; patterns++)
		if (stackfacts_fits(text, *patterns))
			return true;
	return false;
}

bool backend_says(const char *text, const char *const *parts)
{
	for (; parts && *parts; parts++)
		if (strcasestr(text, *parts))
			return true;
	return false;
}
