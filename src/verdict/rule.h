/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule.h: the door through which a class of verdict enters. A rule may speak about three things;
 * members that do not apply are NULL. The table, whose order is the order of DESIGN ("which class,
 * first that fits"), is in judge.c.
 */
#ifndef VERDICT_RULE_H
#define VERDICT_RULE_H

#include "verdict/inquiry.h"

struct rule {
	enum verdict_class class;

	/*
	 * Why is this rank, a sink that others wait for, not there? Says yes only on evidence
	 * about the rank itself, and fills in *why. Adds nothing to the inquiry.
	 */
	bool (*explains)(const struct inquiry *q, int rank, struct reason *why);

	/* Adds the facts about a culprit that `explains` gave, the most telling first. */
	void (*tell)(struct inquiry *q, int rank, struct draft *draft);

	/* The same for a fork of a group: true once the finding is complete but for its victims. */
	bool (*of_fork)(struct inquiry *q, const struct fork *fork, struct draft *draft);

	/* Excludes this class from a finding of another one by facts, or says nothing. */
	void (*rule_out)(struct inquiry *q, struct draft *draft);
};

extern const struct rule rule_node_loss;
extern const struct rule rule_rank_death;
extern const struct rule rule_wrong_address;
extern const struct rule rule_thread_death; /* of a thread of a rank that lives */
extern const struct rule rule_compile_stuck;
extern const struct rule rule_compile_skew;
extern const struct rule rule_empty_shard;
extern const struct rule rule_uneven_shard;
extern const struct rule rule_early_exit;
extern const struct rule rule_graph_divergence;
extern const struct rule rule_graph_left; /* the same of a rank that is done */
extern const struct rule rule_collective_mismatch;
extern const struct rule rule_order_inversion;
extern const struct rule rule_host_stall; /* where it stalls is known */
extern const struct rule rule_not_started;
extern const struct rule rule_gpu_stall;
extern const struct rule rule_transport_stall;
extern const struct rule rule_slow;
extern const struct rule rule_host_stall_unknown; /* nothing else explains it */

/* Findings that hang on no single rank or fork. Each adds its drafts to the inquiry. */
bool judge_creations(struct inquiry *q);    /* creation.c: before all others; true: it found one */
void judge_cycles(struct inquiry *q);       /* order.c */
void judge_devices(struct inquiry *q);      /* device.c: all are in, nothing moves */
void judge_quiet_deaths(struct inquiry *q); /* quiet.c: own deaths that nobody waits for yet */
void judge_quiet_exits(struct inquiry *q);  /* quiet.c: an early exit of which the others died */
/* A mismatch that ranks told of when they died of it, and that nobody saw; whether there is one. */
bool judge_told_mismatch(struct inquiry *q); /* quiet.c */
/* What is left to say where only stacks tell; adds nothing in any other job (rest-stacks.c). */
void judge_rest_of_stacks(struct inquiry *q);
void judge_slow(struct inquiry *q);         /* slow.c */
void judge_missing(struct inquiry *q); /* rest.c: what could not be hooked, and is not judged */
void judge_rest(struct inquiry *q);    /* rest.c: healthy or inconclusive, where nothing else is */
bool judge_early(struct inquiry *q);  /* early.c: somebody waits, and for less than a hang's time */
void judge_bounds(struct inquiry *q); /* bounds.c: what was not seen bounds what is said */

/*
 * True if a rank that others wait for is no more than late so far: it was seen to go on, and not
 * for so long that no step takes it. `usual`: only in proportion to what is usual (slow.c).
 */
bool slow_goes_on(const struct inquiry *q, int rank, bool usual);

/*
 * Tells of a rank of which there is no process how many processes of the job have no number yet,
 * with their pids, since it may be one of these; where there are none, the fact `otherwise`.
 */
void start_tell_unseen(struct inquiry *q, int rank, enum verdict_fact_kind otherwise,
	const char *cite, struct draft *draft);

/* Adds who was late some time ago and is not any more; else nothing (slow.c). */
void tell_past_lateness(struct inquiry *q, struct draft *draft);

/* Adds how those culprits ended whom somebody killed after their delay had begun (rank-death.c). */
void tell_killed_since(struct inquiry *q, struct draft *draft);

/* Adds the exceptions with which a side that is to blame, or may be, came to wait (handling.c). */
void tell_handling(struct inquiry *q, struct draft *draft);

/* Adds where an exception was raised; NULL: nothing (rank-death.c). */
void tell_raised_at(struct inquiry *q, const struct job_trait *at, int rank, struct draft *draft);

/* Facts about who waits, common to all findings (rest.c). */
void tell_victims(struct inquiry *q, struct draft *draft);

/* Adds where a rank stands by its stacks, the most telling first; else nothing (stack-facts.c). */
void stacks_tell(struct inquiry *q, int rank, struct draft *draft);
/* Puts the place where it stands into a fact; false: none is known. */
bool stacks_tell_place(struct inquiry *q, int rank, struct verdict_fact *fact);
/* What to look at of a rank in state D: by the kernel's function, else the storage. */
enum verdict_next stacks_next_in_kernel(const struct inquiry *q, int rank);
/* Adds where those victims wait of whose waits only stacks tell (stack-facts.c). */
void stacks_tell_waiters(struct inquiry *q, struct draft *draft);
/* True if two ranks wait in the same call at the same line of the program. */
bool stacks_same_site(const struct inquiry *q, int a, int b);

/* How a fork is shared out between culprits, victims and camps (forked.c). */
void fork_share_out(struct inquiry *q, const struct fork *fork, size_t guilty, struct draft *draft);

/* Adds where in the program the camps of a fork that stands are (fork-sites.c). */
void fork_tell_sites(struct inquiry *q, const struct fork *fork, struct draft *draft);

/* Adds what each camp entered, as facts (forked.c). */
void fork_tell_camps(struct inquiry *q, const struct fork *fork, struct draft *draft);

/*
 * Adds that this camp's compiled graphs are not those of the largest (of the largest: not those of
 * the next), where both are known and differ; else nothing (graphs.c).
 */
void fork_tell_graphs(struct inquiry *q, const struct fork *fork, size_t camp, struct draft *draft);

/* Adds which ops differ first, at this fork (forked.c). */
void fork_tell_first(struct inquiry *q, const struct fork *fork, struct draft *draft);

/* Adds that the sides could not be aligned, if so: what else the fork may be (forked.c). */
void fork_tell_unaligned(struct inquiry *q, const struct fork *fork, struct draft *draft);

/* Adds in which graph the rank differs first from those who wait; else nothing (graphs.c). */
void graphs_tell(struct inquiry *q, int rank, struct draft *draft);

/* Facts of so many culprits are told; of more, nobody would read them. */
#define TOLD_CULPRITS 8

/* The camp that is small enough to be the culprit; SIZE_MAX: none is. */
size_t fork_minority(const struct fork *fork);

#endif
