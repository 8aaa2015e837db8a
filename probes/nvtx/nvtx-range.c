/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A range is a call: its push comes before NCCL works, its pop afterwards. The pop does not say
 * what it ends, so each thread keeps the one range that it recorded, and counts those inside of it.
 *
 * LOST ENDS. If the payload extension was not attached, the end of an init is never told, and the
 * thread would stay inside for ever. So a range that begins inside such a one ends it.
 */
#include "probes/nvtx/nvtx.h"

#include <string.h>

enum nvtx_kind {
	NVTX_NOTHING, /* recorded nowhere, but its pop will come */
	NVTX_CALL,
	NVTX_OP,
	NVTX_BIRTH,
	NVTX_BIRTH_SHOWN, /* of an old NCCL, which tells who it is at its push */
	NVTX_END,
	NVTX_GROUP_START,
	NVTX_GROUP_END,
};

/* What the thread is inside of. */
static __thread struct {
	struct probe_thread *me; /* NULL: no range is open */
	uint32_t kind;
	uint32_t nested;
	uint32_t id; /* enum ring_call */
	int group;   /* of a birth or an end, where the push said so */
	uint64_t tsc;
	struct nccl_call call;
} nvtx_here;

/* How NCCL lays out the payload of an op behind the communicator's hash. */
enum nvtx_layout {
	NVTX_NO_OP,
	NVTX_BYTES,	 /* u64 bytes */
	NVTX_BYTES_ROOT, /* u64 bytes, i32 root or peer */
	NVTX_BYTES_REDOP,
	NVTX_BYTES_ROOT_REDOP,
	NVTX_PEER, /* i32 peer, i32 context */
	NVTX_PEERS /* i32 how many, i32 context */
};

static const struct nvtx_shape {
	uint8_t op, layout;
} nvtx_shapes[RING_CALL_ncclWaitSignal - RING_CALL_ncclReduce + 1] = {
#define SHAPE(call, op, layout) [RING_CALL_##call - RING_CALL_ncclReduce] = {op, layout}
	SHAPE(ncclReduce, RING_OP_REDUCE, NVTX_BYTES_ROOT_REDOP),
	SHAPE(ncclBcast, RING_OP_BROADCAST, NVTX_BYTES_ROOT),
	SHAPE(ncclBroadcast, RING_OP_BROADCAST, NVTX_BYTES_ROOT),
	SHAPE(ncclAllReduce, RING_OP_ALLREDUCE, NVTX_BYTES_REDOP),
	SHAPE(ncclReduceScatter, RING_OP_REDUCESCATTER, NVTX_BYTES_REDOP),
	SHAPE(ncclAllGather, RING_OP_ALLGATHER, NVTX_BYTES),
	SHAPE(ncclAlltoAll, RING_OP_ALLTOALL, NVTX_BYTES),
	SHAPE(ncclGather, RING_OP_GATHER, NVTX_BYTES_ROOT),
	SHAPE(ncclScatter, RING_OP_SCATTER, NVTX_BYTES_ROOT),
	SHAPE(ncclSend, RING_OP_SEND, NVTX_BYTES_ROOT),
	SHAPE(ncclRecv, RING_OP_RECV, NVTX_BYTES_ROOT),
	SHAPE(ncclPutSignal, RING_OP_PUT, NVTX_BYTES_ROOT),
	SHAPE(ncclSignal, RING_OP_PUT, NVTX_PEER),
	SHAPE(ncclWaitSignal, RING_OP_WAITSIGNAL, NVTX_PEERS),
#undef SHAPE
};

/* Bytes of a payload behind the hash, padding included. */
static const uint8_t nvtx_sizes[] = {
	[NVTX_BYTES] = 8,
	[NVTX_BYTES_ROOT] = 16,
	[NVTX_BYTES_REDOP] = 16,
	[NVTX_BYTES_ROOT_REDOP] = 16,
	[NVTX_PEER] = 8,
	[NVTX_PEERS] = 8,
};

static const struct nvtx_shape *nvtx_shape_of(uint32_t id)
{
	static const struct nvtx_shape none;

	if (id < RING_CALL_ncclReduce || id > RING_CALL_ncclWaitSignal)
		return &none;
	return &nvtx_shapes[id - RING_CALL_ncclReduce];
}

/* --- What an op's payload says --------------------------------------------------------------- */

static uint32_t nvtx_word(const void *bytes, size_t at)
{
	uint32_t word;

	memcpy(&word, (const char *)bytes + at, sizeof(word));
	return word;
}

static uint64_t nvtx_long(const void *bytes, size_t at)
{
	uint64_t word;

	memcpy(&word, (const char *)bytes + at, sizeof(word));
	return word;
}

/* Reads the op in `bytes`, which lie behind the hash. */
static void nvtx_read_op(const struct nvtx_shape *shape, const void *bytes, struct nccl_op *op)
{
	unsigned redop = 0;
	uint32_t peer = RING_SIG_NO_PEER;

	op->count = shape->layout < NVTX_PEER ? nvtx_long(bytes, 0) : 0;
	switch (shape->layout) {
	case NVTX_BYTES_ROOT_REDOP:
		redop = nvtx_word(bytes, 12);
		peer = nvtx_word(bytes, 8);
		break;
	case NVTX_BYTES_ROOT:
		peer = nvtx_word(bytes, 8);
		break;
	case NVTX_BYTES_REDOP:
		redop = nvtx_word(bytes, 8);
		break;
	case NVTX_PEER:
		peer = nvtx_word(bytes, 0);
		break;
	case NVTX_PEERS:
		op->count = nvtx_word(bytes, 0);
		break;
	default:
		break;
	}
	op->sig = ring_sig(shape->op, RING_SIG_BYTES, redop, peer);
}

static void nvtx_op_begin(struct probe_thread *me, uint32_t id, const struct nvtx_abi_payload *p)
{
	const struct nvtx_shape *shape = nvtx_shape_of(id);
	size_t size = nvtx_sizes[shape->layout];
	struct nccl_op op = {.call = id, .stream = NCCL_STREAM_UNKNOWN,
		.sig = ring_sig(shape->op, RING_SIG_BYTES, RING_SIG_UNKNOWN, RING_SIG_NO_PEER)};
	int group = GROUP_NONE;

	if (p && p->size == size + sizeof(uint64_t)) {
		group = nvtx_comm_group(me, nvtx_long(p->bytes, 0));
		nvtx_read_op(shape, (const char *)p->bytes + sizeof(uint64_t), &op);
	} else if (p && p->size == size) {
		group = nvtx_comm_only();
		nvtx_read_op(shape, p->bytes, &op);
	}
	nvtx_here.kind = NVTX_OP;
	nvtx_here.call = nccl_op_begin_in(me, &op, group);
}

/* --- Other calls ----------------------------------------------------------------------------- */

static enum nvtx_kind nvtx_kind_of(uint32_t id)
{
	switch (id) {
	case 0:
		return NVTX_NOTHING;
	case RING_CALL_ncclGroupStart:
		return NVTX_GROUP_START;
	case RING_CALL_ncclGroupEnd:
		return NVTX_GROUP_END;
	case RING_CALL_ncclCommInitRank:
	case RING_CALL_ncclCommInitRankConfig:
	case RING_CALL_ncclCommInitRankScalable:
	case RING_CALL_ncclCommInitAll:
	case RING_CALL_ncclCommSplit:
	case RING_CALL_ncclCommShrink:
	case RING_CALL_ncclCommGrow:
		return NVTX_BIRTH;
	case RING_CALL_ncclCommFinalize:
	case RING_CALL_ncclCommDestroy:
	case RING_CALL_ncclCommAbort:
	case RING_CALL_ncclCommRevoke:
		return NVTX_END;
	default:
		return nvtx_shape_of(id)->op ? NVTX_OP : NVTX_CALL;
	}
}

/* Begins a call about a communicator, which may say at its begin which one that is. */
static void nvtx_comm_begin(struct probe_thread *me, uint32_t id, const struct nvtx_abi_payload *p)
{
	struct nvtx_comm told;
	int group = GROUP_NONE;

	if (p && nvtx_comm_read(id, p, &told)) {
		if (nvtx_here.kind == NVTX_BIRTH) {
			group = nvtx_comm_meets(me, id, &told);
			nvtx_here.kind = NVTX_BIRTH_SHOWN;
		} else {
			group = told.hash ? nvtx_comm_group(me, told.hash) : nvtx_comm_only();
		}
	}
	nvtx_here.group = group;
	nvtx_here.tsc = probe_now(me);
	nvtx_here.call = nccl_call_begin(me, id, group, (const uint64_t[3]){0});
}

static void nvtx_begin(struct probe_thread *me, uint32_t id, const struct nvtx_abi_payload *p)
{
	nvtx_here.group = GROUP_NONE;
	switch (nvtx_here.kind) {
	case NVTX_OP:
		nvtx_op_begin(me, id, p);
		break;
	case NVTX_BIRTH:
	case NVTX_END:
		nvtx_comm_begin(me, id, p);
		break;
	case NVTX_GROUP_START:
		nvtx_here.call = nccl_group_start_begin(me);
		break;
	case NVTX_GROUP_END:
		nvtx_here.call = nccl_group_end_begin(me);
		break;
	default:
		nvtx_here.call = nccl_call_begin(me, id, GROUP_NONE, (const uint64_t[3]){0});
		break;
	}
}

/*
 * Ends the call of the open range. `p` is what the end itself told, NULL if it told nothing. NCCL's
 * result is never told.
 */
static void nvtx_end(struct probe_thread *me, const struct nvtx_abi_payload *p)
{
	struct nvtx_comm told;
	int tells = p && nvtx_comm_read(nvtx_here.id, p, &told);

	switch (nvtx_here.kind) {
	case NVTX_OP:
		nccl_op_end(me, &nvtx_here.call, NCCL_ABI_NOT_TOLD);
		break;
	case NVTX_GROUP_START:
		nccl_group_start_end(me, &nvtx_here.call, NCCL_ABI_NOT_TOLD);
		break;
	case NVTX_GROUP_END:
		nccl_group_end_end(me, &nvtx_here.call, NCCL_ABI_NOT_TOLD);
		break;
	default:
		nccl_call_end(me, &nvtx_here.call, NCCL_ABI_NOT_TOLD);
		if (nvtx_here.kind == NVTX_BIRTH && tells)
			nvtx_comm_born(me, nvtx_here.id, &told, nvtx_here.tsc);
		if (nvtx_here.kind == NVTX_BIRTH_SHOWN)
			nvtx_comm_met(me, nvtx_here.id, nvtx_here.group);
		if (nvtx_here.kind == NVTX_END && tells)
			nvtx_here.group = nvtx_comm_group(me, told.hash);
		if (nvtx_here.kind == NVTX_END)
			nvtx_comm_ended(me, nvtx_here.id, nvtx_here.group);
		break;
	}
}

/* --- The callbacks --------------------------------------------------------------------------- */

static uint32_t nvtx_event_call(const struct nvtx_abi_event *event)
{
	if (event->message_type == NVTX_ABI_REGISTERED)
		return (uint32_t)((uintptr_t)event->message.registered >> 1);
	if (event->message_type == NVTX_ABI_MESSAGE_ASCII)
		return nvtx_call_named(event->message.ascii);
	return 0;
}

static const struct nvtx_abi_payload *nvtx_event_payload(const struct nvtx_abi_event *event)
{
	const struct nvtx_abi_payload *p = event->payload.ext;

	return event->payload_type == NVTX_ABI_PAYLOAD_EXT && event->payloads > 0 && p && p->bytes
		       ? p
		       : NULL;
}

/*
 * True if the open range is an init whose end will never be told, since nobody listens to payloads.
 */
static int nvtx_end_is_lost(void)
{
	return nvtx_here.me && nvtx_here.kind == NVTX_BIRTH && !nvtx_tells_payloads;
}

static void nvtx_close(const struct nvtx_abi_payload *p)
{
	struct probe_thread *me = nvtx_here.me;

	nvtx_here.me = NULL;
	if (!me || me != probe_me)
		return; /* the thread's own state has ended before the range */
	if (nvtx_here.kind != NVTX_NOTHING && __atomic_load_n(probe_epoch, __ATOMIC_ACQUIRE))
		nvtx_end(me, p);
	probe_leave(me);
}

/*
 * Enters a recorded call of that kind. A birth, or a group in which there may be one, makes the
 * process a rank; NULL if there is nothing to record.
 */
static struct probe_thread *nvtx_enter(enum nvtx_kind kind)
{
	if (kind == NVTX_BIRTH || kind == NVTX_GROUP_START)
		return probe_enter_needing(PROBE_NEED_RANK);
	return kind == NVTX_NOTHING ? NULL : probe_enter();
}

int nvtx_range_push(const void *domain, const struct nvtx_abi_event *event)
{
	struct probe_thread *me = probe_me;
	enum nvtx_kind kind;
	uint32_t id;

	if (domain != nvtx_domain_nccl || !event)
		return 0;
	if (hook_unlikely(nvtx_end_is_lost()))
		nvtx_close(NULL);
	if (nvtx_here.nested || (me && me->depth)) {
		nvtx_here.nested++;
		return (int)nvtx_here.nested;
	}
	id = nvtx_event_call(event);
	kind = nvtx_kind_of(id);
	me = nvtx_enter(kind);
	if (!me) {
		nvtx_here.nested++;
		return (int)nvtx_here.nested;
	}
	nvtx_here.me = me;
	nvtx_here.kind = kind;
	nvtx_here.id = id;
	nvtx_begin(me, id, nvtx_event_payload(event));
	return 0;
}

int nvtx_range_pop(const void *domain)
{
	return nvtx_range_pop_payload(domain, NULL, 0);
}

int nvtx_range_pop_payload(const void *domain, const struct nvtx_abi_payload *payloads, size_t nr)
{
	if (domain != nvtx_domain_nccl)
		return 0;
	if (nvtx_here.nested)
		nvtx_here.nested--;
	else
		nvtx_close(nr && payloads && payloads->bytes ? payloads : NULL);
	return (int)nvtx_here.nested;
}
