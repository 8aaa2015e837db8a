/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_SLEEP_CLOCK_H
#define PROC_SLEEP_CLOCK_H

/*
 * Tells since when a thread sleeps. The scheduler notes when it last charged a thread for running,
 * and a thread that is blocked was charged last as it left its processor: se.exec_start of
 * /proc/PID/task/TID/sched (kernel/sched/debug.c; update_curr() of fair.c, rt.c, deadline.c). That
 * time is by the clock of one processor, which leaves out interrupts and the time that a hypervisor
 * took, so that no two such clocks need agree. A thread of our own that has just been scheduled on
 * that processor tells what its clock shows now.
 *
 * Each step errs to the same side: the clock is read once and ages, so that a sleep is never said
 * to be longer than it was. Without that file, or on a processor that we may not run on or that
 * lets nobody else run, nothing is known. Nothing in the target notices.
 */

#include <stdint.h>

struct sleep_clock;

/* Returns a clock, never NULL, which has read nothing yet; sleep_clock_free() it. */
struct sleep_clock *sleep_clock_new(void);

/*
 * Returns for how many ns, at least, a thread had been blocked when `sched`, the text of its file,
 * was read; 0 not known. `processor` is where it last ran.
 */
uint64_t sleep_clock_since(struct sleep_clock *clock, const char *sched, uint32_t processor)
	__attribute__((nonnull));

/* Takes NULL. */
void sleep_clock_free(struct sleep_clock *clock);

#endif
