/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_FOREIGN_JOB_H
#define CMD_FOREIGN_JOB_H

/* Finds the job without probe that the user means: by pids, or the only one of this machine. */

#include "base/array.h"
#include "evidence/agent/jobs.h"
#include "proc/survey/survey.h"

#define FOREIGN_GLANCE_MS 200 /* time between two looks at a listed job, to see if it stands */

struct foreign_pick {
	struct survey survey;
	int job; /* SURVEY_NONE: only those of pids */
	ARRAY(uint32_t) pids;
};

/* Surveys the machine. CMD_FINE, or another status after a complaint. */
int foreign_survey(struct survey *survey);

/*
 * Surveys the machine and finds the job of these pids. A process that is of no job is looked at
 * alone; a script that started one program several times, by those. CMD_FINE, or another status
 * after a complaint. foreign_release() in any case.
 */
int foreign_choose_pids(struct foreign_pick *pick, const char *const *pids, size_t nr);

/*
 * The folder whose job the picked ranks are of, by its census or below its `inquest run'; NULL:
 * they are of none that is listed and lives.
 */
const struct jobs_entry *foreign_find_own(
	const struct foreign_pick *pick, const struct jobs *jobs) __attribute__((nonnull));

/*
 * The only job here: without probe, or, in *ret_own, with. The same; with several it lists them.
 * Folders in other mount namespaces are added to jobs.
 */
int foreign_choose_all(struct foreign_pick *pick, struct jobs *jobs,
	const struct jobs_entry **ret_own);

/*
 * Marks as `own` which jobs of the survey live and have an agent, or the probe: a rank of it
 * descends from that agent, or is in that job's census. Its environment does not count.
 */
void foreign_mark_own(struct survey *survey, const struct jobs *jobs) __attribute__((nonnull));

/* How many others there are besides the chosen one, in words; nothing where there are none. */
size_t foreign_describe_others(
	struct foreign_pick *pick, const struct jobs *jobs, struct str *into);

/* Takes NULL. */
void foreign_release(struct foreign_pick *pick);

#endif
