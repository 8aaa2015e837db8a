/* SPDX-License-Identifier: Apache-2.0 */
/* coverage.h: how much of a job was seen, in words. */
#ifndef WORDS_COVERAGE_H
#define WORDS_COVERAGE_H

#include "base/str.h"
#include "verdict/verdict.h"
#include "words/steps.h"
#include "words/tense.h"

/*
 * Appends "8/8 ranks"; of a job that was seen in part "6/8 ranks, nodes 3/4: no word from m4 (ranks
 * 6-7)"; where nobody says how many there should be "6 ranks, of how many nobody says".
 */
void coverage_add(struct str *into, const struct verdicts *verdicts);

/*
 * Adds how to get what lacks; nothing where nothing lacks. Of a job that goes on the command
 * that looks on all nodes, where their names are known, and the one to type on each; of one that is
 * over, what may be left of it.
 */
void coverage_add_remedy(struct steps *into, const struct verdicts *verdicts, enum tense tense);

/*
 * Adds where to look again, and by which command, at ranks that were looked at before others
 * waited for them, and on nodes that were not seen: "look again, now that the others wait, on m2
 * (rank 3): inquest attach ...".
 */
void coverage_add_look(struct steps *into, const struct verdicts *verdicts, enum tense tense);

/*
 * Adds what coverage_add_remedy() does, behind a finding that it would make surer; nothing where
 * it would not.
 */
void coverage_add_surety(struct steps *into, const struct verdicts *verdicts,
	const struct verdict *verdict, enum tense tense);

#endif
