/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h: the table of rules and the parts of judging that run it. For src/verdict only. */
#ifndef VERDICT_JUDGE_H
#define VERDICT_JUDGE_H

#include "verdict/rule.h"

/* In the order in which they are asked: the first that fits has the rank, or the fork. */
extern const struct rule *const judge_rules[];
extern const size_t judge_nrules;

/*
 * Ranks that others wait for and that wait for nothing: adds one draft per explanation. A sink that
 * no rule explains adds none.
 */
void judge_sinks(struct inquiry *q);
/* The same for ranks that stall while nobody is seen to wait: they are named, and not blamed. */
void judge_idle(struct inquiry *q, const struct rank_list *ranks);
/*
 * Forks that somebody waits at, or that were passed or can no longer be mended: adds a draft each,
 * of the class whose rule takes it, else collective-mismatch.
 */
void judge_forks(struct inquiry *q);

/* Puts deaths of ranks that were killed while they waited behind what they waited for. */
void judge_later_ends(struct inquiry *q);

/* How far the job had come. */
enum verdict_stage judge_stage(const struct inquiry *q);

#endif
