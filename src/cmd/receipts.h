/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receipts.h: the receipts of runs, read from where they are kept: files, folders of them, or
 * bundles, of which one is made.
 */
#ifndef CMD_RECEIPTS_H
#define CMD_RECEIPTS_H

#include "base/arena.h"
#include "base/array.h"
#include "cmd/look.h"
#include "job/job-receipt.h"

/* Receipts of runs. {0} but for the wishes at first; receipts_release() it. */
struct receipts {
	struct arena arena;
	ARRAY(struct receipt) all;
	ARRAY(struct look *) looks; /* at bundles; the receipts point into them */
	struct meter *meter;	    /* memory that bundles may take; borrowed, NULL: no bound */
	bool failed; /* something could not be read, and that was said */
	bool quiet;  /* it is not */
	bool no_bundles; /* none is made of those in a folder */
};

/* Returns the folder where `inquest run' keeps what it is not told to keep elsewhere. Borrowed. */
const char *receipts_folder(void);

/*
 * Adds the receipts at path: a file; of a folder all that are in it, and if there is none, those of
 * its bundles. What cannot be read is complained of. Returns how many were added.
 */
size_t receipts_add(struct receipts *receipts, const char *path);

/* Sorts them, the newest launch first. */
void receipts_sort(struct receipts *receipts);

/* Frees them, with the evidence that they were read from. */
void receipts_release(struct receipts *receipts);

#endif
