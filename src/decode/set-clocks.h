/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_SET_CLOCKS_H
#define DECODE_SET_CLOCKS_H

/*
 * Hosts whose wall clock was set between two looks: their clocks since boot tell by how much. All
 * that was read in an earlier look is dated as the clock of the last one would have shown it, so
 * that of two readings of one thing the later one counts, also where its time is the smaller.
 */

#include "base/array.h"
#include "evidence/format/exhibit.h"

/* A look at a host, and by how much its clock was set from then on to the last look, ns. */
struct set_clock {
	const char *host;
	int64_t realtime; /* as the look has it */
	int64_t by;
};

struct set_clocks {
	ARRAY(struct set_clock) looks; /* at hosts whose clock was set; by host, then by time */
	struct exhibit *dated; /* copies with other times, whose contents are the evidence's */
};

/*
 * Returns the exhibits of the evidence, those of earlier looks dated anew. They are the evidence's
 * own where no clock was set. The caller zeroes `clocks`, and calls set_clocks_release().
 */
const struct exhibit *set_clocks_date(struct set_clocks *clocks, const struct evidence *evidence)
	__attribute__((nonnull));

/*
 * Returns a time that was read on that host as the clock of the last look would have shown it; as
 * it is, where that would be no time that is believed. `clocks` may be NULL.
 */
int64_t set_clocks_move(const struct set_clocks *clocks, const char *host, int64_t when);

void set_clocks_release(struct set_clocks *clocks) __attribute__((nonnull));

#endif
