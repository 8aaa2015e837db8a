/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_FOREIGN_JOB_H
#define CMD_FOREIGN_JOB_H

/* Finds the job without probe that the user means: by pids, or as the only one of this machine. */

#include "base/array.h"
#include "evidence/agent/jobs.h"
#include "proc/survey/survey.h"

#define FOREIGN_GLANCE_MS 200 /* ms between two looks at a listed job, to see whether it stands */

/* What was picked. */
struct foreign_pick {
	struct survey survey;
	int job; /* index of the survey's job; SURVEY_NONE: only the processes of `pids` */
	ARRAY(uint32_t) pids;
};

/* Surveys the machine. Returns CMD_FINE, or another status after a complaint. */
int foreign_survey(struct survey *survey);

/*
 * Surveys the machine and finds the job of these pids. A process that is of no job is looked at
 * alone; in place of a script that started one program several times, those processes are. Returns
 * CMD_FINE, or another status after a complaint. The caller calls foreign_release() in any case.
 */
int foreign_choose_pids(struct foreign_pick *pick, const char *const *pids, size_t nr);
/* The same, once the machine was surveyed. */
int foreign_take_pids(struct foreign_pick *pick, const char *const *pids, size_t nr);

/*
 * Returns the folder whose job the picked ranks are of, by its census or because they are below its
 * `inquest run'; NULL: they are of no job that is listed and lives.
 */
const struct jobs_entry *foreign_find_own(
	const struct foreign_pick *pick, const struct jobs *jobs) __attribute__((nonnull));

/*
 * Finds the only job here: one without probe, or, in *ret_own, one with it. Returns as above; where
 * there are several it lists them. Folders in other mount namespaces are added to `jobs`.
 */
int foreign_choose_all(struct foreign_pick *pick, struct jobs *jobs,
	const struct jobs_entry **ret_own);

/*
 * Marks as `own` those jobs of the survey that live and have an agent, or the probe: a rank of them
 * descends from that agent, or is in that job's census. Its environment does not count.
 */
void foreign_mark_own(struct survey *survey, const struct jobs *jobs) __attribute__((nonnull));

/* Says which command of that verb means this job, and what is known of the job. */
void foreign_list(struct survey *survey, const struct survey_job *job, const char *verb)
	__attribute__((nonnull));

/*
 * Appends in words how many other jobs there are; nothing where there are none. Returns how many.
 */
size_t foreign_describe_others(
	struct foreign_pick *pick, const struct jobs *jobs, struct str *into);

/* Frees what was picked. Takes NULL. */
void foreign_release(struct foreign_pick *pick);

#endif
