/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CREW_H
#define BASE_CREW_H

/*
 * Many things that have nothing to do with each other, done by several threads at once:
 *
 *	static void weigh(void *context, size_t worker, size_t i)
 *	...
 *	crew_each(ranks, weigh, &weighing);
 *
 * Each worker takes the next one that none has taken; which one that is differs from run to run, so
 * a result must not depend on it. What all of them write to has to be each thing's own, or each
 * worker's: there are crew_size() of them, the caller among them. Signals are for the caller's
 * thread. Where no thread can be started, the caller does all.
 */

#include <stddef.h>

/* Does thing i, 0 <= i < n, as worker number `worker`, 0 <= worker < crew_size(n). */
typedef void crew_work(void *context, size_t worker, size_t i);

/* At most so many workers do n things: no more than things, or than processors we may run on. */
size_t crew_size(size_t n);

/* Does all n things; has done them when it returns. */
void crew_each(size_t n, crew_work *work, void *context) __attribute__((nonnull(2)));

#endif
