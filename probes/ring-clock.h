/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring-clock.h: chooses the clock that a ring runs on, and takes the anchors that tie it to others.
 *
 * The TSC is one clock for all processes of a host only where the kernel itself trusts it. If the
 * kernel runs on another clock source, or says nothing and the processor does not promise an
 * invariant TSC, the ring counts CLOCK_MONOTONIC nanoseconds instead and its header says so.
 */
#ifndef PROBES_RING_CLOCK_H
#define PROBES_RING_CLOCK_H

#include "ring/ring-write.h"

/* Sets the writer's clock and the header's word for it. */
void clock_choose(struct ring_writer *w);

/*
 * Reads all clocks at one moment, in the tightest of a few tries, and stores that as an anchor. No
 * board may be written meanwhile.
 */
void clock_anchor(struct ring_writer *w);

#endif
