/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drift.h: whether two runs are of one class, so that their times may be compared, and what differs
 * between them. What one of the two receipts does not tell is unknown, and never the same.
 */
#ifndef VERDICT_DRIFT_H
#define VERDICT_DRIFT_H

#include "base/array.h"
#include "job/job-receipt.h"

enum drift_kind {
#define DRIFT(name, text, breaks) DRIFT_##name,
#include "lists/drift.def"
#undef DRIFT
	DRIFT_KINDS
};

enum drift_how { DRIFT_SAME, DRIFT_DIFFERS, DRIFT_UNKNOWN };

struct drift {
	enum drift_kind kind;
	enum drift_how how;
	const char *name;	    /* name of a variable, a package or a limit; "" others */
	/* Values of what is a text; of a command the first argument that differs. NULL: not set. */
	const char *before, *after;
	bool hidden;		    /* a value is withheld: only that it differs is known */
};

struct drifts {
	ARRAY(struct drift) all; /* in the order of the list; variables by name */
};

enum drift_class { DRIFT_ONE_CLASS, DRIFT_DRIFTED, DRIFT_NOT_ENOUGH };

/* Compares `after` with `before` into an empty list; both receipts must outlive it. */
void drifts_of(struct drifts *drifts, const struct receipt *before, const struct receipt *after);
/* Frees the list. */
void drifts_release(struct drifts *drifts);

/* Returns what follows from all differences. */
enum drift_class drifts_class(const struct drifts *drifts);

/* True if this is unknown, and nothing can be concluded without it. */
bool drift_is_essential(const struct drift *drift);

/*
 * True if times up to the first step may be compared: only within one class. (Times of single steps
 * may be also if only the caches differed.)
 */
bool drifts_allow_firsts(const struct drifts *drifts);
/* True if times of single steps may be compared. */
bool drifts_allow_steps(const struct drifts *drifts);

/* How a run's single steps lie beside another's. */
enum drift_pace { DRIFT_PACE_UNKNOWN, DRIFT_PACE_ALIKE, DRIFT_PACE_SLOWER, DRIFT_PACE_FASTER };

/*
 * Compares the single steps of a rank. They are slower or faster only where the tenths of both do
 * not overlap: one number is never compared with one.
 */
enum drift_pace drift_pace(const struct receipt_rank *before, const struct receipt_rank *after);

#endif
