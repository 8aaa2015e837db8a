/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_WORKERS_H
#define EVIDENCE_WORKERS_H

/*
 * Workers: helpers (proc/helper.h) that gather side by side. Each does its steps one after the
 * other, and sends its findings as parcels: exhibits and gaps, or bytes of a kind that only its
 * work knows. The helper of a step that is not done in time is left behind, and a new one goes on.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evidence/format/exhibit.h"
#include "proc/helper.h"

#define WORKERS_MOST 8

enum parcel_what {
	PARCEL_EXHIBIT,
	PARCEL_GAP,  /* `label` has the words */
	PARCEL_STEP, /* the helper's step is done, and the next begins; `number` is the work's
		      * own */
	PARCEL_OWN,  /* bytes of the work's own */
};

/* What a helper sends. Texts and bytes belong to the sender. */
struct parcel {
	enum parcel_what what;
	struct exhibit exhibit; /* of it kind, rank, pid, start_time, when, label and bytes are
				 * sent */
	uint64_t number;
};

struct workers;

/* What workers do. `arg` is the caller's. */
/* Runs in the helper: does the worker's steps from `step` on, and reports each as done. */
struct workers_task {
	/* Runs in the helper: does the worker's steps from `step` on, and reports each. */
	void (*work)(void *arg, size_t worker, size_t step, int out);
	/* Takes a parcel that came during this step. */
	void (*take)(void *arg, size_t worker, size_t step, const struct parcel *parcel);
	/*
	 * Called when the step's helper is lost: `error` is -ETIMEDOUT or -EPIPE. Returns true to
	 * try the step once more.
	 */
	bool (*lost)(void *arg, size_t worker, size_t step, int error);
	/* Called when no helper could be started: the steps from this one on will not be done. */
	void (*none)(void *arg, size_t worker, size_t step, int error);
};

struct worker {
	size_t steps; /* how many it has; given */
	size_t at; /* the step that it is at */
	struct helper helper;
	int64_t until; /* monotonic ns by which that must be done */
	bool over; /* it does nothing more */
};

struct workers {
	const struct workers_task *task;
	void *arg;
	int deadline_ms; /* of each step */
	size_t nr;	 /* how many workers there are, at most WORKERS_MOST */
	struct worker all[WORKERS_MOST];
};

/* Returns how many workers are useful on this machine for so many things. */
size_t workers_for(size_t things);

/* Runs the workers until all steps are done or given up. */
void workers_run(struct workers *workers) __attribute__((nonnull));

/* -- in the helper ----------------------------------------------------------------------------- */

/* Sends one parcel. */
void parcel_send(int out, const struct parcel *parcel) __attribute__((nonnull));

/* Sends all exhibits and gaps, and empties the evidence. */
void parcel_send_all(int out, struct evidence *evidence) __attribute__((nonnull));

/* Reports the step as done. */
void parcel_send_step(int out, uint64_t number);

#endif
