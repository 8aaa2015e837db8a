/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/format/worker-folder.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

/* Reads "attempt_0/5/" at the begin of a component, and how long it is without the last slash. */
static bool read_at(const char *at, struct worker_folder *ret, size_t *ret_len)
{
	static const char begin[] = "attempt_";
	size_t digits = strspn(at + strlen(begin), DIGITS), local;
	const char *end = at + strlen(begin) + digits;

	if (!digits || digits > 9 || *end != '/')
		return false;
	local = strspn(end + 1, DIGITS);
	if (!local || local > 6 || end[1 + local] != '/')
		return false;
	ret->attempt = strtol(at + strlen(begin), NULL, 10);
	ret->local = atoi(end + 1);
	*ret_len = (size_t)(end - at) + 1 + local;
	return true;
}

bool worker_folder_find(const char *path, struct worker_folder *ret)
{
	bool found = false;
	size_t len;

	for (const char *at = path; (at = strstr(at, "attempt_")); at++)
		if ((at == path || at[-1] == '/') && read_at(at, ret, &len)) {
			ret->run = (size_t)(at - path);
			ret->len = ret->run + len;
			found = true;
		}
	return found;
}

const char *worker_folder_name(const char *path, size_t run)
{
	size_t from = run ? run - 1 : 0;

	while (from && path[from - 1] != '/')
		from--;
	return path + from;
}
