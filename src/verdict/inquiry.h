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
#include "job/waitfor/waitfor.h"
#include "verdict/profile.h"
#include "verdict/verdict.h"

/* A set of rank indexes that grows. */
struct rank_list {
	ARRAY(struct rank_index) list;
};

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
	int64_t *threshold_init;
	enum waitfor_stand *stands;
	bool *stopped;
	uint64_t *forked;
	bool *lost_hosts; /* per host */
	struct by_rank seats;
	struct waitfor_given given;
	struct waitfor *graph;
	bool *wanted; /* per rank: a standing wait of another leads to it */
	bool standstill; /* nobody waits in a ring, and yet all that live stand */
	bool groups_clash; /* ranks made groups in different orders: the graph misleads */
	struct verdict_early early;
	ARRAY(struct draft) drafts;
	ARRAY(struct verdict_not_judged) not_judged;
};

/* -- drafts (draft.c) -------------------------------------------------------------------------- */

/* A new finding of that class; valid until the next one is begun. */
struct draft *inquiry_draft(struct inquiry *q, enum verdict_class class);

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
/* Adds which child of it lives and is stopped, if any is. */
void draft_stopped_child(struct inquiry *q, struct draft *draft, struct rank_index rank);

/*
 * The class does not apply, and why; the caller fills in values as above. A class is ruled out
 * once: of one that already is, the reason there comes back, `kind` and `cite` unused.
 */
struct verdict_fact *draft_rule_out(struct draft *draft, enum verdict_class class,
	enum verdict_fact_kind kind, const char *cite);

/* Adds a rank, even if it is there; NO_RANK is no rank and adds nothing. */
void rank_list_add(struct rank_list *list, struct rank_index rank);
/* True if it is there: looks at all, sorted or not. */
bool rank_list_has(const struct rank_list *list, struct rank_index rank);

/* Sorted, each once. */
void rank_list_settle(struct rank_list *list);

/* A copy in the arena, as verdicts carry it; the list stays the draft's. */
struct verdict_ranks rank_list_seal(struct inquiry *q, const struct rank_list *list);

/* Says that a rule could not be judged for want of something, of a rank or the job (NO_RANK). */
void inquiry_not_judged(struct inquiry *q, enum verdict_class class, enum verdict_need need,
	struct rank_index rank);
/* The same of each of these, which it lacks of all alike; nothing where there are none. */
void inquiry_not_judged_each(struct inquiry *q, enum verdict_class class, enum verdict_need need,
	const struct rank_list *ranks);
/* The same of the group of that name, or of the operation with that index. */
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

/* True if the one is the longer wait: where no age is known, the one that began first. */
bool inquiry_waits_longer(const struct wait *a, const struct wait *b);

/* The wait of a rank that stands longest; NULL where none does. */
const struct wait *inquiry_longest_wait(const struct inquiry *q, struct rank_index rank);

/*
 * Since when others wait for a rank, by standing waits that its own seats lack; a time of the
 * rank's own clock, off by some seconds at most. JOB_UNKNOWN where nobody does, or only ranks whose
 * clocks tell no such time.
 */
int64_t inquiry_wanted_since(const struct inquiry *q, struct rank_index rank);
/*
 * When a rank was looked at, by the waits of others for it. Nodes are looked at one after the
 * other: a rank that was seen only before the others waited was in its own code like everybody, and
 * may have come since.
 */
enum inquiry_look {
	LOOKED_SINCE,   /* when some had waited for half as long as makes a hang; also where nobody
			   waits for it, of who has ended, and of a job on one host */
	LOOKED_BEFORE,  /* before any had waited for so long */
	LOOKED_WHENEVER /* nobody knows: their clocks never met, or may be off by as much */
};
enum inquiry_look inquiry_look(const struct inquiry *q, struct rank_index rank);
/*
 * True if others had long waited for this rank when it ended: then its end is not the reason. MAYBE
 * where their clocks do not tell.
 */
enum job_known inquiry_late_before_end(const struct inquiry *q, struct rank_index rank);

/* ns from the last word of a host's agent to the latest look at any host; JOB_UNKNOWN. */
int64_t inquiry_silence(const struct inquiry *q, int host);

/* True if that rank is held in a wait of that kind; its age goes to *ret_age if not NULL. */
bool inquiry_held_in(
	const struct inquiry *q, struct rank_index rank, enum wait_kind kind, int64_t *ret_age);

/* "AllReduce"; the op's name, where its details are known, else "operation". */
const char *inquiry_op_name(const struct job_op *op);

/* True if operations of this rank may be among what was lost. */
bool inquiry_lost_ops(const struct inquiry *q, struct rank_index rank);

/*
 * Returns what the evidence of the whole job lacks (bounds.c); the ranks of which it lacks are
 * added to `lacking`, where it is not NULL.
 */
enum verdict_lack inquiry_lack(const struct inquiry *q, struct rank_list *lacking);

/* How many ranks have no readable boards; those that were never seen are among them. */
size_t inquiry_unreadable(const struct inquiry *q);

/* How many members of a group nothing is known of, in or out of it. */
size_t inquiry_unseen_members(const struct inquiry *q, int group);

/*
 * True if every rank that the job is known to have was seen: only then says what none of them shows
 * that it is not there. It is never true of a job of unknown size.
 */
bool inquiry_all_seen(const struct inquiry *q);

/* True if all that is known of operations is from dumps: they tell how far ranks came, no more. */
bool inquiry_by_dumps(const struct inquiry *q);

/* Cites what tells of the operations of all ranks: "ring:*", "flight:*". */
const char *inquiry_cite_all(const struct inquiry *q);

#endif
