/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccl.h: what the NCCL wrappers share: how a call is recorded, and how an op enters its group.
 *
 *	nccl.c		the wrappers made from nccl.def's OP and CALL lines
 *	comm.h		communicators: born, ready, finalized, destroyed, aborted, revoked
 *	launch.c	ops and group calls: when an op is entered
 *	nvtx.h		the same for callers that the wrappers do not see
 *
 * ORDER OF OPERATIONS. An op outside a group call is entered as it is called. Between the outermost
 * ncclGroupStart and ncclGroupEnd nothing happens yet: the calls are recorded as they come, the ops
 * wait in the thread's queue, and the outermost ncclGroupEnd enters them all, in the order of their
 * calls, just before the real one runs. An op refused by the real function is not queued; one
 * refused by the launch is marked as failed.
 */
#ifndef PROBES_NCCL_H
#define PROBES_NCCL_H

#include <stddef.h>
#include <stdint.h>

#include "probes/nccl/group.h"
#include "probes/nccl/nccl-abi.h"
#include "probes/probe.h"

/* The answer of a wrapper if there is no NCCL behind it. */
#define NCCL_MISSING NCCL_ABI_SYSTEM_ERROR

/* A call that is under way. */
struct nccl_call {
	uint64_t meta; /* of its CALL_ENTER */
	uint64_t index;
	uint64_t ticket;
	struct ring_entered entered; /* of an op that is entered */
	void *stream;
	int queued;    /* 1: the op waits for the group's end */
	int outermost; /* 1: an ncclGroupEnd that launches */
};

/* The arguments of an op. */
struct nccl_op {
	uint32_t call; /* enum ring_call */
	uint64_t count;
	uint64_t sig;
	const void *comm;
	void *stream; /* NCCL_STREAM_UNKNOWN: its completion is not followed */
};

#define NCCL_STREAM_UNKNOWN ((void *)UINTPTR_MAX)

/*
 * Begins a call that is no op: group (or GROUP_NONE), and count, sig (op NONE), aux. Writes lane
 * and board.
 */
struct nccl_call nccl_call_begin(
	struct probe_thread *me, uint32_t call, int group, const uint64_t words[3]);
/* Ends it: its exit in the lane, an idle board. A result of "in progress" is no failure. */
void nccl_call_end(struct probe_thread *me, const struct nccl_call *c, int result);

/* Enters an op now, or queues it for the end of the group. */
struct nccl_call nccl_op_begin(struct probe_thread *me, const struct nccl_op *op);
/* Does the same if the group is known otherwise than by op->comm; GROUP_NONE is counted. */
struct nccl_call nccl_op_begin_in(struct probe_thread *me, const struct nccl_op *op, int group);

/*
 * Ends it. An op that was entered is recorded as returned, and its completion is followed; an op
 * that was queued and refused leaves the queue.
 */
void nccl_op_end(struct probe_thread *me, struct nccl_call *c, int result);

/* For ncclGroupStart and ncclGroupEnd: what to do before the real call, and what after it. */
struct nccl_call nccl_group_start_begin(struct probe_thread *me);
void nccl_group_start_end(struct probe_thread *me, const struct nccl_call *c, int result);
struct nccl_call nccl_group_end_begin(struct probe_thread *me);
void nccl_group_end_end(struct probe_thread *me, const struct nccl_call *c, int result);

/* Binds the communicators that were born in an explicit group, at its end. */
void comm_bind_born(struct probe_thread *me, int result);

#endif
