/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check-profiler.c: our declarations against the headers of NCCL's profiler plugins. They come with
 * NCCL's sources only, in plugins/profiler/example/nccl: configure --with-profiler=DIR.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <err.h>
#include <profiler.h>

#include "probes/nccl/profiler-abi.h"

#define SAME(a, b) _Static_assert((a) == (b), #a)
#define EVENT(field, theirs, other)                                                                \
	SAME(offsetof(struct profiler_abi_event, field), offsetof(theirs, other));                 \
	SAME(sizeof(((struct profiler_abi_event *)0)->field), sizeof(((theirs *)0)->other))
#define PLUGIN(ours, theirs)                                                                       \
	SAME(sizeof(struct ours), sizeof(theirs));                                                 \
	SAME(offsetof(struct ours, init), offsetof(theirs, init));                                 \
	SAME(offsetof(struct ours, start), offsetof(theirs, startEvent));                          \
	SAME(offsetof(struct ours, stop), offsetof(theirs, stopEvent));                            \
	SAME(offsetof(struct ours, state), offsetof(theirs, recordEventState));                    \
	SAME(offsetof(struct ours, finalize), offsetof(theirs, finalize))

SAME((int)ncclProfileColl, PROFILER_ABI_COLL);
SAME((int)ncclProfileP2p, PROFILER_ABI_P2P);
SAME((int)ncclProfileKernelCh, PROFILER_ABI_KERNEL);
SAME((int)ncclProfileGroupApi, PROFILER_ABI_GROUP_API);
SAME((int)ncclProfileCollApi, PROFILER_ABI_COLL_API);
SAME((int)ncclProfileP2pApi, PROFILER_ABI_P2P_API);
SAME((int)ncclProfilerGroupEndApiStart, PROFILER_ABI_LAUNCH);

PLUGIN(profiler_abi_plugin4, ncclProfiler_v4_t);
PLUGIN(profiler_abi_plugin, ncclProfiler_v5_t);
PLUGIN(profiler_abi_plugin, ncclProfiler_v6_t);

EVENT(type4, ncclProfilerEventDescr_v4_t, type);
#define ALIKE(theirs)                                                                              \
	EVENT(parent, theirs, parentObj);                                                          \
	EVENT(rank, theirs, rank);                                                                 \
	EVENT(coll.func, theirs, coll.func);                                                       \
	EVENT(coll.count, theirs, coll.count);                                                     \
	EVENT(coll.root, theirs, coll.root);                                                       \
	EVENT(coll.datatype, theirs, coll.datatype);                                               \
	EVENT(coll.channels, theirs, coll.nChannels);                                              \
	EVENT(p2p.func, theirs, p2p.func);                                                         \
	EVENT(p2p.datatype, theirs, p2p.datatype);                                                 \
	EVENT(p2p.count, theirs, p2p.count);                                                       \
	EVENT(p2p.peer, theirs, p2p.peer);                                                         \
	EVENT(kernel.channel, theirs, kernelCh.channelId)
ALIKE(ncclProfilerEventDescr_v4_t);
ALIKE(ncclProfilerEventDescr_v5_t);
ALIKE(ncclProfilerEventDescr_v6_t);

#define API(theirs)                                                                                \
	EVENT(type, theirs, type);                                                                 \
	EVENT(coll_api.func, theirs, collApi.func);                                                \
	EVENT(coll_api.count, theirs, collApi.count);                                              \
	EVENT(coll_api.datatype, theirs, collApi.datatype);                                        \
	EVENT(coll_api.root, theirs, collApi.root);                                                \
	EVENT(coll_api.stream, theirs, collApi.stream);                                            \
	EVENT(p2p_api.func, theirs, p2pApi.func);                                                  \
	EVENT(p2p_api.count, theirs, p2pApi.count);                                                \
	EVENT(p2p_api.datatype, theirs, p2pApi.datatype)
API(ncclProfilerEventDescr_v5_t);
API(ncclProfilerEventDescr_v6_t);
