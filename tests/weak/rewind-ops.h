/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_REWIND_OPS_H
#define WEAK_REWIND_OPS_H

/* What the parts of rewind.c share: what the lanes held before they were rewound. */

#include <stdbool.h>

#include "base/array.h"
#include "ring/ring-read.h"

struct rewind_note {
	struct ring_slot slot;
	uint32_t lane;
};

struct rewind_lane {
	uint32_t number;
	bool whole;      /* it never wrapped: all that was ever in it is here */
	uint64_t oldest; /* TSC of its oldest record; UINT64_MAX: none */
	size_t first_note, notes;
};

struct rewind {
	uint8_t *bytes;
	struct ring_header *header;
	struct ring_view view;           /* as it was when it was opened */
	uint64_t cut;                    /* the moment */
	ARRAY(struct rewind_note) notes; /* by lane, then ticket */
	ARRAY(struct rewind_lane) lanes;
	ARRAY(struct ring_slot) pins;
};

/* Rewinds one entry of the group table. False: it cannot be. */
bool rewind_group(struct rewind *rw, struct ring_group *group, uint32_t number);

#endif
