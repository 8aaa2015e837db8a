/* SPDX-License-Identifier: Apache-2.0 */
/*
 * census-read.h: reading the job's process table, trusting nothing.
 *
 * A view works on bytes that do not change: census_snapshot() of the living file, or an exhibit.
 * It owns nothing. The table does not say who is dead: that takes the owner's lock and /proc (see
 * census.h), which only the gatherer can ask; it locks at census_slot_offset().
 */
#ifndef RING_CENSUS_READ_H
#define RING_CENSUS_READ_H

#include <stddef.h>
#include <stdint.h>

#include "ring/census.h"

enum census_error {
	CENSUS_E_SHORT = -1,
	CENSUS_E_FOREIGN = -2,
	CENSUS_E_UNFINISHED = -3,
	CENSUS_E_VERSION = -4,
	CENSUS_E_HEADER = -5,
};

/* Says what an error of census_view_open() means, for people. */
const char *census_strerror(int error);

struct census_view {
	const uint8_t *bytes;
	size_t size;
	struct census_header header; /* a copy; its strings end in NUL */
	uint32_t slots;              /* that were ever used and are at hand */
	uint32_t cut;                /* that were ever used and are not */
};

/* Opens a view on a census. Returns 0, or an enum census_error, and `view` is then unusable. */
int census_view_open(struct census_view *view, const void *bytes, size_t size);

/*
 * Copies slot i, its strings ended by NUL. Returns 1; 0 if it is free or i is not below
 * view->slots; -1 if its claim was under way (only pid, start_time and pid_ns may be believed then,
 * and only if they are not 0).
 */
int census_view_slot(const struct census_view *view, uint32_t i, struct census_slot *ret);

/* Returns where in the file the owner of slot i holds its lock, which is one byte long. */
static inline uint64_t census_slot_offset(uint32_t i)
{
	return sizeof(struct census_header) + (uint64_t)i * sizeof(struct census_slot);
}

/*
 * Copies the living table behind `fd` as far as its slots were ever used, each as it was at one
 * moment. A slot that changed at every look is copied as CLAIMING. Returns 0, and the bytes are the
 * caller's to free(); or a negative errno, and nothing is set.
 */
int census_snapshot(int fd, void **ret_bytes, size_t *ret_size);

#endif
