/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_WATCH_H
#define PROC_WATCH_H

/*
 * Waits for the end of a process that is not our child, by a pidfd if the kernel gives one. Where
 * it refuses (an old kernel, seccomp, gVisor) the caller polls proc_watch_gone() now and then.
 */

#include <stdbool.h>

#include "proc/read.h"

struct proc_watch {
	struct proc_id id;
	/* a pidfd, which is readable once the process has ended; -1: there is none, so poll */
	int fd;
};

/* Starts to watch a process. Returns 0, or -ESRCH if it is gone already (also as a zombie). */
int proc_watch_open(struct proc_watch *watch, struct proc_id id) __attribute__((nonnull));

/* True if the process has ended. Costs one poll() or one small read. */
bool proc_watch_gone(const struct proc_watch *watch) __attribute__((nonnull));

/*
 * Tells how a process that has ended did so, as wait() would: by its pidfd on kernels that keep the
 * status there (6.15 and later), else by its zombie while there is one. Returns false if that is
 * not known, since it was reaped before.
 */
bool proc_watch_status(const struct proc_watch *watch, int *ret_wait_status)
	__attribute__((nonnull));

/* Ends the watch. Takes NULL and {.fd = -1}. */
void proc_watch_close(struct proc_watch *watch);

#endif
