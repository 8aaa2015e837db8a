/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_JOBS_PEOPLE_H
#define EVIDENCE_JOBS_PEOPLE_H

/*
 * Tells of any pid which listed job its process is of. Every census is read once, for a caller who
 * asks of many pids.
 *
 *	struct jobs_people people = {0};
 *
 *	jobs_people_take(&jobs, &people);
 *	entry = jobs_people_find(&people, &jobs, pid, JOBS_PEOPLE_ANY);
 *	jobs_people_release(&people);
 */

#include "evidence/agent/jobs.h"

/* A process that a census lists. */
struct jobs_person {
	uint32_t pid;
	size_t entry; /* its index in the list, as that was then */
	bool there;   /* true if it lives; else it only had that pid, which may by now be
		       * somebody else's */
};

struct jobs_people {
	ARRAY(struct jobs_person) all; /* by pid, then by entry */
};

/* Which folders and processes a search is for. */
enum jobs_people_which {
	JOBS_PEOPLE_ANY,
	JOBS_PEOPLE_LIVE,    /* of folders that are not over */
	JOBS_PEOPLE_WRAPPER, /* of folders that are not over, and only the `inquest run' above
			      * the job */
};

/*
 * Reads all censuses of this moment, those of ended jobs, too. The caller calls
 * jobs_people_release().
 */
void jobs_people_take(const struct jobs *jobs, struct jobs_people *people)
	__attribute__((nonnull));

/* Returns the first folder, in the order of the list, that has that process; NULL: none. */
const struct jobs_entry *jobs_people_find(const struct jobs_people *people,
	const struct jobs *jobs, uint32_t pid, enum jobs_people_which which)
	__attribute__((nonnull));

/* Frees the list and leaves it empty. */
void jobs_people_release(struct jobs_people *people) __attribute__((nonnull));

#endif
