/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job-receipt.h: how a run went, in figures: what was launched, how far each rank came and how long
 * that took, and how it ended. Small enough to be kept of every run; of a run that hung the bundle
 * has the rest.
 *
 * Times of a rank are ns since its process began. What nobody recorded is JOB_UNKNOWN or "".
 */
#ifndef JOB_RECEIPT_H
#define JOB_RECEIPT_H

#include "base/arena.h"
#include "job/caches.h"
#include "job/job.h"

/* All numbers are int64_t, so that one list (lists/receipt.def) tells them to JSON. */
struct receipt_rank {
	const char *cache; /* path of its compile cache */
#define NUMBER(member, key) int64_t member;
#include "lists/receipt.def"
#undef NUMBER
};

struct receipt {
	struct job_launch launch;
	const char *state; /* "launched", "running", "hung", "ok", "error"; "recorded": it was
			    * made of a bundle */
	bool lost;	   /* its end is not recorded, and the agent that would do so is gone */
	int64_t seen;	   /* when its agent last looked, realtime ns */
	int64_t ended;	   /* realtime ns */
	int64_t exit_status;
	int64_t agent_pid, agent_start_time;
	int64_t world_size, attempts;
	int64_t hangs; /* hangs that it had and moved on from */
	const char *framework, *backend, *mode, *python;
	bool packages_known, packages_cut; /* cut: there are more */
	const struct launch_variable *packages; /* packages of Python with their versions, by
						 * name */
	size_t npackages;
	const char *verdict; /* headline of the last verdict; "" there was none */
	const char *bundle;
	const char *last_words; /* last words of a command that failed before any rank was there */
	int64_t compiled; /* ns in which any rank compiled */
	const struct receipt_rank *ranks; /* by number */
	size_t nranks;
	int64_t left_out; /* ranks for which there was no room; 0 none */
	bool after_known;
	const struct launch_cache *after; /* caches at the end */
	size_t nafter;
	const char *path; /* where it was read; "" it was made of a job */
};

/* Returns a receipt of which nothing is known. */
struct receipt receipt_nothing(void);

/*
 * Fills in all that a job tells. Of its launches it takes the one with that id (NULL: any), else
 * the first. The receipt points into job and arena.
 */
void receipt_measure(
	const struct job *job, const char *id, struct arena *arena, struct receipt *ret);

/* Judges a rank's cache as it was when the rank came to it, by the most that any rank found. */
enum cache_state receipt_cache(const struct receipt *receipt, const struct receipt_rank *rank);

/*
 * Tells whether the rank's compiler found in a cache all that it looked for. JOB_YES: reused;
 * JOB_NO: rebuilt; JOB_MAYBE: unknown, or it compiled nothing.
 */
enum job_known receipt_reused(const struct receipt *receipt, const struct receipt_rank *rank);

/*
 * Returns how long the run took, ns, from launch to its end or until it was seen last; JOB_UNKNOWN.
 */
int64_t receipt_took(const struct receipt *receipt);

#endif
