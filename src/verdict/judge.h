/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.h: the stages of judging, each in the file of its noun. A stage looks at the inquiry, and
 * adds findings, or what it would need; judge.c has them in their order, with what each decides and
 * why it stands there. For src/verdict only.
 */
#ifndef VERDICT_JUDGE_H
#define VERDICT_JUDGE_H

#include "verdict/inquiry.h"

void judge_creations(struct inquiry *q);     /* creation.c */
void judge_sinks(struct inquiry *q);         /* sinks.c */
void judge_forks(struct inquiry *q);         /* fork-kinds.c */
void judge_cycles(struct inquiry *q);        /* order.c */
void judge_parts(struct inquiry *q);         /* parts.c */
void judge_devices(struct inquiry *q);       /* device.c */
void judge_quiet_deaths(struct inquiry *q);  /* quiet.c */
void judge_quiet_exits(struct inquiry *q);   /* quiet.c */
void judge_left_behind(struct inquiry *q);   /* left-behind.c */
void judge_unnumbered(struct inquiry *q);    /* unnumbered.c */
void judge_by_stacks(struct inquiry *q);     /* by-stacks.c */
void judge_told_mismatch(struct inquiry *q); /* quiet.c */
void judge_unknown(struct inquiry *q);       /* unknown.c */
void judge_unexplained(struct inquiry *q);   /* unknown.c */
void judge_slow(struct inquiry *q);          /* slow.c */
void judge_empty_dumps(struct inquiry *q);   /* dumps.c */
void judge_hidden_ops(struct inquiry *q);    /* hidden-ops.c */
void judge_unreadable(struct inquiry *q);    /* bounds.c */
void judge_bad_ends(struct inquiry *q);      /* quiet.c */
void judge_some_dumps(struct inquiry *q);    /* dumps.c */
void judge_hidden_p2p(struct inquiry *q);    /* dumps.c */
void judge_early(struct inquiry *q);         /* early.c */
void judge_stopped(struct inquiry *q);       /* sinks.c */
void judge_standstill(struct inquiry *q);    /* by-stacks.c */
void judge_no_groups(struct inquiry *q);     /* start.c */
void judge_unrecorded(struct inquiry *q);    /* unknown.c */
void judge_teardown(struct inquiry *q);      /* quiet.c */
void judge_healthy(struct inquiry *q);       /* healthy.c */
void judge_unhooked(struct inquiry *q);      /* unhooked.c */
void judge_settings(struct inquiry *q);      /* settings.c */
void judge_sayings(struct inquiry *q);       /* sayings.c */
void judge_bounds(struct inquiry *q);        /* bounds.c */

/*
 * Adds findings that name ranks which stall while nobody is seen to wait, and do not blame them
 * (sinks.c).
 */
void judge_idle(struct inquiry *q, const struct rank_list *ranks);

/*
 * True if some rank that lives has done nothing that a ring tells for longer than the job usually
 * takes, and was not seen to work either: it may stand (by-stacks.c).
 */
bool standstill_may_be(const struct inquiry *q);

/*
 * True if the job, or a part of it, has failed for a reason that its command knew, and no evidence
 * shows. An order from outside, to the agent or to all, is the end of a job that may have been well
 * (healthy.c).
 */
bool job_failed_unseen(const struct inquiry *q);

/* Puts deaths of waiting ranks that were killed behind the cause of their wait (later.c). */
void judge_later_ends(struct inquiry *q);

/* Returns how far the job had come (stage.c). */
enum verdict_stage judge_stage(const struct inquiry *q);

#endif
