/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_HERE_H
#define CMD_REACH_HERE_H

/*
 * All that matches a key on this node: jobs with folders, whatever agent started them and in
 * whatever mount namespace they lie; ranks that have nothing of ours; processes that only have the
 * probe. Each of them is a part, gathered as `inquest attach' would, and no opinion is had.
 *
 *	struct here here = {0};
 *
 *	if (here_find(&here, "slurm:33.0") == CMD_FINE)
 *		for (size_t i = 0; i < here.parts.nr; i++)
 *			here_gather(&here, i, &options, &evidence, &why);
 *	here_release(&here);
 *
 * Whether parts are of one job, cmd/bundle-groups.h tells, here as over all nodes.
 */

#include "cmd/job-pick.h"
#include "evidence/agent/jobs-people.h"

/* A part of the evidence: one of own, foreign and pid says what it is. */
struct here_part {
	size_t own;   /* of a job with folders: its head's index in the list of jobs; else HERE_NONE
		       */
	int foreign;  /* of a job without probe: its place in the survey; else SURVEY_NONE */
	uint32_t pid; /* of a process of no job; 0 */
};

#define HERE_NONE ((size_t)-1)

/* A folder that a user's process has its records in, and that we may not look at. */
struct here_refusal {
	uid_t uid;
	char *words; /* whose folder, and why not */
};

/* What is here of a key. {0} at first; here_release() it. */
struct here {
	struct job_pick pick;          /* the jobs of this node, and the survey */
	struct jobs_people people;     /* who is in those jobs' folders */
	ARRAY(struct here_part) parts; /* newest first, and those without probe last */
	ARRAY(struct here_refusal) refusals; /* the first of each user */
	struct str refused; /* those of them that may have some of what was asked for, one a line */
};

/* Finds the parts. CMD_FINE, even if none matched; another status after a complaint. */
int here_find(struct here *here, const char *key) __attribute__((nonnull));

/* Adds the evidence of one part. 0, or negative with words where it has gone meanwhile. */
int here_gather(struct here *here, size_t which, const struct live_options *options,
	struct evidence *into, struct complaint *why) __attribute__((nonnull(1, 3, 4)));

/*
 * Returns the id that `inquest ls --all' has for that part; "process" for one of no job. Borrowed.
 */
const char *here_id(const struct here *here, size_t which) __attribute__((nonnull));

/* Keys by which other nodes know a job. {0} at first; here_keys_release() it. */
struct here_keys {
	ARRAY(struct str) all;
};

/*
 * Lists the keys of the living parts, or if none lives of those that are over, each once. None if
 * no part here has such a key.
 */
void here_wide_keys(const struct here *here, struct here_keys *keys) __attribute__((nonnull));
/* Frees the keys. */
void here_keys_release(struct here_keys *keys) __attribute__((nonnull));

/* Frees the parts, the jobs and the survey. */
void here_release(struct here *here) __attribute__((nonnull));

#endif
