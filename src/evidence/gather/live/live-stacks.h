/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LIVE_STACKS_H
#define EVIDENCE_LIVE_STACKS_H

/* The part of live gathering that takes stacks: it is the most expensive, so it comes last. */

#include <stdbool.h>
#include <stdint.h>

#include "evidence/gather/live/live-proc.h"
#include "evidence/gather/live/live.h"

/*
 * Takes the stacks that the options ask for, of all ranks and of the first of their children. Then
 * waits until sample_pause_ms have passed since `sampled` (CLOCK_MONOTONIC ns), when the first
 * sample of /proc was taken; so the time that stacks take counts.
 */
void live_take_stacks(const struct live_proc_target *target, const struct live_options *options,
	int64_t sampled) __attribute__((nonnull));

/*
 * True if the kernel lets us look into the folder's first living rank; true also where there is
 * none.
 */
bool live_may_look(const struct live_processes *processes, size_t folder) __attribute__((nonnull));

#endif
