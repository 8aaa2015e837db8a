/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked.h: whether one more sample could say anything else. Samples are taken seconds apart to see
 * who moves in between. Who has not been on a processor for as long already did not: the kernel
 * looked for us, and what a sample taken then would have shown is known.
 */
#ifndef VERDICT_PARKED_H
#define VERDICT_PARKED_H

#include <stdbool.h>
#include <stdint.h>

#include "verdict/verdict.h"

/*
 * True if nothing in a job of which only stacks tell hangs on movement, as if it had been sampled
 * for `span` ns: of each rank that lives the thread that speaks for it is known and has slept so
 * long, and so has all else of its processes, but for threads of libraries that woke and did
 * nothing to speak of. False where anything of that is not known.
 */
bool parked_for(const struct verdicts *verdicts, int64_t span) __attribute__((nonnull));

#endif
