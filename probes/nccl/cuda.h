/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda.h: where host threads wait for devices, and what the other routes ask of CUDA.
 *
 * A wait is on a stream: itself named, or the one that an event was last recorded on, which we
 * remember in a small table (best effort: an event that is not in it is "not known"). A query that
 * says "not ready" is a wait in the making, so the thread's board shows it, but a poll loop would
 * flood the lane. A wait under a call of ours (NCCL's own waits) is not the program's.
 *
 * NO CONTEXT IS EVER MADE by us: a runtime call from a fresh thread would make one on GPU 0, half a
 * gigabyte each. So only the driver is asked, and only about a stream that the program itself has.
 */
#ifndef PROBES_CUDA_H
#define PROBES_CUDA_H

#include "probes/nccl/cuda-abi.h"

/* 1 if work issued to the stream is now captured into a graph, not run. */
int cuda_is_capturing(void *stream);

#endif
