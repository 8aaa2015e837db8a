/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler.h: the route of NCCL's profiler plugin. NCCL_PROFILER_PLUGIN names this object, and NCCL
 * finds ncclProfiler_v4, _v5 and _v6 in it. `inquest run` names it only when it is asked to, since
 * the other routes tell more: a plugin never hears of an empty collective, of a communicator's init
 * before all have met, nor of a replayed graph.
 *
 * WHAT IT ADDS
 *	- communicators by hash with size and rank, also those of splits, which NVTX does not tell;
 *	- ops that no other route has seen (NCCL without NVTX, called past the wrappers). The events
 *	  come inside the call: where a route has recorded it, they add nothing;
 *	- with INQUEST_PROFILER=kernel: which collective the GPU began, and which it ended. A GPU
 *	  that never begins what all the others began is the one that is stuck. NCCL keeps a thread
 *	  busy for that, and puts a host node into captured graphs, so it is off unless asked for.
 *
 * WHEN IS AN OP ENTERED? From version 5 on an op is queued at its API event and entered where the
 * group's launch begins, as in an explicit group: NCCL makes one around each op. Version 4 tells of
 * ops only after the launch: they are entered and returned at once.
 *
 * HANDLES are numbers, never pointers: NCCL may use one long after its event has ended. Nothing
 * here keeps a thread; init always succeeds.
 */
#ifndef PROBES_PROFILER_H
#define PROBES_PROFILER_H

#include "probes/hook.h"
#include "probes/nccl/profiler-abi.h"

extern HOOK_EXPORT const struct profiler_abi_plugin4 ncclProfiler_v4;
extern HOOK_EXPORT const struct profiler_abi_plugin ncclProfiler_v5, ncclProfiler_v6;

/*
 * Notes that a collective of the group is handed to the device on so many channels. Returns its
 * index.
 */
uint64_t profiler_kernel_follow(int group, unsigned channels);
/* Notes that a channel of it began, or ended, there. Any thread. */
void profiler_kernel_begin(int group, uint64_t index);
void profiler_kernel_end(int group, uint64_t index);

#endif
