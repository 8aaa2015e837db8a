/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_JOB_WORDS_H
#define CMD_JOB_WORDS_H

/* What a person knows a job by: its program, its user, its age, whether it stands. */

#include "base/str.h"
#include "evidence/agent/jobs.h"
#include "proc/survey/survey.h"

/*
 * Appends in short what a command line (words by blanks) runs: "train.py" for a script, also under
 * a launcher; the module of -m; else the program. Appends nothing for an empty one.
 */
void job_words_program(const char *command, struct str *into);

/* Appends the same for the first rank of a job here. */
void job_words_program_of(
	struct survey *survey, const struct survey_job *job, struct str *into);

/* Returns for how many ns that rank has lived; 0 not known. */
int64_t job_words_age(struct survey *survey, const struct survey_job *job);

/*
 * Appends a line by which the job can be chosen: "sft-41: train.py, hung, for 3 min 2 s, of alice".
 */
void job_words_add_own(
	const struct jobs *jobs, const struct jobs_entry *entry, struct str *into);

/*
 * Appends such a line for a job without probe: "pid-71: train.py, 8 ranks here, no probe, still,
 * for ...".
 */
void job_words_add_foreign(
	struct survey *survey, const struct survey_job *job, struct str *into);

#endif
