/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_HELPER_H
#define PROC_HELPER_H

/*
 * Has work that may block for ever, end badly or take long done in a forked helper. This is the one
 * way in which another process of ours does something for us: a stuck file system, a target's mmap
 * lock or a crash costs the helper, and whoever asked has a deadline.
 *
 * A helper answers by messages through a pipe, or into a descriptor that it was given. It has no
 * other descriptor of ours (0, 1 and 2 are /dev/null), so that one that is stuck keeps no terminal
 * or pipe open. Handlers of our signals do not run in it. It ends when the thread that started it
 * ends. The parent may have threads: glibc keeps malloc() usable in the child.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

/* A helper at work; {0} if there is none. */
struct helper {
	pid_t pid;     /* 0: none */
	/* where its messages come from, and can be polled; -1: it answers elsewhere */
	int fd;
	int64_t begun; /* when it was started, in ns of CLOCK_MONOTONIC */
};

/* What a helper does, in a copy of all our memory. The helper ends when this returns. */
typedef void (*helper_work)(int out, void *arg);

/* --- Who asks --------------------------------------------------------------------------------- */

/* Starts a helper that answers by messages. Returns 0, or -errno and there is none. */
int helper_start(struct helper *helper, helper_work work, void *arg) __attribute__((nonnull(1, 2)));

/*
 * Starts a helper that writes its answer into `out`, a socket or a file, which stays the caller's.
 * Returns 0 or -errno.
 */
int helper_start_into(struct helper *helper, int out, helper_work work, void *arg)
	__attribute__((nonnull(1, 3)));

/*
 * Waits for the next message, which replaces ret. Returns 1 if there is one; 0 if the helper has
 * done its work; -ETIMEDOUT if none came by `until` (ns of CLOCK_MONOTONIC); -EPIPE if the helper
 * ended before its work was done.
 */
int helper_receive(struct helper *helper, int64_t until, struct str *ret) __attribute__((nonnull));

/*
 * True if no helper is at work any more: it has ended by itself, or because it was at work for
 * longer than `most` ns and was killed (it may take until the next call to be gone). Then *ret_cost
 * becomes what it cost, in ns of processor time, and *ret_status its wait status; both may be NULL.
 * Never blocks.
 */
bool helper_is_over(struct helper *helper, int64_t most, int64_t *ret_cost, int *ret_status)
	__attribute__((nonnull(1)));

/* Kills the helper, if there is one. One that the kernel cannot end yet is left behind. */
void helper_end(struct helper *helper) __attribute__((nonnull));

/* Lets the helper go on alone: nobody listens to it any more. */
void helper_let_go(struct helper *helper) __attribute__((nonnull));

/* --- In the helper ---------------------------------------------------------------------------- */

/* Sends one message of two parts. Returns false if nobody listens any more. */
bool helper_send(int out, const void *head, size_t head_len, const void *body, size_t body_len);

/* Lets the helper outlive us from here on, under this name of at most 15 bytes. */
void helper_outlive(const char *name) __attribute__((nonnull));

#endif
