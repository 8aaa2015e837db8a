/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_PEEK_H
#define PROC_PEEK_H

/*
 * Threads looked at without stopping them: where each stands, and its stack, copied. A run count
 * that is the same before and after proves that both are of one moment. A thread that moved
 * meanwhile is looked at again, a few times; who runs whenever we look stays without a stack.
 */

#include "base/array.h"
#include "proc/threads/livemem.h"
#include "proc/threads/threads.h"
#include "stack/maps.h"
#include "stack/snapshot.h"

struct peek_thread {
	struct snapshot_thread facts;
	struct livemem_piece stack; /* copied; bytes NULL none */
	bool settled;		    /* nothing more to learn of it by peeking */
};

struct peek {
	/* Given: */
	const struct threads *threads;
	struct arena *arena; /* of the facts' texts */
	size_t cap;	     /* threads at most */
	size_t stack_cap;    /* bytes of each stack */
	/* Found: */
	ARRAY(struct peek_thread) all; /* by tid */
	size_t left_out; /* threads beyond the cap */
};

/*
 * Lists the threads and reads their facts. Threads that have not run since `before` (NULL: no such)
 * are UNMOVED, with the facts of then. 0 or -errno.
 */
int peek_list(struct peek *peek, const struct snapshot *before) __attribute__((nonnull(1)));

/* One more thread, at the end, that appeared after the list was made. */
struct peek_thread *peek_add(struct peek *peek, uint32_t tid) __attribute__((nonnull));

/*
 * Copies the stacks of all threads that are not settled, and says how each was seen: PEEKED,
 * RUNNING or FAILED.
 */
void peek_stacks(struct peek *peek, const struct stack_maps *maps, struct livemem *livemem)
	__attribute__((nonnull));

/* The stack of a thread that stands at sp: what is to be copied. */
struct livemem_piece peek_piece(const struct peek *peek, const struct stack_maps *maps, uint64_t sp)
	__attribute__((nonnull));

/*
 * True if a thread waits where it waited: in that call at that place, or in its restart after a
 * stop. That it did so all the while the run count has to tell.
 */
bool peek_waits_again(const struct threads *threads, const struct snapshot_thread *was)
	__attribute__((nonnull));

/* Marks those that have run since they were looked at: `moved`. */
void peek_check(struct peek *peek) __attribute__((nonnull));

/* Takes NULL. */
void peek_release(struct peek *peek);

#endif
