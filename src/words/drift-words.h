/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How several runs compare, in words (verdict/drift.h). Texts may hold anything that came from
 * outside, so whoever paints them must escape them.
 */
#ifndef WORDS_DRIFT_WORDS_H
#define WORDS_DRIFT_WORDS_H

#include "base/array.h"
#include "base/str.h"
#include "verdict/drift.h"

/* Returns what drifted: "cache at start". Never NULL. */
const char *drift_name(enum drift_kind kind);
/* Returns what such a drift usually breaks; for a variable, by its name. Never NULL. */
const char *drift_breaks(const struct drift *drift);

/* Appends "env NCCL_DEBUG", "limit nofile", or the name of the kind. */
void drift_label(struct str *into, const struct drift *drift);

/*
 * Appends what it was in the run `of`, which is the later one of the two if `is_after`: "rank 2
 * cold", "unset", "86ceb9b DIRTY".
 */
void drift_value(struct str *into, const struct drift *drift, const struct receipt *of,
	bool is_after);

/* Appends the answer over `n` comparisons. */
void drift_title(struct str *into, const struct drifts *drifts, size_t n);

/* Times of two runs, as far as a comparison means something: a table, then what to make of it. */
struct drift_times {
	ARRAY(char *) rows;
};

/*
 * Adds the times of both runs side by side, a line each; those of steps only where they may be
 * compared.
 */
void drift_times_of(struct drift_times *times, const struct receipt *before,
	const struct receipt *after, const struct drifts *drifts);
/* Frees the lines. */
void drift_times_release(struct drift_times *times);

#endif
