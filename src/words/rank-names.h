/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of ranks as people read and type them: world ranks, ascending, runs folded: "0-2,4-7". A
 * rank whose number nobody knows is told by its pid: "p4711".
 */
#ifndef WORDS_RANK_NAMES_H
#define WORDS_RANK_NAMES_H

#include "base/str.h"
#include "verdict/verdict.h"

/* Appends the whole set; nothing for an empty one. */
void ranks_add(struct str *into, const struct job *job, struct verdict_ranks ranks);

/*
 * Appends the set in at most `width` columns (at least 8). A set that needs more is told by its
 * count and its first rank, since a part would be taken for the whole: "32 from 0", or shorter "0
 * +31".
 */
void ranks_fit(struct str *into, const struct job *job, struct verdict_ranks ranks, size_t width);

/* Appends "rank 3", "ranks 0-2,4", "pid 4711" or "rank 1 and pids 4711,4712"; nothing for none. */
void ranks_name(struct str *into, const struct job *job, struct verdict_ranks ranks);

/*
 * True if anything was seen of a rank. If a command ended before any process had a number or a
 * group, the processes that were seen without number are the command's own, and no ranks.
 */
bool ranks_were_seen(const struct job *job);

/* True if nothing tells of the job but what texts say of it, and these name no rank. */
bool ranks_only_sayings(const struct job *job);

#endif
