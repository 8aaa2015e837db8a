/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h: the table of rules and the parts of judging that run it. For src/verdict only. */
#ifndef VERDICT_JUDGE_H
#define VERDICT_JUDGE_H

#include "verdict/rule.h"

/* In the order in which they are asked: the first that fits has the rank, or the fork. */
extern const struct rule *const judge_rules[];
extern const size_t judge_nrules;

void judge_sinks(struct inquiry *q);
void judge_forks(struct inquiry *q);

/* How far the job had come. */
enum verdict_stage judge_stage(const struct inquiry *q);

#endif
