/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_WAYS_H
#define WEAK_WAYS_H

/* All the ways in which the evidence of one job is made less, in the words of steps.h. */

#include "charge.h"
#include "whole.h"

#define WAYS(W)                                                                                    \
	W(SPREAD, "told as a job of several hosts")                                                \
	W(HOSTS, "subsets of hosts")                                                               \
	W(RANKS, "ranks left out, or alone")                                                       \
	W(ONE_KIND, "one rank's ring, proc or stacks alone")                                       \
	W(KINDS, "kinds of exhibits left out, or alone")                                           \
	W(CUTS, "earlier moments")                                                                 \
	W(CUTS_RANKS, "earlier moments without a rank")                                            \
	W(CUTS_HOSTS, "earlier moments of some hosts")                                             \
	W(LOOKS, "two looks at the ranks")                                                         \
	W(CLOCKS, "clocks shifted")                                                                \
	W(AGENTS, "agents silent")                                                                 \
	W(JOBS, "two jobs in one folder")                                                          \
	W(HALVES, "one node each of two jobs")

enum way {
#define WAY_ENUM(id, words) WAY_##id,
	WAYS(WAY_ENUM)
#undef WAY_ENUM
		WAY_N
};
extern const char *const way_words[WAY_N];

/* Gives each weakening of one job to `each`, in an order that never changes. */
typedef void way_fn(void *context, enum way way, enum charge_kind kind, const char *steps);
void ways_each(const struct whole *whole, way_fn *each, void *context);

#endif
