/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/nccl/profiler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probes/nccl/comm.h"
#include "probes/nccl/nccl.h"
#include "probes/nvtx/nvtx.h"

enum profiler_kind {
	PROFILER_GROUP = 1,
	PROFILER_CALL, /* an op's API event */
	PROFILER_COLL,
	PROFILER_KERNEL,
};

/* What the thread is inside of, where no other route has recorded it. */
static __thread struct {
	uint32_t grouped;   /* a GROUP_API event is open */
	uint32_t launching; /* its launch has begun */
	uint32_t inside;    /* an op's API event is open */
	struct nccl_call call;
	struct nccl_call launch;
} profiler_here;

/* --- Handles --------------------------------------------------------------------------------- */

/* Makes a handle of kind:4, the group's entry:12, an op's index:48. Never 0, which is no handle. */
static void *profiler_handle(enum profiler_kind kind, int group, uint64_t index)
{
	return (void *)((uintptr_t)kind << 60 | (uintptr_t)(group & 0xfff) << 48 | /* NOLINT */
			(index & 0xffffffffffff));
}

static enum profiler_kind profiler_kind(const void *handle)
{
	return (enum profiler_kind)((uintptr_t)handle >> 60);
}

static int profiler_group(const void *handle)
{
	return (int)((uintptr_t)handle >> 48 & 0xfff);
}

static uint64_t profiler_index(const void *handle)
{
	return (uintptr_t)handle & 0xffffffffffff;
}

/* Returns the entry of a communicator's context, which is that + 1; GROUP_NONE if it has none. */
static int profiler_of_context(const void *context)
{
	return (int)(uintptr_t)context - 1;
}

/* --- Communicators --------------------------------------------------------------------------- */

static int profiler_wants_kernels(void)
{
	const char *wish = getenv("INQUEST_PROFILER");

	return wish && !strcmp(wish, "kernel");
}

static void *profiler_meet(uint64_t hash, int nranks, int rank)
{
	struct probe_thread *me = probe_me;
	int group = GROUP_NONE, entered = 0;

	if (!me || !me->depth) {
		me = probe_enter_needing(PROBE_NEED_RANK);
		entered = me != NULL;
	}
	if (me)
		group = nvtx_comm_told(me, hash, (uint32_t)nranks, (uint32_t)rank);
	if (me && group >= 0 && profiler_wants_kernels())
		ring_group_state(me->ring, group, RING_G_KERNELS);
	if (entered)
		probe_leave(me);
	return (void *)(uintptr_t)(group + 1); /* NOLINT: only a number to NCCL, too */
}

static int profiler_init(void **context, uint64_t hash, int *mask, const char *comm_name,
	int nnodes, int nranks, int rank, void *log)
{
	int saved = errno;

	(void)comm_name;
	(void)nnodes;
	(void)log;
	*mask = PROFILER_ABI_GROUP_API | PROFILER_ABI_COLL_API | PROFILER_ABI_P2P_API |
		PROFILER_ABI_P2P;
	if (profiler_wants_kernels())
		*mask |= PROFILER_ABI_COLL | PROFILER_ABI_KERNEL;
	*context = profiler_meet(hash, nranks, rank);
	errno = saved;
	return 0;
}

static int profiler_init4(void **context, int *mask, const char *comm_name, uint64_t hash,
	int nnodes, int nranks, int rank, void *log)
{
	profiler_init(context, hash, mask, comm_name, nnodes, nranks, rank, log);
	*mask = PROFILER_ABI_COLL | PROFILER_ABI_P2P |
		(profiler_wants_kernels() ? PROFILER_ABI_KERNEL : 0);
	return 0;
}

static int profiler_finalize(void *context)
{
	(void)context;
	return 0;
}

/* --- Ops ------------------------------------------------------------------------------------- */

static unsigned profiler_dtype(const char *name)
{
	static const char *const names[] = {"ncclInt8", "ncclUint8", "ncclInt32", "ncclUint32",
		"ncclInt64", "ncclUint64", "ncclFloat16", "ncclFloat32", "ncclFloat64",
		"ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"};

	for (unsigned i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name))
			return i;
	return RING_SIG_UNKNOWN;
}

/* Returns the call for a name such as "AllReduce", and the op. */
static uint32_t profiler_call(const char *func, unsigned *ret_op)
{
	static const struct {
		const char *func;
		uint32_t call, op;
	} known[] = {
		{"AllReduce", RING_CALL_ncclAllReduce, RING_OP_ALLREDUCE},
		{"AllGather", RING_CALL_ncclAllGather, RING_OP_ALLGATHER},
		{"ReduceScatter", RING_CALL_ncclReduceScatter, RING_OP_REDUCESCATTER},
		{"Broadcast", RING_CALL_ncclBroadcast, RING_OP_BROADCAST},
		{"Reduce", RING_CALL_ncclReduce, RING_OP_REDUCE},
		{"AlltoAll", RING_CALL_ncclAlltoAll, RING_OP_ALLTOALL},
		{"Gather", RING_CALL_ncclGather, RING_OP_GATHER},
		{"Scatter", RING_CALL_ncclScatter, RING_OP_SCATTER},
		{"Send", RING_CALL_ncclSend, RING_OP_SEND},
		{"Recv", RING_CALL_ncclRecv, RING_OP_RECV},
	};

	*ret_op = RING_OP_OTHER;
	for (size_t i = 0; func && i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(known[i].func, func) != 0)
			continue;
		*ret_op = known[i].op;
		return known[i].call;
	}
	return 0;
}

static int profiler_is_rooted(unsigned op)
{
	return op == RING_OP_BROADCAST || op == RING_OP_REDUCE || op == RING_OP_GATHER ||
	       op == RING_OP_SCATTER;
}

/* Makes an op of what an event says; no event of a plugin tells the reduction. */
static struct nccl_op profiler_op(
	const char *func, uint64_t count, const char *datatype, int peer, int rooted)
{
	unsigned kind;
	struct nccl_op op = {.call = profiler_call(func, &kind), .count = count,
		.stream = NCCL_STREAM_UNKNOWN};
	int reduces = kind == RING_OP_ALLREDUCE || kind == RING_OP_REDUCE ||
		      kind == RING_OP_REDUCESCATTER;

	if (rooted && !profiler_is_rooted(kind))
		peer = -1;
	op.sig = ring_sig(kind, profiler_dtype(datatype), reduces ? RING_SIG_UNKNOWN : 0,
		(uint32_t)peer);
	return op;
}

/* --- The events of the API, from version 5 on ------------------------------------------------ */

static void *profiler_start_group(int group)
{
	struct probe_thread *me = probe_enter();

	if (!me)
		return NULL;
	/* An explicit group that another route has seen begin goes on as it is. */
	if (me->group_depth || profiler_here.grouped) {
		probe_leave(me);
		return NULL;
	}
	me->group_depth = 1;
	me->group_ticket = 0;
	profiler_here.grouped = 1;
	profiler_here.launching = 0;
	probe_leave(me);
	return profiler_handle(PROFILER_GROUP, group, 0);
}

static void *profiler_start_call(int group, const struct nccl_op *op, int p2p)
{
	struct probe_thread *me = profiler_here.grouped ? probe_enter() : NULL;

	if (!me)
		return NULL;
	/* A send's peer is told only when it is launched; it is entered then. */
	if (p2p)
		profiler_here.call = nccl_call_begin(
			me, op->call, group, (const uint64_t[3]){op->count, op->sig, UINT64_MAX});
	else
		profiler_here.call = nccl_op_begin_in(me, op, group);
	profiler_here.inside = p2p ? 2 : 1;
	return profiler_handle(PROFILER_CALL, group, 0);
}

/* Ends an op's API event, which NCCL may end twice. */
static void profiler_stop_call(void)
{
	struct probe_thread *me = probe_me;

	if (!me || !profiler_here.inside)
		return;
	if (profiler_here.inside == 2)
		nccl_call_end(me, &profiler_here.call, NCCL_ABI_NOT_TOLD);
	else
		nccl_op_end(me, &profiler_here.call, NCCL_ABI_NOT_TOLD);
	profiler_here.inside = 0;
	probe_leave(me);
}

static void profiler_launch(void)
{
	struct probe_thread *me = profiler_here.grouped ? probe_enter() : NULL;

	if (!me)
		return;
	profiler_here.launch = nccl_group_end_begin(me);
	profiler_here.launching = 1;
}

static void profiler_stop_group(void)
{
	struct probe_thread *me = probe_me;

	if (!me || !profiler_here.grouped)
		return;
	if (!profiler_here.launching)
		profiler_launch();
	if (profiler_here.launching) {
		nccl_group_end_end(me, &profiler_here.launch, NCCL_ABI_NOT_TOLD);
		probe_leave(me);
	}
	profiler_here.grouped = profiler_here.launching = 0;
}

/* --- The events behind a launch -------------------------------------------------------------- */

/* Records an op that has been launched, and was seen by nobody else: entered, and returned. */
static void profiler_enter(int group, const struct nccl_op *op)
{
	struct probe_thread *me = profiler_here.launching ? probe_me : probe_enter();
	unsigned kind = ring_sig_op(op->sig);
	struct ring_record r;
	struct ring_entered e;
	uint64_t now;

	if (!me)
		return;
	if (group < 0) {
		probe_lose(PROBE_LOST_GROUPS);
	} else {
		now = probe_now(me);
		r = (struct ring_record){
			.meta = ring_meta(RING_CALL_ENTER,
				kind == RING_OP_SEND || kind == RING_OP_RECV ? RING_F_P2P : 0,
				(unsigned)group, op->call),
			.count = op->count,
			.sig = op->sig,
			.aux = UINT64_MAX,
		};
		e = ring_group_enqueue(
			me->ring, group, ring_lane_index(me->ring, me->lane), now, &r);
		r.index = e.index;
		r.meta = ring_meta(RING_OP_ENTERED, ring_meta_flags(r.meta), (unsigned)group,
			(uint32_t)ring_load(&me->ring->groups[group].zero_counts));
		r.more = e.hash;
		probe_put(me, now, &r);
		ring_group_returned(me->ring, &e, RING_F_RETURNED);
	}
	if (!profiler_here.launching)
		probe_leave(me);
}

static void *profiler_start_coll(int group, const struct profiler_abi_event *e, int entered_before)
{
	if (!entered_before) {
		const struct nccl_op op = profiler_op(
			e->coll.func, e->coll.count, e->coll.datatype, e->coll.root, 1);

		profiler_enter(group, &op);
	}
	if (!profiler_wants_kernels())
		return NULL;
	return profiler_handle(
		PROFILER_COLL, group, profiler_kernel_follow(group, e->coll.channels));
}

static void *profiler_start_kernel(const void *parent)
{
	if (profiler_kind(parent) != PROFILER_COLL)
		return NULL;
	profiler_kernel_begin(profiler_group(parent), profiler_index(parent));
	return profiler_handle(PROFILER_KERNEL, profiler_group(parent), profiler_index(parent));
}

/* --- The plugin ------------------------------------------------------------------------------ */

static void *profiler_start_event(
	int group, uint64_t type, const struct profiler_abi_event *e, int version)
{
	struct nccl_op op;

	switch (type) {
	case PROFILER_ABI_GROUP_API:
		return profiler_start_group(group);
	case PROFILER_ABI_COLL_API:
		op = profiler_op(e->coll_api.func, e->coll_api.count, e->coll_api.datatype,
			e->coll_api.root, 1);
		return profiler_start_call(group, &op, 0);
	case PROFILER_ABI_P2P_API:
		op = profiler_op(
			e->p2p_api.func, e->p2p_api.count, e->p2p_api.datatype, -1, 0);
		return profiler_start_call(group, &op, 1);
	case PROFILER_ABI_COLL:
		return profiler_start_coll(group, e, version > 4);
	case PROFILER_ABI_P2P:
		op = profiler_op(e->p2p.func, e->p2p.count, e->p2p.datatype, e->p2p.peer, 0);
		if (version == 4 || profiler_here.launching)
			profiler_enter(group, &op);
		return NULL;
	case PROFILER_ABI_KERNEL:
		return profiler_start_kernel(e->parent);
	default:
		return NULL;
	}
}

static int profiler_start(void *context, void **handle, struct profiler_abi_event *event)
{
	int saved = errno;

	*handle = profiler_start_event(profiler_of_context(context), event->type, event, 5);
	errno = saved;
	return 0;
}

static int profiler_start4(void *context, void **handle, struct profiler_abi_event *event)
{
	int saved = errno;

	*handle = profiler_start_event(profiler_of_context(context), event->type4, event, 4);
	errno = saved;
	return 0;
}

static int profiler_stop(void *handle)
{
	int saved = errno;

	switch (profiler_kind(handle)) {
	case PROFILER_GROUP:
		profiler_stop_group();
		break;
	case PROFILER_CALL:
		profiler_stop_call();
		break;
	case PROFILER_KERNEL:
		profiler_kernel_end(profiler_group(handle), profiler_index(handle));
		break;
	default: /* a collective: only enqueued, and its handle lives on */
		break;
	}
	errno = saved;
	return 0;
}

static int profiler_state(void *handle, int state, void *arguments)
{
	int saved = errno;

	(void)arguments;
	if (profiler_kind(handle) == PROFILER_GROUP && state == PROFILER_ABI_LAUNCH)
		profiler_launch();
	errno = saved;
	return 0;
}

#define PROFILER_REST profiler_stop, profiler_state, profiler_finalize

const struct profiler_abi_plugin4 ncclProfiler_v4 = {
	"inquest", profiler_init4, profiler_start4, PROFILER_REST};
const struct profiler_abi_plugin ncclProfiler_v5 = {
	"inquest", profiler_init, profiler_start, PROFILER_REST};
const struct profiler_abi_plugin ncclProfiler_v6 = {
	"inquest", profiler_init, profiler_start, PROFILER_REST};
