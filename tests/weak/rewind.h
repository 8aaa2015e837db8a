/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_REWIND_H
#define WEAK_REWIND_H

/*
 * A ring as it was earlier. Its image is written over until it holds nothing that came after a
 * moment of its own clock, so that a judge of today can be asked what he would have said then.
 *
 * WHAT IS EXACT. Records of lanes and pinned records (each has its time; tickets are dense). A
 * board whose newest half is no newer than the moment, or whose other half is. Members and how far
 * they had come, where history or a lane still has the ops on both sides of the moment; whether
 * such an op had returned, where the lane still has its exit. Spans, open again where they ended
 * later, also those whose place in the table was used again, from lanes and pinned records. Deaths
 * with their tracebacks, clock anchors.
 *
 * WHAT IS APPROXIMATE, and why nothing false can come of it:
 *  - A board of which neither half is old enough is made of the lane: the call that was open, or
 *    idle since the last record. What stands on boards alone (queries that said "not ready", short
 *    waits in a store) is not in lanes: a lane that has shown such, or of which nothing is left
 *    from before the moment, gets a torn board, which says nothing.
 *  - When an op was done by the device is told without a time. Ops that a synchronisation of their
 *    stream waited for before the moment were done, those that are not done at the end were not;
 *    where others remain, completions count as lost, and so unknown.
 *  - How far a member had come, where neither history nor lanes tell: its entry stays as new as it
 *    is, that is newer than the gathering, which readers take for "moved while we looked".
 *  - Counters (losses, contention) stay as they are at the end: more is lost than was by then.
 *  - Marks count back what lanes hold after the moment; where a lane has wrapped since, the mark
 *    is gone.
 *  - Text of stderr has no times: all of it is gone.
 * Where none of these holds (a member destroyed nobody knows when) the ring cannot be rewound, and
 * is to be left out: less evidence, not other evidence.
 */

#include <stddef.h>
#include <stdint.h>

/*
 * Rewinds the image of a ring to the moment `tsc`. The bytes must be aligned to 64. 0; or -1 where
 * it was not there yet or cannot be rewound: leave it out, the bytes are then of no use.
 */
int ring_rewind(void *bytes, size_t size, uint64_t tsc);

#endif
