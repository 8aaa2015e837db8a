/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_SEEN_FOLDERS_H
#define CMD_SEEN_FOLDERS_H

/*
 * Folders of jobs that lie in other mount namespaces, a pod's for one, or in places that our
 * environment does not name. A process says where its own is, and there it is looked at through
 * /proc/PID/root. That a process says so makes it no part of the job: what it inherited it may have
 * from anywhere; who is in a job its census tells (evidence/agent/jobs-people.h).
 */

#include "evidence/agent/jobs.h"
#include "proc/survey/survey.h"

/* Is told of a process whose folder may not be looked at, and why. */
typedef void seen_folders_refused(
	void *context, const struct survey_process *process, const char *words);

/*
 * Adds to jobs, and settles, the folder of each living process that says it has one and that is not
 * listed yet. Entries of jobs move: pointers to them end here. `refused` NULL: nobody is told.
 */
void seen_folders_add(struct jobs *jobs, const struct survey *survey,
	seen_folders_refused *refused, void *context) __attribute__((nonnull(1, 2)));

/*
 * Returns the listed folder that the process names, or the nearest above it that names one; NULL:
 * none.
 */
const struct jobs_entry *seen_folders_above(const struct jobs *jobs, const struct survey *survey,
	const struct survey_process *process) __attribute__((nonnull));

#endif
