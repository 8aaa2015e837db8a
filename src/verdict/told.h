/* SPDX-License-Identifier: Apache-2.0 */
/* told.h: who sent a rank which signal, and which of them told it to end. */
#ifndef VERDICT_TOLD_H
#define VERDICT_TOLD_H

#include "verdict/profile.h"

/* True for signals by which somebody asks a process to end. */
bool told_is_order(int signo);

/*
 * True if another process sent it, or a terminal: neither the rank itself, nor the kernel for a
 * fault.
 */
bool told_from_outside(const struct job *job, const struct job_signal *signal);

/*
 * True if its sender stands above the rank, or runs the job without being of any rank. Who has no
 * number where the rank is may be anybody, and a terminal may be that of one rank alone.
 */
bool told_by_launcher(const struct job *job, const struct job_signal *signal);

/*
 * Reads of each rank's own process what was fatal (`fatal`), what it sent to itself (`own_end`),
 * and the first order that came from outside (`told`).
 */
void told_find(const struct job *job, struct profile *profiles);

#endif
