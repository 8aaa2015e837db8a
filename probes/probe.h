/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe.h: the heart of the probe: which process this is, which ring it writes, and how a wrapper
 * begins.
 *
 * LIFE OF A PROCESS
 *   dormant    before our constructor, or switched off: every call passes through
 *   counted    the constructor claimed a census slot; no ring, nothing is recorded
 *   candidate  its first mark, span or death made a small ring (generation 0)
 *   rank       its first communicator made the full ring; threads switch over, readers join both
 * A forked child begins anew as "not counted": it keeps nothing of its parent's, and claims its own
 * slot at its first own act, so that the many children that do nothing cost nothing.
 *
 * THE EPOCH is how a thread learns all of this with one comparison. It is a word in a page that the
 * kernel wipes in forked children (MADV_WIPEONFORK; where that is missing an atfork handler does
 * it). 0 means forked, dormant or not yet born. Each new ring raises it. A thread whose own epoch
 * differs takes the slow path once: it joins the present ring, or learns that there is none.
 *
 * A vfork child shares all memory with its parent, this too. It must do nothing here: the functions
 * that it may reach (sigaction, _exit, exec, write) ask the kernel for the pid first.
 *
 * HOT PATH: probe_enter() ... record ... probe_leave(): no syscall, no lock, no allocation.
 */
#ifndef PROBES_PROBE_H
#define PROBES_PROBE_H

#include <stdint.h>

#include "probes/hook.h"
#include "ring/ring-write.h"

#define PROBE_QUEUE 1024 /* ops of one group launch that can be told apart */
/* Ticks after which an anchor is old: one to four seconds of a TSC; four of nanoseconds. */
#define PROBE_ANCHOR_TICKS (1ull << 32)
/* in place of an epoch: the thread looks before it stores (mapping.h) */
#define PROBE_LOOKS UINT64_MAX

/* What could not be recorded, by kind; these become the ring's losses. */
enum probe_loss {
	PROBE_LOST_RECORDS,
	PROBE_LOST_GROUPS,
	PROBE_LOST_UNRESOLVED,
	PROBE_LOST_FORKED,
	PROBE_LOST_COMPLETIONS,
	PROBE_LOSSES
};

/* What a caller needs before it can record. */
enum probe_need {
	PROBE_NEED_NOTHING,   /* record only if there is a ring already */
	PROBE_NEED_CANDIDATE, /* a death: worth a small ring */
	PROBE_NEED_WITNESS,   /* a mark: likewise, and the environment may be read (no handler) */
	PROBE_NEED_RANK,      /* a communicator: this process is a rank */
};

/* An op inside an explicit group: called, and entered only when the outermost group ends. */
struct probe_op {
	struct ring_record r;
	struct ring_entered entered;
	int group;
};

#define PROBE_STANDING_OPS 2

/* The call of MPI that a thread is in, noted in case it never returns (mpi/mpi-left.c). */
struct probe_standing {
	const volatile uint64_t *mark; /* a word in the call's frame; NULL: no call */
	uint64_t serial;	       /* the value that the word has is made of this */
	int fortran;
	uint32_t nops; /* how many ops it has entered */
	struct {
		uint64_t number; /* work.h */
		struct ring_entered entered;
	} ops[PROBE_STANDING_OPS];
	struct ring_record end; /* the record of its return; meta 0: nothing is on the board */
};

/* What a thread asked about that was not ready yet: struct probe_thread's `polling`. */
enum {
	PROBE_POLLS_WORK = 1,
	PROBE_POLLS_COMM = 2, /* a non-blocking communicator */
};

/*
 * A thread's own state, in pages of its own, made at its first recorded call and freed at its end.
 */
struct probe_thread {
	uint64_t joined; /* the epoch in which the thread got its lane */
	uint64_t epoch;  /* the same, or PROBE_LOOKS (mapping.h) */
	struct ring_writer *ring;
	struct ring_lane *lane; /* NULL: the shared overflow lane */
	uint32_t depth;         /* > 0 inside a real function, whose inner calls are not the
				 * program's */
	uint32_t tid;
	uint32_t group_depth;  /* open ncclGroupStart */
	uint32_t queued;       /* ops in `queue` */
	uint32_t births;       /* communicators in `born` */
	uint32_t polling;      /* the board shows a poll that was not ready: PROBE_POLLS_... */
	uint64_t group_ticket; /* of the outermost open ncclGroupStart */
	uint64_t unique_key;   /* of the latest id that NCCL made inside a call of ours */
	uint64_t unique_alias;
	struct {
		void **comm; /* where NCCL will put the handle when the group ends */
		int group;
	} born[64];
	void *altstack; /* the alternate signal stack that we gave it, or NULL */
	struct probe_standing standing;
	struct probe_op queue[PROBE_QUEUE];
};

extern __thread struct probe_thread *probe_me;
extern const uint64_t *probe_epoch;

/*
 * The slow path of probe_enter(): makes what is needed, and joins the ring. Returns NULL if nothing
 * can be recorded (counted). In a signal handler only with PROBE_NEED_NOTHING or _CANDIDATE.
 */
struct probe_thread *probe_enter_slow(enum probe_need need);

/*
 * Begins a recorded call. Returns the calling thread, marked as inside; or NULL if the call is
 * nested in another, or there is nothing to record into: the wrapper then only passes it through.
 */
static inline struct probe_thread *probe_enter(void)
{
	struct probe_thread *me = probe_me;

	if (hook_unlikely(!me || me->epoch != __atomic_load_n(probe_epoch, __ATOMIC_ACQUIRE)))
		me = probe_enter_slow(PROBE_NEED_NOTHING);
	if (!me || me->depth)
		return NULL;
	me->depth = 1;
	return me;
}

/* Does the same for a call that is worth a ring of its own. */
struct probe_thread *probe_enter_needing(enum probe_need need);

static inline void probe_leave(struct probe_thread *me)
{
	me->depth = 0;
}

/*
 * Returns the time by the ring's clock, for what is stored next; refreshes the clock anchor if the
 * last one is old.
 */
void probe_now_slow(struct probe_thread *me, uint64_t now);

static inline uint64_t probe_now(struct probe_thread *me)
{
	uint64_t now = ring_writer_now(me->ring);

	if (hook_unlikely(now - ring_load(&me->ring->anchor_tsc) > PROBE_ANCHOR_TICKS ||
			  me->epoch == PROBE_LOOKS))
		probe_now_slow(me, now);
	return now;
}

/* Records into the caller's lane, or into the overflow lane. Returns the ticket. */
static inline uint64_t probe_put(struct probe_thread *me, uint64_t now, const struct ring_record *r)
{
	return ring_put(me->ring, me->lane, now, r);
}

/* Shows a record on the board of the caller's lane, if it has one. */
static inline void probe_board(struct probe_thread *me, uint64_t now, const struct ring_record *r)
{
	if (hook_likely(me->lane))
		ring_lane_board(me->lane, now, r);
}

/* Shows on that board that the thread is in no call. */
static inline void probe_idle(struct probe_thread *me, uint64_t now)
{
	if (hook_likely(me->lane))
		ring_lane_idle(me->lane, now);
}

/* Counts a loss: in the ring, or in the process until there is one. */
void probe_lose(enum probe_loss what);

#endif
