/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence-lines.h: facts that say the same of several ranks are one line: seven ranks that "exited
 * with status 0" are "1-7". JSON keeps them apart.
 */
#ifndef WORDS_EVIDENCE_LINES_H
#define WORDS_EVIDENCE_LINES_H

#include "base/array.h"
#include "base/str.h"
#include "verdict/verdict.h"

struct merged_fact {
	struct str words;
	struct str cite;  /* "exit:*" for exit:1, exit:2, ... */
	ARRAY(struct rank_index) ranks; /* indexes, ascending; empty: the job */
	const struct verdict_fact *first; /* the caller's */
};

struct merged {
	ARRAY(struct merged_fact) facts; /* each where the first of its kind stood */
};

/*
 * Adds nr facts in their order; those that read alike and name ranks become one, with the ranks of
 * all. Copies what it needs. Call it again to merge further facts with these.
 */
void merge_facts(struct merged *into, const struct verdict_fact *facts, size_t nr);
/* Frees all of it and leaves the empty one. */
void merge_release(struct merged *merged);

#endif
