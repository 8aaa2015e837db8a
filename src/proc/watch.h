/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_WATCH_H
#define PROC_WATCH_H

/*
 * Waiting for the end of a process that is not our child. A pidfd where the kernel gives one; where
 * it refuses (old kernel, seccomp, gVisor) the caller polls proc_watch_gone() now and then.
 */

#include <stdbool.h>

#include "proc/read.h"

struct proc_watch {
	struct proc_id id;
	int fd; /* a pidfd, readable once the process has ended; -1: poll */
};

/* Starts to watch. Returns 0, or -ESRCH if it is gone already (also as a zombie). */
int proc_watch_open(struct proc_watch *watch, struct proc_id id) __attribute__((nonnull));

/* True if it has ended. Costs one poll() or one small read. */
bool proc_watch_gone(const struct proc_watch *watch) __attribute__((nonnull));

/*
 * How one that has ended did so, as wait() tells it: from its pidfd on kernels that keep the status
 * there (6.15 and later), from its zombie while it is one. Not known if it was reaped before.
 */
bool proc_watch_status(const struct proc_watch *watch, int *ret_wait_status)
	__attribute__((nonnull));

/* Takes NULL and {.fd = -1}. */
void proc_watch_close(struct proc_watch *watch);

#endif
