/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_PEEK_H
#define PROC_PEEK_H

/*
 * Looks at threads without stopping them: where each stands, and a copy of its stack. A run count
 * that is the same before and after proves that both are of one moment. A thread that moved
 * meanwhile is looked at again, a few times. One that runs whenever we look stays without a stack.
 */

#include "base/array.h"
#include "proc/threads/livemem.h"
#include "proc/threads/threads.h"
#include "stack/maps.h"
#include "stack/snapshot.h"

struct peek_thread {
	struct snapshot_thread facts;
	struct livemem_piece stack; /* a copy, livemem's; bytes NULL: none */
	bool settled;		    /* there is nothing more to learn of it by peeking */
};

struct peek {
	/* Given: */
	const struct threads *threads;
	struct arena *arena; /* of the facts' texts */
	size_t cap;	     /* threads listed, at most */
	size_t stack_cap;    /* bytes copied of each stack, at most */
	/* Found: */
	ARRAY(struct peek_thread) all; /* by tid; those of peek_add() at the end */
	size_t left_out; /* threads beyond the cap */
};

/*
 * Lists the threads and reads their facts. Threads that have not run since `before` (NULL: there is
 * none) are UNMOVED and keep the facts of then. Returns 0 or -errno.
 */
int peek_list(struct peek *peek, const struct snapshot *before) __attribute__((nonnull(1)));

/* Adds a thread that appeared after the list was made, at the end, and reads its facts. */
struct peek_thread *peek_add(struct peek *peek, uint32_t tid) __attribute__((nonnull));

/*
 * Copies the stacks of all threads that are not settled, and says how each was seen: PEEKED,
 * RUNNING or FAILED.
 */
void peek_stacks(struct peek *peek, const struct stack_maps *maps, struct livemem *livemem)
	__attribute__((nonnull));

/* Returns the piece of memory to copy for a thread whose stack pointer is `sp`. */
struct livemem_piece peek_piece(const struct peek *peek, const struct stack_maps *maps, uint64_t sp)
	__attribute__((nonnull));

/*
 * True if a thread waits where it waited: in the same system call at the same place, or in that
 * call's restart after a stop. Whether it did so all the while only its run count tells.
 */
bool peek_waits_again(const struct threads *threads, const struct snapshot_thread *was)
	__attribute__((nonnull));

/* Marks as `moved` the threads that have run since they were looked at. */
void peek_check(struct peek *peek) __attribute__((nonnull));

/* Frees the list; the copies are livemem's. Takes NULL. */
void peek_release(struct peek *peek);

#endif
