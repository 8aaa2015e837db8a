/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a job was seen, in words. */
#ifndef WORDS_COVERAGE_H
#define WORDS_COVERAGE_H

#include "base/str.h"
#include "verdict/verdict.h"
#include "words/steps.h"
#include "words/tense.h"

/*
 * Appends "8/8 ranks"; for a job that was seen in part "6/8 ranks, nodes 3/4: no word from m4
 * (ranks 6-7)"; where nobody says how many there should be "6 ranks seen, of how many nobody says".
 */
void coverage_add(struct str *into, const struct verdicts *verdicts);

/*
 * Adds how to get what was not seen; nothing where nothing is missing. For a job that goes on that
 * is the command that looks on all nodes, if their names are known, and the one to type on each
 * node; for one that is over, what may be left of it.
 */
void coverage_add_remedy(struct steps *into, const struct verdicts *verdicts, enum tense tense);

/*
 * Adds where to look again, and by which command: at ranks that were looked at before others waited
 * for them, and on nodes that were not seen. For example "look again, now that the others wait, on
 * m2 (rank 3): inquest attach ...".
 */
void coverage_add_look(struct steps *into, const struct verdicts *verdicts, enum tense tense);

/* Adds what coverage_add_remedy() does, where that would make the verdict surer, and says so. */
void coverage_add_surety(struct steps *into, const struct verdicts *verdicts,
	const struct verdict *verdict, enum tense tense);

#endif
