/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which of the listed jobs is meant by a word: a folder, an id, a name, or the pid of a
 * process of the job, below it or above it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evidence/agent/fellows.h"
#include "evidence/agent/jobs-people.h"
#include "evidence/agent/jobs.h"
#include "proc/read.h"

#define JOBS_CLIMB 64 /* how many generations are climbed from a process to an ancestor */

/* True if the text is short enough for a pid. Longer digits are a name. */
static bool text_is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
}

/*
 * Finds the job that the process is of; else, climbing up, the one that its nearest such ancestor
 * is of. NULL: none.
 */
static const struct jobs_entry *jobs_find_pid(const struct jobs *jobs, const char *arg)
{
	const struct jobs_entry *found = NULL;
	struct jobs_people people = {0};
	struct procstat stat = {0};

	if (!text_is_number(arg))
		return NULL;
	jobs_people_take(jobs, &people);
	stat.ppid = (uint32_t)strtoul(arg, NULL, 10);
	for (int steps = 0; !found && stat.ppid > 1 && steps < JOBS_CLIMB; steps++) {
		found = jobs_people_find(&people, jobs, stat.ppid, JOBS_PEOPLE_ANY);
		if (proc_read_stat((struct proc_id){.pid = stat.ppid}, &stat) < 0)
			break;
	}
	jobs_people_release(&people);
	return found;
}

/* True if process `above` is an ancestor of `pid`. */
static bool is_above(uint32_t above, uint32_t pid)
{
	struct procstat stat = {.ppid = pid};

	for (int steps = 0; stat.ppid > 1 && steps < JOBS_CLIMB; steps++) {
		if (proc_read_stat((struct proc_id){.pid = stat.ppid}, &stat) < 0)
			return false;
		if (stat.ppid == above)
			return true;
	}
	return false;
}

/*
 * Finds the one job that runs below that process, which is a shell or a launcher. NULL: none, or
 * several.
 */
static const struct jobs_entry *jobs_find_below(const struct jobs *jobs, const char *arg)
{
	const struct jobs_entry *found = NULL;
	uint32_t pid = text_is_number(arg) ? (uint32_t)strtoul(arg, NULL, 10) : 0;

	for (size_t i = 0; pid && i < jobs->nr; i++) {
		const struct jobs_entry *entry = &jobs->items[i];

		if (!entry->wrapper || entry->status == JOBS_ENDED ||
			!is_above(pid, entry->wrapper))
			continue;
		if (found && found->job != entry->job)
			return NULL;
		found = found ? found : entry;
	}
	return found;
}

/* The entries that bear one id or name. */
struct called {
	const struct jobs_entry *live, *over; /* the first of each */
	bool several_live, several_over;
};

/*
 * Adds an entry to them. Several are meant if they are of two jobs and of two users; by a name,
 * also if both live.
 */
static void called_add(struct called *called, const struct jobs_entry *entry, bool by_id)
{
	bool over = entry->status == JOBS_ENDED;
	const struct jobs_entry **first = over ? &called->over : &called->live;

	if (!*first)
		*first = entry;
	else if (!fellows_are(*first, entry) &&
		 ((*first)->owner != entry->owner || (!by_id && !over)))
		*(over ? &called->several_over : &called->several_live) = true;
}

/*
 * True if one of several may be meant. Those that are over do not count by a name if a living one
 * bears it.
 */
static bool called_are_several(const struct called *called, bool by_id)
{
	if (by_id && called->live && called->over && called->live->owner != called->over->owner)
		return true;
	return called->several_live || (called->several_over && (by_id || !called->live));
}

/*
 * Finds what is called so by id, else by name. Returns false where several are, so that none is
 * meant: a name is anybody's to give, and an id easily guessed, which matters where root sees jobs
 * of several users. A number is taken for a name only of our own jobs: what another user calls by a
 * number must not stand for a process.
 */
static bool jobs_find_called(const struct jobs *jobs, const char *arg, struct called *called)
{
	*called = (struct called){0};
	for (size_t i = 0; i < jobs->nr; i++)
		if (!strcmp(jobs->items[i].id, arg))
			called_add(called, &jobs->items[i], true);
	if (called->live || called->over)
		return !called_are_several(called, true);
	for (size_t i = 0; i < jobs->nr; i++)
		if (!strcmp(jobs->items[i].name, arg) &&
			(!text_is_number(arg) || jobs->items[i].owner == geteuid()))
			called_add(called, &jobs->items[i], false);
	return !called_are_several(called, false);
}

bool jobs_several_are(const struct jobs *jobs, const char *arg)
{
	struct called called;

	for (size_t i = 0; i < jobs->nr; i++)
		if (!strcmp(jobs->items[i].folder, arg))
			return false;
	return !jobs_find_called(jobs, arg, &called);
}

const struct jobs_entry *jobs_find(
	const struct jobs *jobs, const char *arg, struct complaint *why)
{
	const struct jobs_entry *found = NULL;
	struct called called;

	for (size_t i = 0; i < jobs->nr; i++)
		if (!strcmp(jobs->items[i].folder, arg))
			return &jobs->items[i];
	if (!jobs_find_called(jobs, arg, &called)) {
		complaint_set(why, "several jobs here are '%s': say which by its folder", arg);
		return NULL;
	}
	found = called.live ? called.live : called.over;
	if (!found)
		found = jobs_find_pid(jobs, arg);
	if (!found)
		found = jobs_find_below(jobs, arg);
	if (!found)
		complaint_set(why, "no job here has the id, name or pid '%s'%s", arg,
			jobs->others ? " (other users have jobs here, shown to them and to root)"
				     : "");
	return found;
}
