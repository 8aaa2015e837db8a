/* SPDX-License-Identifier: Apache-2.0 */
/* makers.h: what lists/backend.def tells of a group's maker to those who read rings only. */
#ifndef RING_MAKERS_H
#define RING_MAKERS_H

#include <stdbool.h>

#include "ring/ring.h"

/*
 * True if a maker's groups have ids that were drawn for them: whoever has the same id is then of
 * the same job.
 */
static inline bool ring_maker_draws_ids(uint32_t maker)
{
	enum { IDS = 1, USUAL = 0, NO_OPS = 0, APART = 0, GIVES_UP = 0, EXACT = 0, DUMPED = 0,
		RETIRES = 0, TAGS = 0, FINALIZES = 0, ON_HOST = 0, DRIVEN = 0, UPTO = 0 };
	static const unsigned char draws[] = {
#define BACKEND(name, number, text, traits) [number] = (traits),
#include "lists/backend.def"
	};

	return maker < sizeof(draws) && draws[maker];
}

#endif
