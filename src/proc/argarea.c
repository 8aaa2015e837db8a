/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/argarea.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* stat's fields, numbered from 1: arg_start, arg_end, env_start, env_end */
#define ARGAREA_FIRST 48
#define ARGAREA_LAST  51
#define ARGAREA_COMM  2 /* the field that may hold blanks; ')' ends it */

bool argarea_bar_above(struct excerpt *excerpt, const struct stack_maps *maps, uint64_t at)
{
	const struct stack_map *map = at ? stack_maps_find(maps, at) : NULL;

	if (map)
		excerpt_bar(excerpt, at, map->end);
	return map != NULL;
}

/*
 * Returns the lowest address in the auxiliary vector that points to the strings; 0 if there is
 * none.
 */
static uint64_t lowest_of_auxv(const struct str *auxv)
{
	uint64_t lowest = 0;

	for (size_t at = 0; auxv->len - at >= sizeof(Elf64_auxv_t); at += sizeof(Elf64_auxv_t)) {
		Elf64_auxv_t entry;

		memcpy(&entry, auxv->text + at, sizeof(entry));
		if (entry.a_type != AT_RANDOM && entry.a_type != AT_EXECFN &&
			entry.a_type != AT_PLATFORM)
			continue;
		if (entry.a_un.a_val && (!lowest || entry.a_un.a_val < lowest))
			lowest = entry.a_un.a_val;
	}
	return lowest;
}

/*
 * Bars what the process says are its arguments and environment: pairs of a beginning and an end.
 * Returns false if it does not say both beginnings.
 */
static bool bar_told(struct excerpt *excerpt, const struct stack_maps *maps, const struct str *stat)
{
	const char *at = strrchr(str_text(stat), ')');
	uint64_t told[ARGAREA_LAST - ARGAREA_FIRST + 1] = {0};
	int field = ARGAREA_COMM;

	for (; at && field <= ARGAREA_LAST; at = strchr(at + 1, ' '), field++)
		if (field >= ARGAREA_FIRST)
			told[field - ARGAREA_FIRST] = strtoull(at + 1, NULL, 10);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i += 2) {
		const struct stack_map *map = told[i] ? stack_maps_find(maps, told[i]) : NULL;

		excerpt_bar(excerpt, told[i], told[i + 1]);
		/*
		 * The end is only what the process says. On a stack nothing else lies above the
		 * beginning, so all of it is barred.
		 */
		if (map && !strcmp(map->path, "[stack]"))
			excerpt_bar(excerpt, told[i], map->end);
	}
	return told[0] && told[2];
}

bool argarea_bar(struct excerpt *excerpt, const struct stack_maps *maps, const struct str *auxv,
	const struct str *stat)
{
	bool above = argarea_bar_above(excerpt, maps, lowest_of_auxv(auxv));

	return bar_told(excerpt, maps, stat) || above;
}
