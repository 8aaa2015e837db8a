/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one sentence that answers: who, what, and who waits for it. For example
 *
 *	rank 3 still compiles (inductor codegen 0/0, open 11:08);
 *	7 ranks wait in the first AllReduce
 *
 * Text from outside stands in it as it came; the caller escapes it.
 */
#ifndef WORDS_HEADLINE_H
#define WORDS_HEADLINE_H

#include "base/str.h"
#include "verdict/verdict.h"

/* Appends the whole sentence, in small letters, for JSON and logs. */
void headline_sentence(
	struct str *into, const struct verdicts *verdicts, const struct verdict *verdict);

/*
 * Appends the first line's form, in at most `width` columns: who and what in capitals, then as much
 * of the rest as fits whole, beginning with the fact that decides. For a shard that is the amount,
 * not how it was noticed; of a fork that has no room only what differs is told. It is escaped, for
 * a reader who can show UTF-8 or not.
 */
void headline_shout(struct str *into, const struct verdicts *verdicts,
	const struct verdict *verdict, size_t width, bool utf8);

/*
 * Appends what stands behind the sentence: "compile-skew, established"; where it is too early to
 * tell, from when on the wait would be a hang.
 */
void headline_tag(
	struct str *into, const struct verdicts *verdicts, const struct verdict *verdict);

/* Appends from when on the wait would be a hang, where it is too early to tell. */
void headline_threshold(struct str *into, const struct verdicts *verdicts);

#endif
