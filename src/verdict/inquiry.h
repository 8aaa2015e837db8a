/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inquiry.h: one judging in progress: the queries over the job, made once, and the findings so
 * far. Shared by the judge and the rules; nobody else includes it.
 */
#ifndef VERDICT_INQUIRY_H
#define VERDICT_INQUIRY_H

#include "base/arena.h"
#include "base/array.h"
#include "job/by-rank.h"
#include "job/clocks.h"
#include "job/forks.h"
#include "job/habit.h"
#include "job/waitfor/waitfor.h"
#include "verdict/profile.h"
#include "verdict/verdict.h"

/*
 * A set of rank indexes that grows by rank_list_add() alone. Mostly they are added in order, and so
 * are found soon, also where there are a hundred thousand. It may be cut at its end.
 */
struct rank_list {
	ARRAY(struct rank_index) list;
	size_t ascending; /* so many of the first are in order, each once; no less if it was cut */
};

struct stray;

/* A finding being written. Facts appear in the order of adding. */
struct draft {
	struct verdict verdict;
	struct rank_list culprits, victims, camp_a, camp_b;
	ARRAY(struct verdict_fact) facts;
	ARRAY(struct verdict_ruled_out) ruled_out;
	ARRAY(struct verdict_seat) unknown;
	int64_t weight; /* bigger ones first */
};

struct inquiry {
	const struct job *job;
	struct arena *arena;
	struct clocks *clocks;
	struct waits *waits;
	struct forks *forks;
	struct profile *profiles;
	int64_t *gaps; /* per group: median */
	int64_t *threshold;
	int64_t *threshold_p2p;
	int64_t *threshold_init;
	enum waitfor_stand *stands;
	bool *stopped;
	uint64_t *forked;
	bool *lost_hosts; /* per host */
	struct by_rank seats, losses;
	struct waitfor_given given;
	struct waitfor *graph;
	bool *wanted; /* per per rank: a standing wait of another leads to it */
	bool standstill; /* nobody waits in a ring, and yet all that live stand */
	bool groups_clash; /* ranks made groups in different orders: the graph misleads */
	struct verdict_early early;
	struct stray *stray; /* strays.h: NULL until somebody asks */
	struct inquiry_habit { /* per rank */
		struct habit is;
		bool made; /* once somebody has asked for it: inquiry_habit() */
	} *habits;
	ARRAY(struct draft) drafts;
	ARRAY(struct verdict_not_judged) not_judged;
};

/* -- drafts (draft.c) -------------------------------------------------------------------------- */

/* A new finding of that class; valid until the next one is begun. */
struct draft *inquiry_draft(struct inquiry *q, enum verdict_class class);
/* Takes the latest finding back. */
void inquiry_drop_draft(struct inquiry *q);

/* Makes the finding no surer than that. */
void draft_at_most(struct draft *draft, enum verdict_confidence confidence);

/*
 * Adds a fact about one rank, or about the job (NO_RANK). The caller fills in values: a, b and c
 * are JOB_UNKNOWN until then. Valid until the next fact is added.
 */
struct verdict_fact *draft_fact(struct inquiry *q, struct draft *draft, enum verdict_fact_kind kind,
	struct rank_index rank, const char *cite);

/* The same about many ranks. */
struct verdict_fact *draft_fact_of(struct inquiry *q, struct draft *draft,
	enum verdict_fact_kind kind, const struct rank_list *ranks, const char *cite);

/* A copy in the arena, for a fact. */
const struct verdict_thing *draft_thing(struct inquiry *q, struct verdict_thing thing);
/* The thing that is a frame of a stack; NULL for number -1. */
const struct verdict_thing *draft_frame(
	struct inquiry *q, const struct job_stack *stack, long at);
/* The thing that is an op with its arguments. */
const struct verdict_thing *draft_sig(struct inquiry *q, const struct job_sig *sig);

/* Adds what stopped a rank that stands still: a debugger, or else a signal or the freezer. */
void draft_frozen(struct inquiry *q, struct draft *draft, struct rank_index rank, const char *cite);

/* Adds FACT_CHILD_DIED where the rank lost a child. */
void draft_dead_child(struct inquiry *q, struct draft *draft, struct rank_index rank);
/* The last collective that the rank entered in its largest group; NULL, and no fact, if unknown. */
const struct job_op *draft_last_op(
	struct inquiry *q, struct draft *draft, struct rank_index rank);

/*
 * Rules a class out, with the reason; the caller fills in values as above. A class is ruled out
 * once: for one that already is, its reason comes back, and `kind` and `cite` are unused.
 */
struct verdict_fact *draft_rule_out(struct draft *draft, enum verdict_class class,
	enum verdict_fact_kind kind, const char *cite);

/* Adds a rank, even if it is there; NO_RANK is no rank and adds nothing. */
void rank_list_add(struct rank_list *list, struct rank_index rank);
/* True if the rank is in the set, in whatever order it is. */
bool rank_list_has(const struct rank_list *list, struct rank_index rank);

/* Takes those out that are marked, by index; the others keep their order. */
void rank_list_leave_out(struct rank_list *list, const bool *marked);

/* Sorts the set and leaves each rank once. */
void rank_list_settle(struct rank_list *list);

/* Returns a copy in the arena, as verdicts carry it; the list stays the draft's. */
struct verdict_ranks rank_list_seal(struct inquiry *q, const struct rank_list *list);

/* Says that a rule could not be judged for want of something, of a rank or the job (NO_RANK). */
void inquiry_not_judged(struct inquiry *q, enum verdict_class class, enum verdict_need need,
	struct rank_index rank);
/* The same for each of these ranks; nothing where there are none. */
void inquiry_not_judged_each(struct inquiry *q, enum verdict_class class, enum verdict_need need,
	const struct rank_list *ranks);
/* The same for the group of that name, or for the operation with that index. */
void inquiry_not_judged_of(struct inquiry *q, enum verdict_class class, enum verdict_need need,
	const char *name, uint64_t index);

/* -- what rules often ask (inquiry.c) ---------------------------------------------------------- */

/*
 * Asks all queries of the job once: waits, forks, profiles, thresholds, graph. Never NULL; points
 * into the job, which must outlive it.
 */
struct inquiry *inquiry_new(const struct job *job);
/* Frees all but the arena, which the verdicts own from judging on. Not NULL. */
void inquiry_free(struct inquiry *q);

/* True if `a` is the longer wait; where no age is known, the one that began first. */
bool inquiry_waits_longer(const struct wait *a, const struct wait *b);

/* The wait of a rank that stands longest; NULL where none does. */
const struct wait *inquiry_longest_wait(const struct inquiry *q, struct rank_index rank);

/*
 * Returns since when others wait for a rank, by standing waits that its own seats lack: a time of
 * the rank's own clock, off by some seconds at most. JOB_UNKNOWN where nobody waits for it, or only
 * ranks whose clocks tell no such time.
 */
int64_t inquiry_wanted_since(const struct inquiry *q, struct rank_index rank);
/*
 * Says when a rank was looked at, relative to the waits of others for it. Nodes are looked at one
 * after the other: a rank seen only before the others waited was in its own code like everybody,
 * and may have come since.
 */
enum inquiry_look {
	LOOKED_SINCE,   /* when some had waited for half a hang's time; also for a rank that nobody
			   waits for, for one that has ended, and in a job on one host */
	LOOKED_BEFORE,  /* before any had waited for so long */
	LOOKED_WHENEVER /* unknown: their clocks never met, or may be off by that much */
};
enum inquiry_look inquiry_look(const struct inquiry *q, struct rank_index rank);
/*
 * True if another rank had ended badly when this one did, and not because a peer was gone, in its
 * own words. MAYBE where no clock tells.
 */
enum job_known inquiry_ended_after_another(const struct inquiry *q, struct rank_index rank);
/*
 * True if others had long waited for this rank when it ended: then its end is not the reason. MAYBE
 * where their clocks do not tell.
 */
enum job_known inquiry_late_before_end(const struct inquiry *q, struct rank_index rank);

/*
 * lost-hosts.c: finds the hosts that fell silent together with their ranks; their ranks stand for
 * good. Needs waits, profiles and thresholds.
 */
void inquiry_find_lost_hosts(struct inquiry *q);
/* ns from the last word of a host's agent to the latest look at any host; JOB_UNKNOWN. */
int64_t inquiry_silence(const struct inquiry *q, int host);

/* True if that rank is held in a wait of that kind; its age goes to *ret_age if not NULL. */
bool inquiry_held_in(
	const struct inquiry *q, struct rank_index rank, enum wait_kind kind, int64_t *ret_age);

/* The rank's habit; made once, and the inquiry's. */
const struct habit *inquiry_habit(const struct inquiry *q, struct rank_index rank);

/* "AllReduce"; the op's name, where its details are known, else "operation". */
const char *inquiry_op_name(const struct job_op *op);

/* True if operations of this rank may be among the lost records. */
bool inquiry_lost_ops(const struct inquiry *q, struct rank_index rank);

/*
 * Returns what the evidence of the whole job lacks (bounds.c). Adds the ranks for which it lacks to
 * `lacking`, unless that is NULL.
 */
enum verdict_lack inquiry_lack(const struct inquiry *q, struct rank_list *lacking);

/* Returns how many ranks have no readable boards, those never seen included. */
size_t inquiry_unreadable(const struct inquiry *q);

/*
 * Returns how many members of a group were never seen: nobody knows if they are in an operation.
 */
size_t inquiry_unseen_members(const struct inquiry *q, int group);

/*
 * True if every rank of the job was seen: only then does absence from all of them prove absence.
 * Never true for a job of unknown size.
 */
bool inquiry_all_seen(const struct inquiry *q);

/* True if operations are known from dumps alone, which tell how far ranks came, no more. */
bool inquiry_by_dumps(const struct inquiry *q);

/* Returns the cite for the operations of all ranks: "ring:*", "flight:*". */
const char *inquiry_cite_all(const struct inquiry *q);

#endif
