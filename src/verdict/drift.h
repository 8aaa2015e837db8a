/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drift.h: whether two runs are of one class, so that their times mean something beside each other,
 * and what lies between them. What one of the two receipts does not tell is not known, and never
 * the same.
 */
#ifndef VERDICT_DRIFT_H
#define VERDICT_DRIFT_H

#include "base/array.h"
#include "job/receipt.h"

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
	const char *name;	    /* of a variable, a package or a limit; "" */
	/* Of what is a text, of a command the first argument that differs; NULL: not set. */
	const char *before, *after;
	bool hidden;		    /* a value is withheld */
};

struct drifts {
	ARRAY(struct drift) all; /* in the order of the list; variables by name */
};

enum drift_class { DRIFT_ONE_CLASS, DRIFT_DRIFTED, DRIFT_NOT_ENOUGH };

/* Compares `after` with `before`; both must live as long as this does. */
void drifts_of(struct drifts *drifts, const struct receipt *before, const struct receipt *after);
/* Frees the list. */
void drifts_release(struct drifts *drifts);

/* What follows from all of them. */
enum drift_class drifts_class(const struct drifts *drifts);

/* True if something without which nothing can be concluded is not known. */
bool drift_is_essential(const struct drift *drift);

/*
 * Times up to the first step mean something beside each other only within one class; those of
 * single steps also if but the caches differed.
 */
bool drifts_allow_firsts(const struct drifts *drifts);
/* True if times of single steps may be compared. */
bool drifts_allow_steps(const struct drifts *drifts);

/* How a run's single steps lie beside another's. */
enum drift_pace { DRIFT_PACE_UNKNOWN, DRIFT_PACE_ALIKE, DRIFT_PACE_SLOWER, DRIFT_PACE_FASTER };

/* Slower or faster only where their tenths do not overlap: never one number against one. */
enum drift_pace drift_pace(const struct receipt_rank *before, const struct receipt_rank *after);

#endif
