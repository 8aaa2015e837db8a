/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_STEPS_H
#define WEAK_STEPS_H

/*
 * A weakening is written as steps with '/' between them, so that each can be said again by hand:
 *
 *	spread:N	told as a job of N hosts (spread.h)
 *	hosts:0+2	of the hosts, sorted by name, only these
 *	rank:1+3	without the exhibits of the processes of these ranks
 *	gone:1+3	the same, and without their lines in the census and in what the agent wrote
 *	only:2		the exhibits of no other rank's processes
 *	ring-of:2	of rank 2 its ring alone is there; proc-of, stacks-of likewise
 *	kind:A+B	without these kinds of exhibits
 *	only-kind:A	of this kind alone
 *	cut:I		as the job was at moment I of CUTS, from its first record to the gathering
 *	looked:1+3:cut:I	these ranks were looked at at that moment, others at the end
 *	ring-then:1:cut:I	of that moment are only the rings of these ranks
 *	clock:H:MS	the clock of host H was wrong by so many ms
 *	silent:gone	nothing of the agents; silent:old: their last word two minutes old
 */

#include "base/complaint.h"
#include "heap.h"
#include "whole.h"

#define CUTS 30

/* Takes the steps on the heap. 0, or negative with words. */
int steps_take(
	const struct whole *whole, struct heap *heap, const char *steps, struct complaint *why);

/* The moment of a cut, realtime. */
int64_t steps_moment(const struct whole *whole, int cut);

#endif
