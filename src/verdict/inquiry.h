/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inquiry.h: one judging in progress: the queries over the job, each made once, and the findings so
 * far. For the judge and the rules only.
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
#include "verdict/profiles/profile.h"
#include "verdict/verdict.h"

/*
 * A set of rank indexes that grows by rank_list_add() alone. Ranks are mostly added in order, and
 * found fast then, even among a hundred thousand. Its end may be cut off.
 */
struct rank_list {
	ARRAY(struct rank_index) list;
	size_t ascending; /* how many of the first are in order, each once; still valid when the
			   * end was cut off */
};

struct demands;
struct earlier_others;
struct looks;
struct stray;

/* A finding being written. Facts appear in the order of adding. */
struct draft {
	struct verdict verdict;
	struct rank_list culprits, victims, camp_a, camp_b;
	ARRAY(struct verdict_fact) facts;
	ARRAY(struct verdict_ruled_out) ruled_out;
	ARRAY(struct verdict_seat) unknown;
	int64_t weight; /* findings with bigger weights come first */
};

struct inquiry {
	const struct job *job;
	struct arena *arena;
	struct clocks *clocks;
	struct waits *waits;
	struct forks *forks;
	struct profile *profiles;
	int64_t *gaps; /* per group: the median gap between collectives, ns; 0 unknown */
	int64_t *threshold;
	int64_t *threshold_p2p;
	int64_t *threshold_init;
	enum waitfor_stand *stands;
	bool *stopped;
	uint64_t *forked;
	bool *lost_hosts; /* per host */
	struct inquiry_unseen { /* of ranks without a process: inquiry_find_unseen() */
		bool elsewhere;  /* they may live on a host whose evidence is missing */
		bool guessed;    /* which numbers they have is a guess */
		bool given_away; /* as many processes have the number of another, too */
	} unseen;
	struct by_rank seats, losses;
	struct waitfor_given given;
	struct waitfor *graph;
	const struct wait **longest_wait; /* per rank: inquiry_longest_wait() */
	struct demands *demands; /* demands.h */
	struct looks *looks;     /* looks/looks.h */
	struct earlier_others *bad_ends; /* profiles/earlier.h */
	bool *wanted; /* per rank: a standing wait of another rank leads to it */
	bool standstill; /* no ring shows anybody to wait, and yet all that live stand */
	bool groups_clash; /* ranks made groups in different orders: the graph misleads */
	struct verdict_early early;
	struct stray *stray; /* strays.h: NULL until somebody asks */
	struct inquiry_once { /* of the whole job: found when a rule first asks */
		bool made, holds;
	} all_live, none_compiles;
	struct inquiry_habit { /* per rank */
		struct habit is;
		bool made; /* made once, when first asked for: inquiry_habit() */
	} *habits;
	ARRAY(struct draft) drafts;
	ARRAY(struct verdict_not_judged) not_judged;
};

/* -- drafts (draft.c) -------------------------------------------------------------------------- */

/* Begins a finding of that class. The pointer is valid until the next one is begun. */
struct draft *inquiry_draft(struct inquiry *q, enum verdict_class class);
/* Takes the latest finding back. */
void inquiry_drop_draft(struct inquiry *q);

/* Makes the finding no surer than that. */
void draft_at_most(struct draft *draft, enum verdict_confidence confidence);

/*
 * Adds a fact about one rank, or about the job (NO_RANK). The caller fills in its values: a, b and
 * c are JOB_UNKNOWN until then. The pointer is valid until the next fact is added.
 */
struct verdict_fact *draft_fact(struct inquiry *q, struct draft *draft, enum verdict_fact_kind kind,
	struct rank_index rank, const char *cite);

/* Adds a fact about many ranks, likewise. */
struct verdict_fact *draft_fact_of(struct inquiry *q, struct draft *draft,
	enum verdict_fact_kind kind, const struct rank_list *ranks, const char *cite);

/* Returns a copy of a thing in the arena, for a fact. */
const struct verdict_thing *draft_thing(struct inquiry *q, struct verdict_thing thing);
/* Returns the thing that is a frame of a stack; NULL for number -1. */
const struct verdict_thing *draft_frame(
	struct inquiry *q, const struct job_stack *stack, long at);
/* Returns the thing that is an op with its arguments. */
const struct verdict_thing *draft_sig(struct inquiry *q, const struct job_sig *sig);

/* Adds what stopped a rank that stands still: a debugger, or else a signal or the freezer. */
void draft_frozen(struct inquiry *q, struct draft *draft, struct rank_index rank, const char *cite);

/* Adds FACT_CHILD_DIED where the rank lost a child. */
void draft_dead_child(struct inquiry *q, struct draft *draft, struct rank_index rank);
/*
 * Adds the last collective that the rank entered in its largest group, and returns it; NULL, and
 * adds nothing, if it is unknown.
 */
const struct job_op *draft_last_op(
	struct inquiry *q, struct draft *draft, struct rank_index rank);

/*
 * Rules a class out and returns the reason, whose values the caller fills in as above. A class is
 * ruled out once: for one that already is, the reason it has is returned, and `kind` and `cite` are
 * unused.
 */
struct verdict_fact *draft_rule_out(struct draft *draft, enum verdict_class class,
	enum verdict_fact_kind kind, const char *cite);

/* Adds a rank, even if it is there; NO_RANK is no rank and adds nothing. */
void rank_list_add(struct rank_list *list, struct rank_index rank);
/* True if the rank is in the set, in whatever order it is. */
bool rank_list_has(const struct rank_list *list, struct rank_index rank);

/* Takes out the ranks that are marked, by index; the others keep their order. */
void rank_list_leave_out(struct rank_list *list, const bool *marked);

/* Sorts the set and leaves each rank once. */
void rank_list_settle(struct rank_list *list);

/* Returns a copy in the arena, as verdicts carry it; the list stays the draft's. */
struct verdict_ranks rank_list_seal(struct inquiry *q, const struct rank_list *list);

/*
 * Notes that a rule could not be judged for want of something, of a rank or of the job (NO_RANK).
 */
void inquiry_not_judged(struct inquiry *q, enum verdict_class class, enum verdict_need need,
	struct rank_index rank);
/* Notes that for each of these ranks; does nothing where there are none. */
void inquiry_not_judged_each(struct inquiry *q, enum verdict_class class, enum verdict_need need,
	const struct rank_list *ranks);
/* Notes that for the group of that name, or the operation with that index. */
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

/*
 * True if `a` is the longer wait. Of waits without a known age the one that began first is longer.
 */
bool inquiry_waits_longer(const struct wait *a, const struct wait *b);

/* Returns the wait of a rank that has stood longest; NULL where none stands. */
const struct wait *inquiry_longest_wait(const struct inquiry *q, struct rank_index rank);

/*
 * True if the rank waits, and what for is known: it does not come to anything else. An operation
 * that only its stack tells, or that a device has, may be any.
 */
bool inquiry_has_gone_elsewhere(const struct inquiry *q, struct rank_index rank);

/*
 * True if a member may come to the fork yet, or has come, on whichever side: it lives, did not
 * enter it as far as is known, and has not gone elsewhere.
 */
bool inquiry_may_come_to(
	const struct inquiry *q, const struct fork *fork, const struct job_member *m);

/*
 * Returns since when others wait for a rank, by standing waits that its own seats lack: a time of
 * the rank's own clock, off by some seconds at most. JOB_UNKNOWN where nobody waits for it, or only
 * ranks whose clocks tell no such time.
 */
int64_t inquiry_wanted_since(const struct inquiry *q, struct rank_index rank);
/*
 * When a rank was looked at, relative to the waits of others for it. Nodes are looked at one after
 * the other: a rank that was seen only before the others waited was in its own code like everybody,
 * and may have come since.
 */
enum inquiry_look {
	LOOKED_SINCE,   /* when some had waited for half a hang's time; also of a rank that
			 * nobody waits for, of one that has ended, and in a job on one host */
	LOOKED_BEFORE,  /* before any had waited for so long; or before it went on, as is
			 * known by looks at others */
	LOOKED_WHENEVER /* unknown: their clocks never met, or may be off by that much */
};
enum inquiry_look inquiry_look(const struct inquiry *q, struct rank_index rank);
/* The same of a rank that others wait for, as if it had not ended. */
enum inquiry_look inquiry_look_alive(const struct inquiry *q, struct rank_index rank);
/*
 * Tells whether another rank had ended badly when this one did, and not, by its own words, because
 * a peer was gone. MAYBE where no clock tells.
 */
enum job_known inquiry_ended_after_another(const struct inquiry *q, struct rank_index rank);
/*
 * Tells whether others had long waited for this rank when it ended: then its end is not the reason.
 * MAYBE where their clocks do not tell.
 */
enum job_known inquiry_late_before_end(const struct inquiry *q, struct rank_index rank);

/*
 * Finds the hosts that fell silent together with their ranks, which then stand for good
 * (lost-hosts.c). Needs waits, profiles and thresholds.
 */
void inquiry_find_lost_hosts(struct inquiry *q);
/* Finds what is to be known of ranks that no table has (start.c). Needs seats. */
void inquiry_find_unseen(struct inquiry *q);
/*
 * Returns the ns from the last word of a host's agent to the latest look at any host; JOB_UNKNOWN.
 */
int64_t inquiry_silence(const struct inquiry *q, int host);

/* True if that rank is held in a wait of that kind; its age goes to *ret_age if not NULL. */
bool inquiry_held_in(
	const struct inquiry *q, struct rank_index rank, enum wait_kind kind, int64_t *ret_age);

/* Returns the rank's habit, which is made once and belongs to the inquiry. */
const struct habit *inquiry_habit(const struct inquiry *q, struct rank_index rank);

/* Returns the op's name, "AllReduce"; "operation" where its details are unknown (NULL). */
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

/* True if operations are known from dumps alone, which tell how far ranks came and no more. */
bool inquiry_by_dumps(const struct inquiry *q);

/* Returns the cite for the operations of all ranks: "ring:*", "flight:*". */
const char *inquiry_cite_all(const struct inquiry *q);

#endif
