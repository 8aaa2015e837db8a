/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_JOB_WORDS_H
#define CMD_JOB_WORDS_H

/* By what a person knows a job: its program, its user, its age, whether it stands. */

#include "base/str.h"
#include "evidence/agent/jobs.h"
#include "proc/survey/survey.h"

/*
 * Appends in short what a command line (words by blanks) runs: "train.py" for a script, also under
 * a launcher, the module of -m, else the program. Nothing for an empty one.
 */
void job_words_program(const char *command, struct str *into);

/* The same of the first rank of a job here. */
void job_words_program_of(
	struct survey *survey, const struct survey_job *job, struct str *into);

/* Returns nanoseconds since that rank began; 0 unknown. */
int64_t job_words_age(struct survey *survey, const struct survey_job *job);

/* Appends a line for choosing it: "sft-41: train.py, hung, for 3 min 2 s, of alice". */
void job_words_add_own(
	const struct jobs *jobs, const struct jobs_entry *entry, struct str *into);

/* The same of one without probe: "pid-71: train.py, 8 ranks here, no probe, still, for ...". */
void job_words_add_foreign(
	struct survey *survey, const struct survey_job *job, struct str *into);

#endif
