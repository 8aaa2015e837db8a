/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges facts that say the same of several ranks into one line: seven ranks that "exited with
 * status 0" are "1-7". JSON keeps them apart.
 */
#ifndef WORDS_EVIDENCE_LINES_H
#define WORDS_EVIDENCE_LINES_H

#include "base/array.h"
#include "base/str.h"
#include "verdict/verdict.h"

/* Facts that read alike. */
struct merged_fact {
	struct str words;
	struct str cite;  /* "exit:*" for exit:1, exit:2, ... */
	ARRAY(struct rank_index) ranks; /* ascending; empty: it is about the job */
	const struct verdict_fact *first; /* the first such fact, which is the caller's */
};

/* All facts, merged. {0} at first; merge_release() it. */
struct merged {
	ARRAY(struct merged_fact) facts; /* each stands where the first of its kind stood */
};

/*
 * Adds `nr` facts in their order. Those that read alike and name ranks become one, with the ranks
 * of all. Words and cites are copied; `first` points into `facts`. A further call merges further
 * facts with these.
 */
void merge_facts(struct merged *into, const struct verdict_fact *facts, size_t nr);
/* Frees all and leaves an empty one. */
void merge_release(struct merged *merged);

#endif
