/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CAPTOR_H
#define PROC_CAPTOR_H

/*
 * Work that may block for ever, or end badly, done in a forked helper that may be left behind. It
 * reports by messages through a pipe; whoever waits for one does so with a deadline. As
 * proc/errand.h, but the work is the caller's and may allocate.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct captor {
	pid_t pid; /* 0: not running */
	int fd;
};

/*
 * Forks a helper that runs work and ends. It has no descriptor of ours but `out`, so that one that
 * is stuck keeps no terminal or pipe open, and takes no part in our signals. 0 or -errno.
 */
int captor_start(struct captor *captor, void (*work)(int out, void *arg), void *arg)
	__attribute__((nonnull(1, 2)));

/* In the helper: one message of two parts. False where nobody listens any more. */
bool captor_send(int out, const void *head, size_t head_len, const void *body, size_t body_len)
	__attribute__((nonnull(2)));

/*
 * The next message, replacing ret. 1 it is there; 0 the helper has done its work; -ETIMEDOUT it was
 * not there at `until` (monotonic ns); -EPIPE the helper ended before its work was done.
 */
int captor_receive(struct captor *captor, int64_t until, struct str *ret) __attribute__((nonnull));

/* Ends the helper; one that the kernel cannot end yet is left behind. */
void captor_end(struct captor *captor) __attribute__((nonnull));

#endif
