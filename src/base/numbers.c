/* SPDX-License-Identifier: Apache-2.0 */
#include "base/numbers.h"

#define CLIMB_MOST 64 /* generations: a longer chain of parents is damage */

void numbers_find_launchers(struct number *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int at = all[i].parent;

		if (all[i].rank == NUMBER_NONE || all[i].kind == NUMBER_OF_TASK)
			continue;
		for (int step = 0; at != NUMBER_NONE && step < CLIMB_MOST; step++) {
			struct number *above = &all[at];

			if (above->rank != NUMBER_NONE && above->rank != all[i].rank &&
				above->kind != NUMBER_OWN && !above->proved)
				above->launcher = true;
			at = above->parent;
		}
	}
}
