/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lowfds.h: keeps the low descriptor numbers for the program.
 *
 * A library that we open may open descriptors and keep them (libunwind: a pipe). In the lowest free
 * places the program would notice: its next open() would give another number than without us, and a
 * descriptor that it closes by number might be the library's. So while such a library starts, every
 * free place is held, and its descriptors land above. They are not moved afterwards, since the
 * program may use the same library.
 */
#ifndef PROBES_LOWFDS_H
#define PROBES_LOWFDS_H

#include <stdint.h>

#define LOWFDS_END 254 /* a pipe behind this still fits the kernel's table of 256 */

/* The places that are held: bit n is descriptor n. */
struct lowfds {
	uint64_t held[(LOWFDS_END + 63) / 64];
};

/*
 * Holds the free places below LOWFDS_END, or below three quarters of what this process may open; as
 * many as the kernel gives. Meanwhile other threads go on and get higher numbers. Never fails.
 */
void lowfds_hold(struct lowfds *ret);

/* Gives back all places that were held. */
void lowfds_release(const struct lowfds *lowfds);

#endif
