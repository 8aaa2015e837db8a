/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_LEFTOVER_H
#define PROC_LEFTOVER_H

/*
 * Helpers that were killed and left behind, since the kernel would not end them at once: a thread
 * in uninterruptible sleep, or a machine that has no time for them. They end later, and nobody
 * waits for them then; a long-lived agent would collect them, as zombies, for ever.
 */

#include <sys/types.h>

/* In the helper: what it is called, so that it is known for one of ours. */
void leftover_name(void);

/* The helper is ours no more: it gets a process group of its own, which marks it. */
void leftover_leave(pid_t pid);

/* Waits for those that were left by this thread, and have ended meanwhile. */
void leftover_reap(void);

#endif
