/* SPDX-License-Identifier: Apache-2.0 */
#include "job/launch.h"

#include <string.h>

const char *launch_variable(const struct job_launch *launch, const char *name)
{
	for (size_t i = 0; i < launch->nenv; i++)
		if (!strcmp(launch->env[i].name, name))
			return launch->env[i].value;
	return NULL;
}

const struct launch_cache *launch_cache(
	const struct launch_cache *caches, size_t ncaches, const char *path)
{
	for (size_t i = 0; i < ncaches; i++)
		if (!strcmp(caches[i].path, path))
			return &caches[i];
	return NULL;
}

const char *launch_storage_type(const struct job_launch *launch, const char *role, size_t i)
{
	const char *last = NULL;

	for (size_t k = 0; k < launch->nstorage; k++) {
		const struct launch_storage *one = &launch->storage[k];

		if (strcmp(one->role, role) != 0 || (last && !strcmp(last, one->type)))
			continue;
		if (!i--)
			return one->type;
		last = one->type;
	}
	return NULL;
}
