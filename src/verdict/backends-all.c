/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "verdict/backend.h"

const struct backend *const backends[] = {
#define BACKEND_FILE(name) &backend_##name,
#include "lists/backend.def"
	NULL,
};

const struct backend *backend_of_maker(const char *maker)
{
	for (size_t i = 0; backends[i]; i++)
		if (backends[i]->name && !strcmp(maker, backends[i]->name))
			return backends[i];
	return NULL;
}

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
