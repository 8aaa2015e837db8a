/* SPDX-License-Identifier: Apache-2.0 */
/* waitfor-parts.h: the strongly connected parts of the wait-for graph. For waitfor.c only. */
#ifndef JOB_WAITFOR_PARTS_H
#define JOB_WAITFOR_PARTS_H

#include "job/waitfor/waitfor.h"

/*
 * Numbers the parts (nodes[].part, parts, nparts) so that every edge leads to the same part or to
 * one with a lower number. Tarjan's algorithm without recursion: chains may be as long as the job.
 */
void waitfor_find_parts(struct waitfor *graph);

#endif
