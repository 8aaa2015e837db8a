/* SPDX-License-Identifier: Apache-2.0 */
#include "base/env.h"

#include <string.h>

const char *env_value(char *const *envp, const char *name)
{
	size_t len = strlen(name);

	for (; *envp; envp++)
		if (!strncmp(*envp, name, len) && (*envp)[len] == '=')
			return *envp + len + 1;
	return NULL;
}
