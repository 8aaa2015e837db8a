/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_HELPER_H
#define PROC_HELPER_H

/*
 * Work that may block for ever, end badly or take long, done in a forked helper. This is the one
 * way in which we have something done by another process of ours: a stuck file system, a target's
 * mmap lock or a crash costs the helper, and whoever asked has a deadline.
 *
 * A helper answers by messages through a pipe, or into a descriptor that it was given. It has no
 * descriptor of ours but that one (0, 1 and 2 are /dev/null), so that one that is stuck keeps no
 * terminal or pipe open; handlers of our signals do not run in it; it ends when the thread that
 * started it ends. The parent may have threads: glibc keeps malloc() usable in the child.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

/* {0}: none is at work. */
struct helper {
	pid_t pid;     /* 0: none */
	int fd;	       /* where its messages come from, to poll; -1: it answers elsewhere */
	int64_t begun; /* CLOCK_MONOTONIC ns */
};

/* What a helper does, in a copy of all our memory; then it ends. */
typedef void (*helper_work)(int out, void *arg);

/* --- Who asks --------------------------------------------------------------------------------- */

/* Starts one that answers by messages. 0 or -errno; then there is none. */
int helper_start(struct helper *helper, helper_work work, void *arg) __attribute__((nonnull(1, 2)));

/* Starts one that writes its answer into `out`, a socket or a file, which stays the caller's. */
int helper_start_into(struct helper *helper, int out, helper_work work, void *arg)
	__attribute__((nonnull(1, 3)));

/*
 * The next message, replacing ret. 1 it is there; 0 the helper has done its work; -ETIMEDOUT it was
 * not there at `until` (monotonic ns); -EPIPE the helper ended before its work was done.
 */
int helper_receive(struct helper *helper, int64_t until, struct str *ret) __attribute__((nonnull));

/*
 * Never blocks. True if none is at work any more: it has ended by itself, or because it was at work
 * for longer than `most` ns (killed; it may take until the next call to be gone). What it cost, in
 * ns of processor time, goes to *ret_cost where that is not NULL. The wait status goes to
 * ret_status.
 */
bool helper_is_over(struct helper *helper, int64_t most, int64_t *ret_cost, int *ret_status)
	__attribute__((nonnull(1)));

/* Ends the helper; one that the kernel cannot end yet is left behind. */
void helper_end(struct helper *helper) __attribute__((nonnull));

/* Lets it go on alone: nobody listens to it any more. */
void helper_let_go(struct helper *helper) __attribute__((nonnull));

/* --- In the helper ---------------------------------------------------------------------------- */

/* One message of two parts. False where nobody listens any more. */
bool helper_send(int out, const void *head, size_t head_len, const void *body, size_t body_len);

/* From here on it outlives us, under this name of at most 15 bytes. */
void helper_outlive(const char *name) __attribute__((nonnull));

#endif
