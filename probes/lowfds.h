/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lowfds.h: the low descriptor numbers stay the program's.
 *
 * A library that we open may open descriptors and keep them (libunwind: a pipe). In the lowest free
 * places the program would see them: its next open() gives another number than it would without us,
 * and what it closes by number may be theirs. So while such a library begins, every free place is
 * held, and what it opens lands above. The numbers themselves are not ours to change: who asks
 * later may be the library's other user, the program.
 */
#ifndef PROBES_LOWFDS_H
#define PROBES_LOWFDS_H

#include <stdint.h>

#define LOWFDS_END 254 /* a pipe behind is in the kernel's table of 256 yet */

/* The places that are held: bit n is descriptor n. */
struct lowfds {
	uint64_t held[(LOWFDS_END + 63) / 64];
};

/*
 * Holds the free places below LOWFDS_END, or below three quarters of what this process may open;
 * as many as the kernel gives. Other threads go on and get higher numbers meanwhile. Never fails.
 */
void lowfds_hold(struct lowfds *ret);

/* Gives them back: all places that were held are free again. */
void lowfds_release(const struct lowfds *lowfds);

#endif
