/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CREW_H
#define BASE_CREW_H

/*
 * Many things that have nothing to do with each other, done by several threads at once:
 *
 *	static void weigh(void *context, size_t worker, size_t i)
 *	...
 *	crew_each(crew_size(ranks), ranks, weigh, &weighing);
 *
 * Each worker takes the next one that none has taken; which one that is differs from run to run, so
 * a result must not depend on it. What all of them write to has to be each thing's own, or each
 * worker's. How many workers there are is asked once, and told: the processors that we may run on
 * may be others a moment later. Signals are for the caller's thread. Where no thread can be
 * started, the caller does all.
 */

#include <stddef.h>

#define CREW_MOST 8 /* workers: what more of them would do is wait for memory */

/* Does thing i, 0 <= i < n, as worker number `worker`, 0 <= worker < workers. */
typedef void crew_work(void *context, size_t worker, size_t i);

/*
 * Returns how many workers n things are worth: no more than there are things, or processors that we
 * may run on, or CREW_MOST.
 */
size_t crew_size(size_t n);

/* Does all n things with at most so many workers; it has done them when it returns. */
void crew_each(size_t workers, size_t n, crew_work *work, void *context)
	__attribute__((nonnull(3)));

#endif
