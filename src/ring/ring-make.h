/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring-make.h: how large a ring is, and how an empty one looks.
 *
 * The caller opens, allocates (posix_fallocate: a hole would be a SIGBUS later), maps and faults in
 * layout.size bytes of zeros, then
 *
 *	ring_layout(0, RING_RANK, &layout);
 *	ring_format(base, &layout);		tables; all else is zero
 *	header->pid = ...			identity, as far as known
 *	ring_publish(base);			the magic, last
 *
 * Like the writer: no libc, no allocation, and it cannot fail.
 */
#ifndef RING_MAKE_H
#define RING_MAKE_H

#include <stdint.h>

#include "ring/ring.h"

#define RING_PROFILES 3 /* 0 full: 4.7 MiB; 1: about a quarter; 2: under 512 KiB */

/* One row of the table of sizes: how much of everything a ring holds. */
struct ring_layout {
	uint32_t profile;
	uint32_t role;
	uint32_t big[2]; /* slots of the first two lanes */
	uint32_t lanes;  /* of all, the overflow lane not counted */
	uint32_t small;  /* slots of each further lane, and of the overflow lane */
	uint32_t groups;
	uint32_t spans;
	uint32_t marks;
	uint32_t strings;  /* bytes */
	uint32_t strindex; /* entries, a power of two */
	uint32_t fatal;
	uint32_t traces; /* of the first deaths */
	uint32_t text;      /* bytes */
	uint32_t pin_shift; /* the quotas of the pinned classes are halved so often */
	uint64_t size;      /* of the file, computed: a multiple of 4096 */
	struct ring_section section[RING_SECTIONS];
};

/*
 * Computes the layout of a rank's ring of this profile (one that is too high means the smallest),
 * or of a candidate's ring.
 */
void ring_layout(uint32_t profile, uint32_t role, struct ring_layout *ret);

/*
 * Writes header and tables into zeroed memory of layout->size bytes. The header fields that say who
 * the process is are left to the caller; the ranks are set to RING_UNKNOWN_RANK.
 */
void ring_format(void *base, const struct ring_layout *layout);

/* Stores the magic, with release: from now on readers take the bytes for a ring. */
void ring_publish(void *base);

#endif
