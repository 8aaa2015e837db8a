/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvtx.h: the NVTX route. NCCL marks every call of its API as a range of NVTX, no matter how the
 * caller found the function. So this route sees callers that the wrappers cannot: programs that
 * took NCCL's functions by dlsym (ctypes, XLA, CuPy) or linked NCCL statically.
 *
 * THE ROUTE. The process is started with NVTX_INJECTION64_PATH naming this object; each library
 * that embeds NVTX then calls InitializeInjectionNvtx2() at its first range. All but NCCL are
 * declined: their ranges stay no-ops, as without us. A tool that was named there before
 * (INQUEST_NEXT_NVTX has its path) is asked first. There is only one set of slots: where a tool
 * uses it, we step aside, and say so as the trait "nvtx".
 *
 * ONE CALL, ONE RECORD. A range that begins inside a call that another route has recorded
 * (probe_thread.depth) is that same call, and is passed over; an open range raises depth itself.
 *
 * WHAT IT TELLS, less than the wrappers:
 *	- bytes, no count and type: the dtype is RING_SIG_BYTES;
 *	- the communicator's hash (2.25 and later), no handle: a group's key is derived from it, and
 *	  is its alias too, by which it is one with the same group seen by wrappers elsewhere;
 *	- no result, no stream: completion is not followed;
 *	- of an init nothing before it returns (2.25 and later): until then the thread is inside the
 *	  call, and in no group;
 *	- of a communicator that is made inside a group call, without blocking, or by a split, no
 *	  hash even then: its group is shown at its first op. A split tells no size and rank either;
 *	- before 2.25 no hash at all: only a communicator of the whole job is known (as the n-th of
 *	  its size), and ops only while it is the one communicator that this route has seen.
 *
 *	nvtx.c		the route itself: who is let in, domains and names
 *	nvtx-range.c	ranges to calls and ops
 *	nvtx-comm.c	which group a hash is; births and ends
 */
#ifndef PROBES_NVTX_H
#define PROBES_NVTX_H

#include "probes/nccl/nccl.h"
#include "probes/nvtx/nvtx-abi.h"

/* A process's domains: NCCL's, and every other. */
extern const char nvtx_domain_nccl[], nvtx_domain_other[];

/* True if an NCCL here tells ends by payload. Without that the end of an init is never seen. */
extern int nvtx_tells_payloads;

/* Returns the id of the NCCL call `name`; 0 if there is none. */
uint32_t nvtx_call_named(const char *name);

/* The callbacks of NVTX: a range begins, and ends, with payloads or without. */
int nvtx_range_push(const void *domain, const struct nvtx_abi_event *event);
int nvtx_range_pop(const void *domain);
int nvtx_range_pop_payload(const void *domain, const struct nvtx_abi_payload *payloads, size_t nr);

/* A communicator as a payload describes it; `nranks` 0 and `rank` UINT32_MAX are unknown. */
struct nvtx_comm {
	uint64_t hash;
	uint64_t parent; /* the hash of its parent; 0 none */
	uint32_t nranks;
	uint32_t rank;
	int32_t device;
	int32_t color;
	int split; /* nranks and rank are the parent's */
};

/* Reads the payload of a birth or an end. Returns 1 if it is one that we know. */
int nvtx_comm_read(uint32_t call, const struct nvtx_abi_payload *payload, struct nvtx_comm *ret);

/*
 * Returns the group of this hash on this thread, maybe just born; GROUP_NONE where it is unknown.
 */
int nvtx_comm_group(struct probe_thread *me, uint64_t hash);
/* Returns the only communicator, for an NCCL that tells no hash; else GROUP_NONE. */
int nvtx_comm_only(void);

/*
 * Takes hash, size and rank of a communicator. Returns its group, made where there is none, and
 * given its seat where a split's child lacks one.
 */
int nvtx_comm_told(struct probe_thread *me, uint64_t hash, uint32_t nranks, uint32_t rank);

/* Notes that a communicator's init, begun at `tsc`, has come back. */
void nvtx_comm_born(
	struct probe_thread *me, uint32_t call, const struct nvtx_comm *told, uint64_t tsc);
/*
 * Begins the init of a communicator without hash. Returns its group, or GROUP_NONE where that is
 * unknown.
 */
int nvtx_comm_meets(struct probe_thread *me, uint32_t call, const struct nvtx_comm *told);
/* Notes that an init has come back. */
void nvtx_comm_met(struct probe_thread *me, uint32_t call, int group);
/* Notes that the call that ends a communicator (finalize, destroy, abort, revoke) has come back. */
void nvtx_comm_ended(struct probe_thread *me, uint32_t call, int group);

#endif
