/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule.h: the seam through which a class of verdict enters. A rule may speak of three things: why a
 * rank is away, what a fork is, that a class is ruled out. Each is a function of its own, in the
 * file of its noun, and a row of lists/class.def, where the order stands in which they are asked.
 * Below are the facts that rules share. What hangs on no single rank or fork is a stage of its own
 * (judge.h).
 */
#ifndef VERDICT_RULE_H
#define VERDICT_RULE_H

#include "verdict/inquiry.h"

/* Why a rank is not where others wait for it: what one rule says about one rank. */
struct reason {
	enum verdict_class class;
	enum verdict_cause cause;
	enum verdict_where where;
	enum verdict_confidence confidence;
	enum verdict_outlook outlook;
	enum verdict_next next;
	bool by_absence; /* rests on what is not in the rings: weaker where slots were lost */
	bool progresses; /* a majority of such ranks is not to blame: they are only slower */
	bool follows;    /* waits for another suspect: a victim where there is one that does not */
	bool left;       /* finished in good order: those who still wait may be the odd ones */
	bool untimed;    /* rests on an order of times of which clocks do not tell */
};

/* What it means for others that a rank is away for such a reason. */
enum {
	AWAY_LASTS = 64,       /* what is so once stays so: also of who was looked at long ago */
	AWAY_ENDS = 1,         /* somebody died: others may stand outside for its echo alone */
	AWAY_MAY_ECHO = 2,     /* it may stand outside for the echo of a death */
	AWAY_COMPILES = 4,     /* those who wait for its compile are its victims */
	AWAY_TURNS = 8,        /* explains why it took another order than the others */
	AWAY_TELLS_GRAPHS = 16 /* its facts say already how its graphs differ */
};

struct away {
	enum verdict_class class;

	/*
	 * Why is this rank, a sink that others wait for, not there? Says yes only on evidence
	 * about the rank itself, and fills in *why, but for its class. Adds nothing to the inquiry.
	 */
	bool (*explains)(const struct inquiry *q, struct rank_index rank, struct reason *why);

	/* Adds the facts about a culprit that `explains` gave, the most telling first. */
	void (*tell)(struct inquiry *q, struct rank_index rank, struct draft *draft);

	unsigned traits;
};

/* The first reason of the table that explains the rank; NULL: none does, *why is void. */
const struct away *away_of(const struct inquiry *q, struct rank_index rank, struct reason *why);

/*
 * The first with AWAY_TURNS that explains each of several ranks, as sure as of the one of which it
 * is the least sure; NULL: none does, or there are no ranks.
 */
const struct away *away_that_turns(
	const struct inquiry *q, const struct rank_list *ranks, struct reason *why);
/*
 * Makes the finding what that reason says of the same culprits: class, cause, next, facts. It is no
 * surer than the reason is.
 */
void away_take(struct inquiry *q, const struct away *away, const struct reason *why,
	struct draft *draft);

#define AWAY(class, explains, tell, traits)                                                        \
	bool explains_##explains(                                                                  \
		const struct inquiry *q, struct rank_index rank, struct reason *why);              \
	void tell_##tell(struct inquiry *q, struct rank_index rank, struct draft *draft);
/* What is this fork of a group? True once the finding is complete but for its victims. */
#define FORK(class, is)                                                                            \
	bool is_##is##_fork(struct inquiry *q, const struct fork *fork, struct draft *draft);
/* Excludes this class from a finding of another one by facts, or says nothing. */
#define UNLIKE(class, name) void rule_out_##name(struct inquiry *q, struct draft *draft);
#include "lists/class.def"

/* -- what rules share -------------------------------------------------------------------------- */

/*
 * True if a rank that others wait for is no more than late so far: it was seen to go on, and not
 * for so long that no step takes it. `usual`: only in proportion to what is usual (slow.c).
 */
bool slow_goes_on(const struct inquiry *q, struct rank_index rank, bool usual);

/*
 * Tells of a rank of which there is no process how many processes of the job have no number yet,
 * with their pids, since it may be one of these; where there are none, the fact `otherwise`.
 */
void start_tell_unseen(struct inquiry *q, struct rank_index rank, enum verdict_fact_kind otherwise,
	const char *cite, struct draft *draft);

/*
 * The seat that a living rank closed while others wait in that group for an operation that it has
 * not entered, of several in the largest group; NULL: there is none (shard-rules.c).
 */
const struct job_member *left_seat(const struct inquiry *q, struct rank_index rank);
/* Adds what it did to that group, and where it went from there, if its stack tells. */
void left_tell(struct inquiry *q, struct rank_index rank, struct draft *draft);
void left_tell_seat(struct inquiry *q, const struct job_member *m, struct draft *draft);
/* True if who sits there closed the group, or is about to. */
bool seat_is_closed(const struct job_member *m);

/* True if a part of the rank's dump is lost: what it waits in may be in that (dumps.c). */
bool dumps_are_cut(const struct inquiry *q, struct rank_index rank);
/* What to do where dumps do not tell enough: find those that lack, or get damaged ones whole. */
enum verdict_next dumps_to_get(const struct inquiry *q);

/* Adds who was late some time ago and is not any more; else nothing (slow.c). */
void tell_past_lateness(struct inquiry *q, struct draft *draft);

/* Adds how those culprits ended whom somebody killed after their delay had begun (rank-death.c). */
void tell_killed_since(struct inquiry *q, struct draft *draft);

/* Adds the exceptions with which a side that is to blame, or may be, came to wait (handling.c). */
void tell_handling(struct inquiry *q, struct draft *draft);

/* Adds where an exception was raised; NULL: nothing (rank-death.c). */
void tell_raised_at(
	struct inquiry *q, const struct job_trait *at, struct rank_index rank, struct draft *draft);

/* Those who wait, directly or not, for what these nodes stand for; culprits are none of them. */
void find_victims(struct inquiry *q, const bool *marked, struct draft *draft);
/* Facts about who waits, common to all findings (victims.c). */
void tell_victims(struct inquiry *q, struct draft *draft);

/* Adds where a rank stands by its stacks, the most telling first; else nothing (stack-facts.c). */
void stacks_tell(struct inquiry *q, struct rank_index rank, struct draft *draft);
/* Puts the place where it stands into a fact; false: none is known. */
bool stacks_tell_place(struct inquiry *q, struct rank_index rank, struct verdict_fact *fact);
/*
 * Returns what to look at next for a rank in state D: by the kernel's function, else the storage.
 */
enum verdict_next stacks_next_in_kernel(const struct inquiry *q, struct rank_index rank);
/* Puts in what a posture waits, and where in the program, into a fact. */
void stacks_tell_call(struct inquiry *q, const struct posture *p, struct verdict_fact *fact);
/* Adds where those victims wait of whose waits only stacks tell (stack-facts.c). */
void stacks_tell_waiters(struct inquiry *q, struct draft *draft);
/* True if two ranks wait in the same call at the same line of the program. */
bool stacks_same_site(const struct inquiry *q, struct rank_index a, struct rank_index b);

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

/* Facts of so many culprits are told; of more, nobody would read them. */
#define TOLD_CULPRITS 8

/* The camp that is small enough to be the culprit; SIZE_MAX: none is. */
size_t fork_minority(const struct fork *fork);

#endif
