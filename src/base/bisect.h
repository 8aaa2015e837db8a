/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BISECT_H
#define BASE_BISECT_H

/*
 * Bisection: where something stands in what is in order.
 *
 *	size_t i = bisect(0, ops.nr, at, ops.items[at].index < index);
 *
 * is the place of the first op whose index is not below that one; with <= it is that of the first
 * whose index is above. One that is sought stands there, or nowhere:
 *
 *	return i < ops.nr && ops.items[i].index == index ? &ops.items[i] : NULL;
 */

#include <stddef.h>

/*
 * Gives the first place of [from, to) at which is_before does not hold; `to` if it holds at all of
 * them, `from` if there are none. The places at which it holds must come first. `at` is what
 * is_before calls the place that it is asked about; it is asked about few, in no order. from and to
 * are evaluated once. No argument may be a bisect() itself.
 */
#define bisect(from, to, at, is_before)                                                            \
	__extension__({                                                                            \
		size_t bisect_low = (from), bisect_high = (to);                                    \
                                                                                                   \
		while (bisect_low < bisect_high) {                                                 \
			const size_t at = bisect_low + (bisect_high - bisect_low) / 2;             \
                                                                                                   \
			if (is_before)                                                             \
				bisect_low = at + 1;                                               \
			else                                                                       \
				bisect_high = at;                                                  \
		}                                                                                  \
		bisect_low;                                                                        \
	})

#endif
