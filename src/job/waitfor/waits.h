/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waits.h: everything that somebody waits in, at the end of the evidence.
 *
 * At most one collective of each seat is listed: the first that is not complete, or where hosts
 * drive them the one in whose call the host is (waits-place.c). It is
 *	lacking	some seat has, by its own word, not entered it: so it cannot be complete;
 *	sure	known not to be complete: lacking, not returned, or tracking says so;
 *	held	a host thread is inside it, or inside a synchronisation that waits for it. A wait
 *		that is sure and not held keeps a stream waiting, while the host may have gone on.
 * A synchronisation with nothing sure behind it may wait for a collective that nobody tracks:
 * then the last one of each group is listed as held, not sure. Threads of watchdogs poll for
 * ever: they hold nothing. An untracked op of a group in which some seat has no evidence is
 * doubtful: nobody knows whether it could complete; it is listed, so that nothing is concluded
 * from its being over.
 *
 * A message that is begun is waited for where its host waits for it. Where rings tell of no such
 * wait, it is *ahead*: who began a receive may ask for it again and again, which no ring has. So it
 * is neither held nor sure, and keeps its rank only as a guess. Where its ring does not tell of all
 * its threads, or of all that one of them waits for, what was begun is waited for *perhaps*
 * (waits-begun.c).
 */
#ifndef JOB_WAITS_H
#define JOB_WAITS_H

#include "job/job.h"

enum wait_kind {
	WAIT_COLLECTIVE,
	WAIT_P2P,
	WAIT_SPLIT, /* in a split, to which all of the old group must come; index: how many
		     * splits so far */
	WAIT_INIT,  /* in communicator init */
	WAIT_STORE, /* in PyTorch's store, for a key that somebody has yet to set; or in something
		       that no ring tells more of: then the key is one of WAITS_... below */
	WAIT_SYNC,  /* in a synchronisation, for something unknown */
	WAIT_CLOSE, /* in finalize or destroy */
	WAIT_OTHER, /* in some other call of NCCL */
	WAIT_LOCK,  /* for the lock of a file that another rank has: by its stack, outside of all
		       that waits for all */
};

/* Names for waits without a key; no key of a store is called so. */
#define WAITS_SOME_INIT "\n"		/* the init of an unknown communicator */
#define WAITS_SOME_OP	"\n op"		/* an operation that only a stack tells */
#define WAITS_FOR_STORE "\n store"	/* the store itself, which rank 0 opens */
#define WAITS_FOR_RANKS "\n ranks"	/* it has opened the store, and waits there for all
					 * others */

/*
 * What a rank does, by its stack (verdict/activities/activities.h): it waits, or it is elsewhere,
 * the second also if its ring is silent or missing. {0}: its stack tells nothing.
 */
struct waits_told {
	const char *key; /* what it waits for, one of WAITS_...; NULL: nothing that is known */
	int64_t stands;	 /* ns for which it was seen to stand there; JOB_UNKNOWN */
	int64_t watched; /* the part of that in which others were watched, too; JOB_UNKNOWN */
	bool held;	 /* it waits, and was not elsewhere a moment before */
	bool for_zero;	 /* it waits for what rank 0 gives: the store, a unique id */
	bool maybe_zero; /* as far as its stack shows, it may wait for that */
	bool waits;	 /* it waits in something, whatever its ring says */
	bool elsewhere;
	bool asks; /* elsewhere: it may ask there again and again, nobody knows for what */
	bool in_lock; /* it waits, elsewhere, for a file's lock that another rank may have */
	bool lock_known; /* who has the lock is known: */
	struct rank_index lock_rank; /* that rank; NO_RANK: somebody who is no rank */
	const char *lock; /* the file of the lock */
	const char *cite;
};

struct wait {
	enum wait_kind kind;
	struct rank_index rank;
	int member; /* of a split, in the old group; JOB_NONE for SYNC, STORE, LOCK and OTHER */
	int peer;   /* P2P: the peer's seat as member index */
	uint64_t index;
	const struct job_op *op; /* NULL where its details are not known */
	const char *key; /* STORE: its name, "" not known; LOCK: its file; else NULL */
	struct rank_index holder; /* LOCK: the rank that has it */
	int thread;      /* index of the thread that waits; JOB_NONE unknown */
	bool held;
	bool lacking;
	bool sure;
	bool doubtful;
	bool peer_unknown; /* P2P: whether the peer came is not known */
	bool ahead;	   /* P2P: it was begun, and nobody is seen to wait for it */
	bool perhaps;	   /* whether its rank waits for it is not known: a guess */
	int exchange;      /* P2P: the first wait of its exchange; else JOB_NONE */
	int64_t since;     /* realtime, JOB_UNKNOWN; if its thread stood alone, since when its
			    * rank does */
	int64_t aside;     /* ns for which another thread of its rank, outside now, went on before
			      that; 0 none */
	int64_t age;       /* ns until the end of this rank's evidence; JOB_UNKNOWN */
	bool age_unknown;  /* a dump tells of it, and not for how long; dumps are made of hangs */
	const char *cite;
};

/* A message that is waited for, and its wait (index). */
struct wait_of_op {
	const struct job_op *op;
	int at;
};

struct waits {
	struct wait *at; /* by rank, then kind, member, index */
	size_t n;
	struct wait_of_op *of_ops; /* those for messages, by the address of the op */
	size_t nof_ops;
	size_t *first; /* per rank: its waits are at[first[rank] .. first[rank + 1]) */
	int64_t *now;  /* per rank: the end of its evidence, JOB_UNKNOWN */
	bool *beside; /* per rank: a thread of it stands in a collective to which another member
			 has not come, or in a send that nobody receives, while the rank does other
			 things: no wait of its own */
	bool *perhaps; /* per rank: it may be in a wait that is not listed, or listed as a guess */
	struct waits_told *told; /* per rank; {0} of those whose stacks tell nothing */
	bool only_told;	 /* no ring tells of any group or wait: there is only what stacks tell */
};

/*
 * Finds all waits of all ranks: those that rings tell, and, for ranks that none of these holds,
 * what stacks tell (`told`, by rank; NULL: no stacks). Points into the job and into what `told`
 * points to, which must outlive it; never NULL.
 *
 * Where only stacks tell, all these waits get one age: the longest for which any rank that waits,
 * or is elsewhere, was seen to stand, for nobody can have passed one who stands. It is unknown
 * where all who wait may only just have come.
 */
struct waits *waits_new(const struct job *job, const struct waits_told *told);
/* Frees them; NULL is fine. */
void waits_free(struct waits *waits);

/*
 * Finds the waits of one rank whose thread stands alone while the rank does other things: they hold
 * nobody, or only perhaps where it may do so. Other waits of such threads count from when all
 * threads had come to stand (waits-threads.c). `now`: the end of the rank's evidence. True if a
 * thread stands alone in a collective that lacks a member, or in a send that lacks its receive.
 */
bool waits_leave_alone(const struct job *job, int64_t now, struct wait *waits, size_t n);

/* True if only a dump tells how far the rank came, and so what it waits for. */
static inline bool waits_are_by_dump(const struct job_rank *rank)
{
	return (rank->knows & JOB_KNOWS_BOARDS) == JOB_KNOWS_DUMP;
}

/*
 * Finds messages of one rank that nobody tracked, and that are not complete all the same: a device
 * does them behind what lacks somebody (waits-begun.c).
 */
void waits_find_behind(const struct job *job, struct wait *waits, size_t n);

/*
 * What a thread that synchronises waits for (waits-meant.c). waits_cover() is true if that includes
 * what `wait` is for, and sets `perhaps` where it is not known. waits_later() returns the
 * collective of that seat behind a sure one that the thread waits for instead; NULL: there is none.
 */
bool waits_cover(const struct job *job, const struct job_thread *thread, struct wait *wait);
const struct job_op *waits_later(
	const struct job *job, const struct job_thread *thread, const struct wait *wait);

/*
 * Of several things that a host waits for (the thread of that index), lets those to which all have
 * come hold nobody where another one lacks somebody: they may be over. So too where it is unknown
 * whether the thread waits for that other one. `waits`: those of the thread's rank.
 */
void waits_leave_met(const struct job_thread *thread, int index, struct wait *waits, size_t n);

/*
 * In which of its group's collectives a seat waits (waits-place.c). waits_place() returns the index
 * of that one; beyond head: it waits in none. `rear`: up to where all seats that speak have come.
 * waits_past_nothing() returns the first index from `first` on whose op somebody waits for; beyond
 * head: there is none. waits_unreturned() returns the last op, at or behind `from`, in whose call
 * the host still is; NULL: none.
 */
uint64_t waits_place(const struct job *job, const struct job_member *m, uint64_t rear);
uint64_t waits_past_nothing(const struct job *job, const struct job_member *m, uint64_t first);
const struct job_op *waits_unreturned(const struct job_member *m, uint64_t from);

/*
 * Tells by its stack whether a thread, outside of every recorded call, waits for another one of its
 * process; JOB_MAYBE where no stack tells.
 */
enum job_known waits_joins(const struct job *job, const struct job_thread *thread);

/*
 * Tells whether one thread launched both ops of a rank; MAYBE where the thread of one of them is
 * not known: in dumps, and where its lane of the ring had several.
 */
enum job_known waits_of_one_thread(const struct job_op *a, const struct job_op *b);

/*
 * Returns the thread (index) that called all of these ops; JOB_NONE: several did, or there are
 * none.
 */
int waits_caller(const struct job_op *ops, size_t n);

/* True if it is the main thread of its rank's process. */
bool waits_is_main(const struct job *job, const struct job_thread *thread);

/*
 * Judges what was begun and by whom it is waited for (waits-begun.c), among the waits of one rank.
 * Finds which messages are `ahead`; they keep nobody, not even as a guess, where it is known what
 * all threads of the rank do instead. `told`: what its stack tells; NULL: nothing.
 */
void waits_find_ahead(const struct job *job, struct rank_index rank, const struct waits_told *told,
	struct wait *waits, size_t n);
/* True if the rank lives and may be in a wait that its ring does not tell, nor its stack denies. */
bool waits_hide(const struct job *job, struct rank_index rank, const struct waits_told *told);
/* True if what was begun there keeps a rank only while a host waits for it. */
bool waits_keep_only_who_waits(const struct job *job, const struct wait *wait);

/*
 * Finds which sends and receives stand or fall together: sets `exchange` of each wait, and
 * `of_ops` (waits-exchange.c).
 */
void waits_join_exchanges(struct waits *waits, const struct job *job);
/* Returns the wait (index) for that message; JOB_NONE where nobody waits for it. */
int waits_for_message(const struct waits *waits, const struct job_op *op);

/* True if the wait is in the init of an unknown communicator. */
bool waits_in_some_init(const struct wait *wait);

/* True if the wait is for `what`, one of WAITS_... */
bool waits_is_for(const struct wait *wait, const char *what);
/* True if only a stack tells of the wait. */
bool waits_is_told(const struct wait *wait);

/* True if a thread of this name only watches others ("pt_nccl_watchdg", "pt_nccl_heartbt"). */
bool waits_is_watchdog(const char *thread_name);
/*
 * True if a thread of this name computes for another one, which waits for it meanwhile: what both
 * call is in one order ("pt_autograd_0", as the libtorch_cpu of PyTorch 2.15 names its own).
 */
bool waits_is_engine(const char *thread_name);

#endif
