/* SPDX-License-Identifier: Apache-2.0 */
#include "envrules/envrules.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/env.h"
#include "envrules/envrules-lists.h"

/* All tables; rules are asked in this order. */
static const struct envrules_list *const lists[] = {
	&envrules_of_launch,
	&envrules_of_cuda,
	&envrules_of_nccl,
	&envrules_of_torch,
};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

/* --- Conditions that rules share ------------------------------------------------------------- */

/* True if the value is one of these words, in small letters or large. */
static bool is_one_of(const char *value, const char *const *words)
{
	for (; value && *words; words++)
		if (!strcasecmp(value, *words))
			return true;
	return false;
}

bool envrules_is_set(const struct envrules_launch *launch, const char *value)
{
	(void)launch;
	return value && *value;
}

bool envrules_is_on(const struct envrules_launch *launch, const char *value)
{
	static const char *const words[] = {"1", "true", "yes", "on", "t", "y", NULL};

	(void)launch;
	return is_one_of(value, words);
}

bool envrules_is_off(const struct envrules_launch *launch, const char *value)
{
	static const char *const words[] = {"0", "false", "no", "off", "f", "n", NULL};

	(void)launch;
	return is_one_of(value, words);
}

int64_t envrules_number(const char *value)
{
	if (!value || !*value || strlen(value) > 15 ||
		strspn(value, "0123456789") != strlen(value))
		return -1;
	return strtoll(value, NULL, 10);
}

/* --- The walk -------------------------------------------------------------------------------- */

size_t envrules_count(void)
{
	size_t nr = 0;

	for (size_t i = 0; i < LISTS; i++)
		nr += lists[i]->nr;
	return nr;
}

const struct envrule *envrules_at(size_t i)
{
	size_t list = 0;

	while (list < LISTS - 1 && i >= lists[list]->nr)
		i -= lists[list++]->nr;
	return &lists[list]->rules[i];
}

const struct envrule *envrules_next(
	const struct envrules_launch *launch, const struct envrule *after)
{
	size_t i = 0;

	if (after)
		while (envrules_at(i++) != after)
			;
	for (; i < envrules_count(); i++) {
		const struct envrule *rule = envrules_at(i);

		if (rule->holds(launch, env_value(launch->env, rule->name)))
			return rule;
	}
	return NULL;
}
