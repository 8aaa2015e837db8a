/* SPDX-License-Identifier: Apache-2.0 */
/* told.h: who sent a rank which signal, and which of these signals ordered it to end. */
#ifndef VERDICT_TOLD_H
#define VERDICT_TOLD_H

#include "verdict/profiles/profile.h"

/* True for signals by which somebody asks a process to end. */
bool told_is_order(int signo);

/*
 * True if another process or a terminal sent the signal: neither the rank itself, nor the kernel
 * for a fault.
 */
bool told_from_outside(const struct job *job, const struct job_signal *signal);

/*
 * True if the sender of a signal is an ancestor of the rank, or runs the job without being any
 * rank's process. A sender without a pid in the rank's namespace may be anybody, and a terminal may
 * belong to one rank alone.
 */
bool told_by_launcher(const struct job *job, const struct job_signal *signal);

/*
 * True if a rank that ended at `when` may have obeyed the signal that told the job's launcher to
 * end: that goes to the ranks, too, by a whole process group or by the launcher, one after the
 * other.
 */
bool told_with_launcher(const struct job *job, int64_t when);

/*
 * Fills in, from each rank's own process, the fatal signal (`fatal`), the one it sent to itself
 * (`own_end`), and the first order that came from outside (`told`).
 */
void told_find(const struct job *job, struct profile *profiles);

#endif
