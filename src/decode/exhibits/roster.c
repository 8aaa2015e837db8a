/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/roster.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"

#define ENTRIES_MOST 262144

void roster_add(struct roster *roster, const struct roster_entry *entry)
{
	if (roster->all.nr < ENTRIES_MOST)
		*array_add(&roster->all) = *entry;
}

/* The rank of an entry that fits, beside what was found so far. */
static bool take(int *found, int rank)
{
	if (*found != JOB_NONE && *found != rank)
		return false;
	*found = rank;
	return true;
}

int roster_of_pid(const struct roster *roster, int64_t pid)
{
	const struct roster_entry *entry;
	int found = JOB_NONE;

	array_for_each (&roster->all, entry)
		if (pid > 0 && entry->pid == pid && !take(&found, entry->rank))
			return JOB_NONE;
	return found;
}

int roster_of_local(const struct roster *roster, int local)
{
	const struct roster_entry *entry;
	int found = JOB_NONE;

	array_for_each (&roster->all, entry)
		if (entry->local == local && !take(&found, entry->rank))
			return JOB_NONE;
	return found;
}

int roster_of_folder(const struct roster *roster, const char *folder)
{
	const struct roster_entry *entry;
	int found = JOB_NONE;

	array_for_each (&roster->all, entry)
		if (entry->folder && !strcmp(entry->folder, folder) && !take(&found, entry->rank))
			return JOB_NONE;
	return found;
}

size_t roster_folder(const char *path)
{
	static const char attempt[] = "attempt_";
	const char *at = path;

	while ((at = strstr(at, attempt))) {
		const char *end = at + strlen(attempt);
		size_t digits = strspn(end, "0123456789"), local;

		local = digits && end[digits] == '/' ? strspn(end + digits + 1, "0123456789") : 0;
		if (local && end[digits + 1 + local] == '/' && (at == path || at[-1] == '/'))
			return (size_t)(end - path) + digits + 1 + local;
		at = end;
	}
	return 0;
}

int roster_local(const char *path, size_t len)
{
	while (len && isdigit((unsigned char)path[len - 1]))
		len--;
	return (int)strtol(path + len, NULL, 10);
}

int roster_rank_of_name(const char *label)
{
	const char *at = strrchr(label, '/');

	at = strstr(at ? at : label, "rank");
	if (!at)
		return JOB_NONE;
	at += strlen("rank");
	at += *at && strchr("-_.=", *at);
	return strspn(at, "0123456789") && strspn(at, "0123456789") < 8 ? atoi(at) : JOB_NONE;
}

void roster_release(struct roster *roster)
{
	array_release(&roster->all);
}
