/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_CLOCKS_H
#define WEAK_CLOCKS_H

/*
 * One host's CLOCK_REALTIME wrong by so much: every such time that was written there (readings,
 * gathering, clock anchors of rings, census, samples, ends, manifest, receipt) is moved, and
 * nothing else: its other clocks went right.
 */

#include "heap.h"

void clocks_shift(struct heap *heap, const char *host, int64_t by_ns);

#endif
