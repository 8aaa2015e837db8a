/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folds.h: cells of rows that stand for many ranks. The worst of all of them wins. A row of a few
 * asks each of them; of many, their tracks are made into one, once, when it is first drawn: then a
 * cell of ten thousand ranks costs what a cell of one does.
 */
#ifndef VIEWER_FOLDS_H
#define VIEWER_FOLDS_H

#include "viewer/state/rows.h"

struct folds;

/*
 * Makes the folds of rows. Never NULL. Points to all three, which must outlive it. Takes over from
 * `old`, which is freed, what was made for other rows of the same tracks; NULL: there is none.
 */
struct folds *folds_new(const struct tracks *tracks, const struct pyramid *pyramid,
	const struct rows *rows, struct folds *old) __attribute__((nonnull(1, 2, 3)));
/* Frees them; NULL is fine. */
void folds_free(struct folds *folds);

/* The name of spans of a lane in which the rank was in no call of its group: nothing is drawn. */
extern const char folds_elsewhere[];

/* Returns what lies under a cell of the row, [from, to). */
struct bin folds_bin(struct folds *folds, size_t row, int64_t from, int64_t to)
	__attribute__((nonnull));

#endif
