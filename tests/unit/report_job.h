/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_REPORT_JOB_H
#define TESTS_UNIT_REPORT_JOB_H

/*
 * A job made by hand for the tests of reports: `nranks` ranks on one host, of which rank `odd`
 * compiles and all others wait in the first AllReduce of the world. Every field may be changed
 * before it is reported.
 */

#include "report/report.h"
#include "verdict/verdict.h"

#define HAND_RANKS 64

struct hand_job {
	struct job job;
	struct verdicts verdicts;
	struct verdict verdict[2];
	struct job_host host;
	struct job_rank ranks[HAND_RANKS];
	struct job_process processes[HAND_RANKS];
	struct job_thread threads[HAND_RANKS];
	struct job_group group;
	struct job_member members[HAND_RANKS];
	struct job_span span;
	struct job_cache caches[HAND_RANKS];
	struct job_log log;
	struct job_loss losses[4];
	struct verdict_fact facts[16];
	struct verdict_ruled_out ruled_out[2];
	struct verdict_not_judged not_judged;
	struct rank_index culprit[1];
	struct rank_index victims[HAND_RANKS];
	struct rank_index all[HAND_RANKS];
};

void hand_job_make(struct hand_job *hand, int nranks, int odd);

/* A job that hates us: every text that it can choose is hostile. */
void hand_job_hostile(struct hand_job *hand);

/* Fails where a character of those would reach the terminal. */
void hand_job_harmless(const char *text);

/* What the report writes; free() it. */
char *hand_job_written(const struct report *report, const struct verdicts *verdicts,
	const struct report_options *options);

#endif
