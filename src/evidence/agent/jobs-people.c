/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/agent/jobs-people.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/bisect.h"
#include "evidence/format/folder.h"
#include "evidence/gather/liveness.h"
#include "ring/census-read.h"

/* Adds a process, unless its pid is not known. */
static void add_person(struct jobs_people *people, uint32_t pid, size_t entry, bool there)
{
	if (pid)
		*array_add(&people->all) = (struct jobs_person){pid, entry, there};
}

/* Adds the wrapper of an entry, and all processes of its census. */
static void take_entry(const struct jobs *jobs, size_t which, struct proc_ns_seen *seen,
	struct jobs_people *people)
{
	const struct jobs_entry *entry = &jobs->items[which];
	struct folder folder = {.fd = -1};
	struct census_view view;
	void *bytes = NULL;
	size_t size = 0;
	int fd = -1;

	add_person(people, entry->wrapper, which, true);
	if (folder_open(&folder, entry->folder, entry->owner, NULL) == 0)
		fd = folder_open_file(&folder, CENSUS_FILE, NULL);
	if (fd >= 0 && census_snapshot(fd, &bytes, &size) == 0 &&
		census_view_open(&view, bytes, size) == 0)
		for (uint32_t i = 0; i < view.slots; i++) {
			struct census_slot slot;
			struct liveness owner;

			if (census_view_slot(&view, i, &slot) != 1)
				continue;
			owner = liveness_of_slot(seen, fd, i, &slot);
			add_person(people, owner.here, which, owner.there);
		}
	free(bytes);
	if (fd >= 0)
		close(fd);
	folder_close(&folder);
}

/* Orders by pid, then by entry; who is gone comes first. */
static int compare_people(const void *a, const void *b)
{
	const struct jobs_person *left = a, *right = b;

	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	if (left->entry != right->entry)
		return left->entry < right->entry ? -1 : 1;
	return (int)left->there - (int)right->there;
}

void jobs_people_take(const struct jobs *jobs, struct jobs_people *people)
{
	struct proc_ns_seen seen = {0};

	for (size_t i = 0; i < jobs->nr; i++)
		take_entry(jobs, i, &seen, people);
	array_sort(&people->all, compare_people);
	proc_ns_seen_release(&seen);
}

/* Returns the index of the first person whose pid is not lower. */
static size_t people_from(const struct jobs_people *people, uint32_t pid)
{
	return bisect(0, people->all.nr, i, people->all.items[i].pid < pid);
}

/* True if the search is for this folder and process. */
static bool is_meant(const struct jobs_entry *entry, uint32_t pid, enum jobs_people_which which)
{
	return which == JOBS_PEOPLE_ANY ||
	       (entry->status != JOBS_ENDED &&
		       (which == JOBS_PEOPLE_LIVE || entry->wrapper == pid));
}

/* A dead owner of a pid counts only while nobody else has that pid. */
const struct jobs_entry *jobs_people_find(const struct jobs_people *people,
	const struct jobs *jobs, uint32_t pid, enum jobs_people_which which)
{
	struct procstat now;

	for (size_t i = people_from(people, pid);
		i < people->all.nr && people->all.items[i].pid == pid; i++) {
		const struct jobs_person *person = &people->all.items[i];

		if (!is_meant(&jobs->items[person->entry], pid, which))
			continue;
		if (person->there || proc_read_stat((struct proc_id){.pid = pid}, &now) < 0)
			return &jobs->items[person->entry];
	}
	return NULL;
}

void jobs_people_release(struct jobs_people *people)
{
	array_release(&people->all);
}
