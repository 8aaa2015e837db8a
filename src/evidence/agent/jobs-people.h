/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_JOBS_PEOPLE_H
#define EVIDENCE_JOBS_PEOPLE_H

/*
 * Who of all listed folders is here: every census read once, for who asks of many pids.
 *
 *	struct jobs_people people = {0};
 *
 *	jobs_people_take(&jobs, &people);
 *	entry = jobs_people_find(&people, &jobs, pid, JOBS_PEOPLE_ANY);
 *	jobs_people_release(&people);
 */

#include "evidence/agent/jobs.h"

struct jobs_person {
	uint32_t pid;
	size_t entry; /* of the list, as it was then */
	bool there;   /* else it had that pid: what somebody else has by now is his */
};

struct jobs_people {
	ARRAY(struct jobs_person) all; /* by pid, then by entry */
};

enum jobs_people_which {
	JOBS_PEOPLE_ANY,
	JOBS_PEOPLE_LIVE,    /* of folders that are not over */
	JOBS_PEOPLE_WRAPPER, /* of these the `inquest run' above the job, and nobody else */
};

/* Reads all of them, of this moment; leaves out nobody who is listed. */
void jobs_people_take(const struct jobs *jobs, struct jobs_people *people)
	__attribute__((nonnull));

/* The first folder, in the order of the list, that has that process; NULL: none. */
const struct jobs_entry *jobs_people_find(const struct jobs_people *people,
	const struct jobs *jobs, uint32_t pid, enum jobs_people_which which)
	__attribute__((nonnull));

void jobs_people_release(struct jobs_people *people) __attribute__((nonnull));

#endif
