/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORDS_LAST_QUOTES_H
#define WORDS_LAST_QUOTES_H

/*
 * The last words of ranks: each rank's line that names an error, else its last useful line. Ranks
 * side by side have one line only if they said the same.
 */

#include "base/str.h"
#include "job/job.h"
#include "verdict/verdict.h"

/* Returns the rank's line as it was; NULL where none is known. */
const char *last_words_of(const struct job *job, struct rank_index rank);

/*
 * Appends the line of several ranks in quotes, as text from outside that is not escaped. The rank's
 * own number and decimal numbers (a loss, a time) may differ: "#" stands for them. Where only some
 * ranks' lines are known, it says whose they are; where lines differ, it says that they do, and
 * gives one of them with its ranks: an error before others, then what the fewest say. Appends
 * nothing where no line is known.
 */
void last_words_add(struct str *into, const struct job *job, struct verdict_ranks ranks);

#endif
