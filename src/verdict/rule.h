/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule.h: the seam through which a class of verdict enters. A rule may answer three questions: why
 * a rank is away, what a fork is, which class is ruled out. Each answer is a function of its own in
 * the file of its noun, and a row of lists/class.def, whose order is the order in which they are
 * asked. Below are also the facts that rules share. What hangs on no single rank or fork is a stage
 * of its own (judge.h).
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
	bool by_absence; /* it rests on absence from the rings: weaker where slots were lost */
	bool progresses; /* it never blames a majority: such ranks are only slower */
	bool follows;    /* it waits for another suspect: it is a victim where some suspect does
			  * not */
	bool left;       /* it finished in good order: the ranks that still wait may be the odd
			  * ones */
	bool untimed;    /* it rests on an order of times that the clocks do not tell */
};

/* Traits of a reason: what such an absence means for other ranks. */
enum {
	AWAY_LASTS = 64,       /* it never changes once true: it holds for a rank that was seen
			        * long ago, too */
	AWAY_ENDS = 1,         /* a rank died: others may stand outside only as its echo */
	AWAY_MAY_ECHO = 2,     /* the rank may stand outside as the echo of a death */
	AWAY_COMPILES = 4,     /* ranks that wait for its compile are its victims */
	AWAY_TURNS = 8,        /* it explains why the rank took another order than the others */
	AWAY_TELLS_GRAPHS = 16 /* its facts already say how the rank's graphs differ */
};

/* A reason why ranks may be away: a row of class.def. */
struct away {
	enum verdict_class class;

	/*
	 * Explains why this rank, a sink that others wait for, is not there. Returns true only on
	 * evidence about the rank itself, and then fills in *why, except its class. Adds nothing to
	 * the inquiry.
	 */
	bool (*explains)(const struct inquiry *q, struct rank_index rank, struct reason *why);

	/* Adds the facts about a culprit that `explains` gave, the most telling first. */
	void (*tell)(struct inquiry *q, struct rank_index rank, struct draft *draft);

	unsigned traits;
};

/*
 * Returns the first reason of the table that explains the rank; NULL: none does, and *why is void.
 */
const struct away *away_of(const struct inquiry *q, struct rank_index rank, struct reason *why);

/*
 * Returns the first reason with AWAY_TURNS that explains each of several ranks, as certain as for
 * the rank where it is least certain; NULL: none does, or there are no ranks.
 */
const struct away *away_that_turns(
	const struct inquiry *q, const struct rank_list *ranks, struct reason *why);
/*
 * Gives a finding that reason's class, cause, next step and facts about its culprits. The finding
 * becomes no more certain than the reason.
 */
void away_take(struct inquiry *q, const struct away *away, const struct reason *why,
	struct draft *draft);

#define AWAY(class, explains, tell, traits)                                                        \
	bool explains_##explains(                                                                  \
		const struct inquiry *q, struct rank_index rank, struct reason *why);              \
	void tell_##tell(struct inquiry *q, struct rank_index rank, struct draft *draft);
/*
 * Declares the function that explains a fork of a group as this class. It returns true once the
 * finding is complete but for its victims.
 */
#define FORK(class, is)                                                                            \
	bool is_##is##_fork(struct inquiry *q, const struct fork *fork, struct draft *draft);
/*
 * Declares the function that rules this class out of a finding of another one by facts, or adds
 * nothing.
 */
#define UNLIKE(class, name, other) void rule_out_##name(struct inquiry *q, struct draft *draft);
#include "lists/class.def"

/* -- what rules share -------------------------------------------------------------------------- */

/*
 * True if a rank that others wait for is merely late so far: it was seen to go on, and has not
 * taken longer than any step may. `usual`: only what takes some times the usual time between
 * operations counts as late, however long any step may take (slow.c).
 */
bool slow_goes_on(const struct inquiry *q, struct rank_index rank, bool usual);

/*
 * For a rank without a process, adds how many processes of the job have no number yet, with their
 * pids, since the rank may be one of these; where there are none, adds the fact `otherwise`.
 */
void start_tell_unseen(struct inquiry *q, struct rank_index rank, enum verdict_fact_kind otherwise,
	const char *cite, struct draft *draft);

/* True if the rank's stack is in the making of a process's first group. */
bool start_makes_first_group(const struct inquiry *q, struct rank_index rank);

/*
 * True if the rank's stack was seen for long enough in a call that waits for others, at one line of
 * its program, and no ring tells of that wait, nor of a call since (unknown.c).
 */
bool waits_unrecorded(const struct inquiry *q, struct rank_index rank);
/*
 * True if the rank was seen in such a call, which no record names, and nobody knows for how long.
 */
bool may_wait_unrecorded(const struct inquiry *q, struct rank_index rank);

/*
 * Returns the seat that a living rank closed while others wait in that group for an operation that
 * it has not entered, in the largest such group; NULL: there is none (shard-rules.c).
 */
const struct job_member *left_seat(const struct inquiry *q, struct rank_index rank);
/* Adds what the rank did to that group, and where it went from there, if its stack tells. */
void left_tell(struct inquiry *q, struct rank_index rank, struct draft *draft);
/* Does the same for a given seat. */
void left_tell_seat(struct inquiry *q, const struct job_member *m, struct draft *draft);
/* True if the member of that seat closed the group, or is about to. */
bool seat_is_closed(const struct job_member *m);

/* True if each member brings amounts of its own to that op, and none to compare (forked.c). */
bool amounts_are_own(const struct job_group *group, const struct job_sig *sig);

/* True if a part of the rank's dump is lost, which may hold the op that it waits in (dumps.c). */
bool dumps_are_cut(const struct inquiry *q, struct rank_index rank);
/*
 * Whether a rank may wait in a send or receive that its dump, the only evidence of it, never
 * records (dumps.c).
 */
enum dumps_p2p {
	DUMPS_P2P_KNOWN,
	DUMPS_P2P_MAYBE, /* nothing tells that the job sends */
	DUMPS_P2P_HIDDEN /* the job sends */
};
enum dumps_p2p dumps_p2p(const struct inquiry *q, struct rank_index rank);
/* Adds which of the ranks waited for may themselves wait in what is hidden. */
void dumps_tell_hidden(struct inquiry *q, struct draft *draft);
/*
 * Returns what to do where dumps do not tell enough: find missing ones, get damaged ones whole, or
 * make new ones.
 */
enum verdict_next dumps_to_get(const struct inquiry *q);
/* Asks for dumps of these ranks, or for later ones than there are (dumps.c). */
void dumps_ask_for(struct inquiry *q, const struct rank_list *ranks);

/* Adds which ranks were late some time ago and are not any more; else nothing (slow.c). */
void tell_past_lateness(struct inquiry *q, struct draft *draft);
/*
 * Adds the rank for which all others wait at each operation, never for long: that blames nobody
 * (slow.c).
 */
void tell_straggler(struct inquiry *q, struct draft *draft);

/* Adds how culprits ended that were killed after their delay had begun (rank-death.c). */
void tell_killed_since(struct inquiry *q, struct draft *draft);

/*
 * Adds the exceptions that a side handled when it came to wait, if it is or may be to blame
 * (handling.c).
 */
void tell_handling(struct inquiry *q, struct draft *draft);

/* Adds where an exception was raised; NULL: nothing (rank-death.c). */
void tell_raised_at(
	struct inquiry *q, const struct job_trait *at, struct rank_index rank, struct draft *draft);

/* Adds as victims the ranks that wait, directly or not, for these nodes; never a culprit. */
void find_victims(struct inquiry *q, const bool *marked, struct draft *draft);
/* The same for the ops of a part of the graph (waitfor_node.part), and who is in it. */
void find_victims_of_part(struct inquiry *q, int part, struct draft *draft);
/* Adds the facts about who waits, which all findings have in common (victims.c). */
void tell_victims(struct inquiry *q, struct draft *draft);

/* Adds where a rank stands by its stacks, the most telling first; else nothing (stack-facts.c). */
void stacks_tell(struct inquiry *q, struct rank_index rank, struct draft *draft);
/* Puts the place where the rank stands into a fact; false: no place is known. */
bool stacks_tell_place(struct inquiry *q, struct rank_index rank, struct verdict_fact *fact);
/*
 * Returns what to look at next for a rank in state D: by the kernel's function, else the storage.
 */
enum verdict_next stacks_next_in_kernel(const struct inquiry *q, struct rank_index rank);
/* Puts what a posture waits in, and where in the program, into a fact. */
void stacks_tell_call(struct inquiry *q, const struct posture *p, struct verdict_fact *fact);
/* Adds where victims wait whose waits are known by stacks alone (stack-facts.c). */
void stacks_tell_waiters(struct inquiry *q, struct draft *draft);
/* True if two ranks wait in the same call at the same line of the program. */
bool stacks_same_site(const struct inquiry *q, struct rank_index a, struct rank_index b);

/*
 * Shares the ranks of a fork out between culprits, victims and camps. `guilty`: the camp at fault;
 * SIZE_MAX: none (forked.c).
 */
void fork_share_out(struct inquiry *q, const struct fork *fork, size_t guilty, struct draft *draft);

/* Adds where in the program the camps of a standing fork are (fork-sites.c). */
void fork_tell_sites(struct inquiry *q, const struct fork *fork, struct draft *draft);

/*
 * Tells whether this camp called its op at another line of the program than the largest did: by the
 * records of the ops, else by where all of both camps stand and wait (fork-sites.c). MAYBE where
 * neither tells.
 */
enum job_known fork_calls_differ(const struct inquiry *q, const struct fork *fork, size_t camp);

/*
 * True if in another group of each rank of this camp somebody waits for just such an op of that
 * rank: it was called in the wrong group (forked.c).
 */
bool fork_is_for_another_group(const struct inquiry *q, const struct fork *fork, size_t camp);

/* Adds, as facts, which op each camp entered, and who may be on any side (forked.c). */
void fork_tell_camps(struct inquiry *q, const struct fork *fork, struct draft *draft);

/*
 * Adds that this camp's compiled graphs differ from those of the largest camp (for the largest
 * itself: from those of the next), where both are known and differ; else nothing (graphs.c).
 */
void fork_tell_graphs(struct inquiry *q, const struct fork *fork, size_t camp, struct draft *draft);

/* Adds which ops differ first, at this fork (forked.c). */
void fork_tell_first(struct inquiry *q, const struct fork *fork, struct draft *draft);

/*
 * Adds that the sides could not be aligned, where that is so: the fork may be something else
 * (forked.c).
 */
void fork_tell_unaligned(struct inquiry *q, const struct fork *fork, struct draft *draft);

/* The most culprits whose facts are told; nobody would read more. */
#define TOLD_CULPRITS 8

/* Returns the camp that is small enough to be the culprit; SIZE_MAX: none is. */
size_t fork_minority(const struct fork *fork);
/* True if ranks are known to wait at the fork. */
bool fork_stands(const struct inquiry *q, const struct fork *fork);
/*
 * True if hosts drive the operation, and a member has not come to it: the others wait for that
 * member, whatever they called, and may go on when it comes.
 */
bool fork_lacks_member(const struct inquiry *q, const struct fork *fork);
/*
 * True if ranks differed in ops whose details are overwritten, and nobody is known to wait there.
 */
bool fork_is_gone(const struct inquiry *q, const struct fork *fork);

#endif
