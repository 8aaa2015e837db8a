/* SPDX-License-Identifier: Apache-2.0 */
/* completions.h: who completed an operation that all have entered, and on whose device it began. */
#ifndef VERDICT_COMPLETION_H
#define VERDICT_COMPLETION_H

#include "verdict/inquiry.h"

/* How the members of a group stand towards one op that all have entered. */
struct completion {
	struct rank_list done, open, unknown;
	struct rank_list begun, waiting; /* on the device, where all members tell that */
	bool beyond; /* a later op completed somewhere, for which all GPUs had to be there */
};

/* Fills in a zeroed one for that operation of a group; completion_release() it. */
void completion_look_at(
	const struct inquiry *q, int group, uint64_t index, struct completion *c);

/* Does the same for a send and its receive: open here, and perhaps complete on the other side. */
void completion_look_at_pair(
	const struct inquiry *q, const struct wait *wait, struct completion *c);


/* Frees its lists. */
void completion_release(struct completion *c);

#endif
