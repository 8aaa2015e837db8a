/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event belongs to no stream for good: it stands for the work before its latest record. So a
 * table of 4096 places remembers where each was recorded last. It is hashed, without lock or
 * removal; where eight neighbours are taken the newest displaces one, and a reader that does not
 * find its event says "any stream". A lock would make each event record of the program wait for
 * others; a wait that is shown on "any stream" costs nothing.
 */
#include "probes/nccl/cuda.h"

#include "probes/probe.h"

#define CUDA_NO_EVENT   NULL
#define CUDA_ANY_STREAM ((void *)UINTPTR_MAX)
#define CUDA_EVENTS     4096 /* a power of two */
#define CUDA_TRIES      8

/* --- Events -> streams ----------------------------------------------------------------------- */

/* Writers: all threads that record events, word by word with atomics. */
static struct {
	uint64_t event;
	uint64_t stream;
} cuda_events[CUDA_EVENTS];

/* Returns the probe-th place where an event may be. */
static unsigned cuda_event_slot(const void *event, unsigned probe)
{
	uint64_t hash = ((uint64_t)(uintptr_t)event >> 4) * 0x9e3779b97f4a7c15ull >> 40;

	return (unsigned)(hash + probe) % CUDA_EVENTS;
}

/*
 * Remembers where an event was recorded. Events are created and destroyed all day: if a
 * neighbourhood is full, the newest displaces one.
 */
static void cuda_event_recorded(const void *event, const void *stream)
{
	uint64_t key = (uint64_t)(uintptr_t)event;
	unsigned at = cuda_event_slot(event, 0);

	for (unsigned probe = 0; event && probe < CUDA_TRIES; probe++) {
		unsigned slot = cuda_event_slot(event, probe);
		uint64_t seen = ring_load(&cuda_events[slot].event);

		if (seen != key && (seen || !ring_cas(&cuda_events[slot].event, 0, key)))
			continue;
		at = slot;
		break;
	}
	ring_store(&cuda_events[at].event, key);
	ring_store(&cuda_events[at].stream, (uint64_t)(uintptr_t)stream);
}

/* Returns the stream where an event was recorded last; CUDA_ANY_STREAM if that is not known. */
static void *cuda_stream_of(const void *event)
{
	for (unsigned probe = 0; event && probe < CUDA_TRIES; probe++) {
		unsigned slot = cuda_event_slot(event, probe);

		if (ring_load(&cuda_events[slot].event) == (uint64_t)(uintptr_t)event)
			return (void *)(uintptr_t)ring_load(&cuda_events[slot].stream);
	}
	return CUDA_ANY_STREAM;
}

/* --- Waits ----------------------------------------------------------------------------------- */

struct cuda_wait {
	struct ring_record r;
	uint64_t ticket;
};

/* Records a wait, in lane and board, before the thread may block for ever. */
static struct cuda_wait cuda_wait_begin(
	struct probe_thread *me, uint32_t call, const void *event, const void *stream)
{
	uint64_t now = probe_now(me);
	struct cuda_wait w = {.r = {
				      .meta = ring_meta(RING_WAIT_ENTER, 0, RING_NO_GROUP, call),
				      .index = (uint64_t)(uintptr_t)event,
				      .aux = (uint64_t)(uintptr_t)stream,
			      }};

	w.ticket = probe_put(me, now, &w.r);
	probe_board(me, now, &w.r);
	return w;
}

static void cuda_wait_end(struct probe_thread *me, const struct cuda_wait *w, int result)
{
	uint64_t now = probe_now(me);
	const struct ring_record r = {
		.meta = ring_meta(RING_WAIT_EXIT, result ? RING_F_FAILED : 0, RING_NO_GROUP,
			ring_meta_arg(w->r.meta)),
		.aux = (uint64_t)(uint32_t)result,
		.more = w->ticket,
	};

	probe_put(me, now, &r);
	probe_idle(me, now);
}

/* Shows a poll on the board alone: the thread asks again and again, or has its answer. */
static void cuda_polled(struct probe_thread *me, const struct ring_record *poll, int result)
{
	uint64_t now;

	if (!me->lane)
		return;
	now = probe_now(me);
	if (result == CUDA_ABI_NOT_READY)
		ring_lane_board(me->lane, now, poll);
	else if (me->polling)
		ring_lane_idle(me->lane, now);
	me->polling = result == CUDA_ABI_NOT_READY ? PROBE_POLLS_WORK : 0;
}

#define CUDA_WAIT(name, params, args, sonames, event, stream)                                      \
	HOOK_EXPORT int name params;                                                               \
	HOOK_EXPORT int name params                                                                \
	{                                                                                          \
		__typeof__(name) *real = HOOK_REAL(name, sonames);                           \
		struct probe_thread *me;                                                           \
		struct cuda_wait w;                                                                \
		int result;                                                                        \
                                                                                                   \
		if (hook_unlikely(!real))                                                          \
			return CUDA_ABI_MISSING;                                                   \
		me = probe_enter();                                                                \
		if (!me)                                                                           \
			return real args;                                                          \
		w = cuda_wait_begin(me, RING_CALL_##name, event, stream);                          \
		result = real args;                                                                \
		cuda_wait_end(me, &w, result);                                                     \
		probe_leave(me);                                                                   \
		return result;                                                                     \
	}

#define CUDA_POLL(name, params, args, sonames, event_, stream_)                                    \
	HOOK_EXPORT int name params;                                                               \
	HOOK_EXPORT int name params                                                                \
	{                                                                                          \
		__typeof__(name) *real = HOOK_REAL(name, sonames);                           \
		struct probe_thread *me;                                                           \
		int result;                                                                        \
                                                                                                   \
		if (hook_unlikely(!real))                                                          \
			return CUDA_ABI_MISSING;                                                   \
		me = probe_enter();                                                                \
		if (!me)                                                                           \
			return real args;                                                          \
		result = real args;                                                                \
		cuda_polled(me,                                                                    \
			&(const struct ring_record){                                               \
				.meta = ring_meta(RING_WAIT_ENTER, RING_F_POLL, RING_NO_GROUP,     \
					RING_CALL_##name),                                         \
				.index = (uint64_t)(uintptr_t)(event_),                            \
				.aux = (uint64_t)(uintptr_t)(stream_)},                            \
			result);                                                                   \
		probe_leave(me);                                                                   \
		return result;                                                                     \
	}

#include "probes/nccl/cuda.def"

/* --- Edges between streams ------------------------------------------------------------------- */

/*
 * Remembers on which stream the event was recorded last, before the real call: another thread may
 * wait for it at once. No record, no ring needed; also inside calls of NCCL. Any thread.
 */
HOOK_EXPORT int cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
HOOK_EXPORT int cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	__typeof__(cudaEventRecord) *real =
		HOOK_REAL(cudaEventRecord, hook_cudart);

	if (hook_unlikely(!real))
		return CUDA_ABI_MISSING;
	cuda_event_recorded(event, stream);
	return real(event, stream);
}

/* Does the same, with flags. */
HOOK_EXPORT int cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags);
HOOK_EXPORT int cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
	__typeof__(cudaEventRecordWithFlags) *real =
		HOOK_REAL(cudaEventRecordWithFlags, hook_cudart);

	if (hook_unlikely(!real))
		return CUDA_ABI_MISSING;
	cuda_event_recorded(event, stream);
	return real(event, stream, flags);
}

/*
 * Records that a stream waits for an event, and so for what the event's stream does before it.
 * Only where the real call took it. The host does not wait.
 */
HOOK_EXPORT int cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
HOOK_EXPORT int cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
	__typeof__(cudaStreamWaitEvent) *real =
		HOOK_REAL(cudaStreamWaitEvent, hook_cudart);
	struct probe_thread *me;
	int result;

	if (hook_unlikely(!real))
		return CUDA_ABI_MISSING;
	me = probe_enter();
	if (!me)
		return real(stream, event, flags);
	result = real(stream, event, flags);
	if (!result)
		probe_put(me, probe_now(me),
			&(const struct ring_record){
				.meta = ring_meta(
					RING_EDGE, 0, RING_NO_GROUP, RING_CALL_cudaStreamWaitEvent),
				.index = (uint64_t)(uintptr_t)event,
				.aux = (uint64_t)(uintptr_t)stream,
				.more = (uint64_t)(uintptr_t)cuda_stream_of(event),
			});
	probe_leave(me);
	return result;
}

/* --- Questions ------------------------------------------------------------------------------- */

int cuda_is_capturing(void *stream)
{
	static void *slot;
	/* it is asked once libnccl is in use: then the driver is there, or never will be */
	static int missing;
	int (*ask)(void *, int *);
	int status = CUDA_ABI_CAPTURE_NONE;

	if (!stream || missing)
		return 0;
	ask = (int (*)(void *, int *))hook_borrow(&slot, "cuStreamIsCapturing", hook_cuda);
	if (hook_unlikely(!ask)) {
		missing = 1;
		return 0;
	}
	return !ask(stream, &status) && status != CUDA_ABI_CAPTURE_NONE;
}
