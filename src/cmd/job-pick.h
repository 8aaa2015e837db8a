/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_JOB_PICK_H
#define CMD_JOB_PICK_H

/*
 * Finds the job of this machine that the user means, with probe or without.
 *
 *	struct job_pick pick = {.verb = "attach"};
 *
 *	status = job_pick_make(&pick, names, n, false);
 *	if (!status && job_pick_gather(&pick, &options, &evidence, &why) < 0)
 *		...
 *	job_pick_release(&pick);
 */

#include "cmd/foreign-job.h"
#include "evidence/agent/jobs.h"
#include "evidence/gather/live/live.h"

/* What was picked. */
struct job_pick {
	const char *verb; /* named in complaints: "attach", "view" */
	struct jobs jobs;
	const struct jobs_entry *own; /* its folder, of several the head's; NULL: a job without
				       * probe */
	ARRAY(const char *) fellows;  /* the other folders of that job */
	struct evidence unprobed;     /* its ranks without a working probe */
	struct foreign_pick foreign;
};

/*
 * Finds the one job that all names mean (ids, names, pids); without names the only one that lives,
 * else the only one that hangs; with `all` the only one here, with probe or without. Returns
 * CMD_FINE, or another status after a complaint. The caller calls job_pick_release() in any case.
 */
int job_pick_make(struct job_pick *pick, const char *const *names, size_t n, bool all);

/*
 * Picks the job of that folder, one of pick->jobs, in place of the former; NULL: that of
 * pick->foreign. The caller has filled both.
 */
void job_pick_take(struct job_pick *pick, const struct jobs_entry *entry);

/* Looks quickly at a job with folders. Returns look_status(), or CMD_UNREADABLE. */
int job_pick_look(const struct jobs *jobs, const struct jobs_entry *entry);

/* Appends what a report says about the other jobs here. Returns how many there are. */
size_t job_pick_describe_others(struct job_pick *pick, struct str *into);

/*
 * True if the job was running when it was picked: one that was over by then will not move any more.
 */
bool job_pick_is_live(const struct job_pick *pick);

/* Gathers its evidence; it may be called any number of times. Returns 0, or negative with words. */
int job_pick_gather(struct job_pick *pick, const struct live_options *options,
	struct evidence *into, struct complaint *why);

/*
 * True if the job has no probe, so that it may be gathered in two parts
 * (evidence/gather/foreign.h), which only such a job may be.
 */
bool job_pick_has_glance(const struct job_pick *pick);
/* Adds two samples of one moment. Returns 0, or negative with words. */
int job_pick_gather_glance(struct job_pick *pick, const struct live_options *options,
	int64_t *ret_began, struct evidence *into, struct complaint *why);
/* Adds a third sample FOREIGN_SPAN_MS after `began`; waits until then. */
void job_pick_gather_rest(struct job_pick *pick, const struct live_options *options,
	int64_t began, struct evidence *into);

/* Frees what was picked. */
void job_pick_release(struct job_pick *pick);

#endif
