/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked.h: whether one more sample could tell anything else. Samples are taken seconds apart to
 * see who moves in between. A thread that has been off its processor for that long did not move:
 * the kernel has watched it, and a sample taken back then would have shown the same.
 */
#ifndef VERDICT_PARKED_H
#define VERDICT_PARKED_H

#include <stdbool.h>
#include <stdint.h>

#include "verdict/verdict.h"

/*
 * True if a job known by stacks alone needs no further sample, as if it had been sampled for `span`
 * ns: for each living rank the thread that speaks for it is known and has slept that long, and so
 * have all other threads of its processes, except threads of libraries that woke and did next to
 * nothing. False where any of that is unknown.
 */
bool parked_for(const struct verdicts *verdicts, int64_t span) __attribute__((nonnull));

#endif
