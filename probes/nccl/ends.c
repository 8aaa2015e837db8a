/* SPDX-License-Identifier: Apache-2.0 */
/* ends.c: how groups are finalized, destroyed, aborted, revoked; and errors that come later. */
#include "probes/nccl/comm.h"

static int comm_error[COMM_MAX]; /* the latest async error of each entry of the ring */

/* An end under way: what to say of the group once it is over. */
struct comm_end {
	struct nccl_call call;
	struct ring_member member;
	int group;
	uint32_t state;
};

static void comm_end_begin(
	struct probe_thread *me, struct comm_end *e, uint32_t call, const void *comm)
{
	e->group = group_of(comm);
	if (e->group >= 0) {
		const struct ring_group *g = me->ring->groups + e->group;

		e->member = (struct ring_member){
			.key = g->key, .alias = g->alias, .size = g->size, .rank = g->rank};
	}
	comm_pin(me, comm_meta(call, 0, e->group), &e->member, 0);
	e->call = nccl_call_begin(me, call, e->group, (const uint64_t[3]){0});
	/*
	 * Unbound before the real call frees it: another thread may be given the same pointer at
	 * once.
	 */
	if (e->state & (RING_G_DESTROYED | RING_G_ABORTED))
		group_unbind(comm);
}

static void comm_end_end(struct probe_thread *me, struct comm_end *e, int result)
{
	uint32_t call = ring_meta_arg(e->call.meta);

	nccl_call_end(me, &e->call, result);
	if (e->group >= 0 && (!result || result == NCCL_ABI_IN_PROGRESS))
		ring_group_state(me->ring, e->group, e->state);
	comm_pin(me, comm_meta(call, comm_end_flags(result), e->group), &e->member, result);
}

#define COMM_END(name, bits, params, args)                                                         \
	HOOK_EXPORT ncclResult_t name params;                                                      \
	HOOK_EXPORT ncclResult_t name params                                                       \
	{                                                                                          \
		__typeof__(name) *real = HOOK_REAL(name, hook_nccl);                               \
		struct comm_end e = {.state = (bits)};                                             \
		struct probe_thread *me;                                                           \
		ncclResult_t result;                                                               \
                                                                                                   \
		if (!real)                                                                         \
			return NCCL_MISSING;                                                       \
		me = probe_enter();                                                                \
		if (!me)                                                                           \
			return real args;                                                          \
		comm_end_begin(me, &e, RING_CALL_##name, comm);                                    \
		result = real args;                                                                \
		comm_end_end(me, &e, result);                                                      \
		probe_leave(me);                                                                   \
		return result;                                                                     \
	}

COMM_END(ncclCommFinalize, RING_G_FINALIZED, (ncclComm_t comm), (comm))
COMM_END(ncclCommDestroy, RING_G_DESTROYED, (ncclComm_t comm), (comm))
COMM_END(ncclCommAbort, RING_G_ABORTED, (ncclComm_t comm), (comm))
COMM_END(ncclCommRevoke, RING_G_REVOKED, (ncclComm_t comm, int revokeFlags), (comm, revokeFlags))

static int comm_is_news(int group, int error)
{
	if (!error || error == NCCL_ABI_IN_PROGRESS || group >= COMM_MAX)
		return 0;
	return __atomic_exchange_n(&comm_error[group], error, __ATOMIC_RELAXED) != error;
}

/*
 * Shows a poll, on the board alone: a thread that hears "in progress" again and again waits for the
 * communicator, until it hears something else. What another poll shows there stays.
 */
static void comm_polled(struct probe_thread *me, int group, int error)
{
	const struct ring_record poll = {
		.meta = ring_meta(RING_CALL_ENTER, RING_F_POLL, (unsigned)group,
			RING_CALL_ncclCommGetAsyncError),
	};

	if (error == NCCL_ABI_IN_PROGRESS)
		probe_board(me, probe_now(me), &poll);
	else if (me->polling == PROBE_POLLS_COMM)
		probe_idle(me, probe_now(me));
	else
		return;
	me->polling = error == NCCL_ABI_IN_PROGRESS ? PROBE_POLLS_COMM : 0;
}

/*
 * Asks for an async error. Watchdogs do so all day, so only what changes is recorded: a
 * non-blocking communicator that became ready, and an error, by its COMM record.
 */
HOOK_EXPORT ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error);
HOOK_EXPORT ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
	__typeof__(ncclCommGetAsyncError) *real = HOOK_REAL(ncclCommGetAsyncError, hook_nccl);
	struct probe_thread *me;
	int group = group_of(comm);
	ncclResult_t result;
	uint32_t state;

	if (!real)
		return NCCL_MISSING;
	me = group < 0 ? NULL : probe_enter();
	if (!me)
		return real(comm, error);
	result = real(comm, error);
	state = __atomic_load_n(&me->ring->groups[group].state, __ATOMIC_RELAXED);
	if (!result && !*error && (state & RING_G_NONBLOCKING) && !(state & RING_G_READY))
		comm_ready(me, group, comm);
	if (!result)
		comm_polled(me, group, *error);
	if (!result && comm_is_news(group, *error)) {
		const struct ring_member m = {.key = me->ring->groups[group].key};

		comm_pin(me,
			comm_meta(RING_CALL_ncclCommGetAsyncError, RING_F_RETURNED | RING_F_FAILED,
				group),
			&m, *error);
	}
	probe_leave(me);
	return result;
}
