/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda.h: records where host threads wait for devices, and asks CUDA what the other routes want to
 * know.
 *
 * A wait is on a stream: one that the call names, or the one where an event was last recorded,
 * which we remember in a small table (best effort: an event that is not in it is "not known"). A
 * query that says "not ready" may be part of a wait, so the thread's board shows it; the lane does
 * not, since a poll loop would flood it. A wait under a call of ours (NCCL's own waits) is not the
 * program's.
 *
 * NO CONTEXT IS EVER MADE by us: a runtime call from a fresh thread would make one on GPU 0, half a
 * gigabyte each. So only the driver is asked, and only about a stream that the program itself has.
 */
#ifndef PROBES_CUDA_H
#define PROBES_CUDA_H

#include "probes/nccl/cuda-abi.h"

/* Returns 1 if work issued to the stream is now captured into a graph, not run. */
int cuda_is_capturing(void *stream);

#endif
