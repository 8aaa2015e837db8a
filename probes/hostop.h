/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostop.h: records an op whose library tells on the host when it is done (work.h), from its call
 * to the call's return.
 *
 *	host_op_enter()		CALL_ENTER; the op enters its group, and is open
 *	work_bind()		what stands for it beyond the call's return, if anything does
 *	host_op_return()	CALL_EXIT; without anything bound it is done, or has failed
 */
#ifndef PROBES_HOSTOP_H
#define PROBES_HOSTOP_H

#include "probes/probe.h"

/* What an op is, as its arguments say. */
struct host_op_of {
	/* the group's entry in the ring; below 0: not known, which is counted as lost */
	int group;
	unsigned flags; /* RING_F_P2P or 0 */
	uint64_t count, sig;
	uint64_t tag;	/* of a send or receive; RING_TAG_ANY: any */
};

struct host_op {
	struct probe_thread *me; /* of probe_enter(): set by the caller */
	uint64_t meta; /* of its CALL_ENTER */
	uint64_t ticket; /* of its CALL_ENTER */
	uint64_t number; /* the op's number (work.h) */
	struct ring_entered entered;
};

/* Notes that the op is called, by `call`, an enum ring_call. */
void host_op_enter(struct host_op *op, uint32_t call, const struct host_op_of *of);

/* Notes the return, with RING_F_FAILED or 0, and leaves the thread (probe_leave()). */
void host_op_return(struct host_op *op, unsigned failed);

#endif
