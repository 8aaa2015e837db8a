/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm.h: how groups are born, change and die.
 *
 * A birth is shown before the real call: a rank that blocks in its communicator's init is there for
 * all to see, as a group that is not READY. Values that only the real call can tell (the handle;
 * for a child also size and rank) are filled in after it. Inside an explicit group call NCCL fills
 * the handle in at the group's end, so such births wait in the thread until then. A non-blocking
 * communicator is ready when ncclCommGetAsyncError first says so.
 *
 *	comm.c		what all births share
 *	birth.c		groups from a unique id
 *	kin.c		groups from other groups: split, shrunk, grown
 *	ends.c		finalized, destroyed, aborted, revoked; errors that come later
 */
#ifndef PROBES_COMM_H
#define PROBES_COMM_H

#include "probes/nccl/nccl.h"

#define COMM_MAX    64    /* members of this process that can be told apart */
#define COMM_HASHED 22602 /* the first NCCL version with the commHash that we compute */

/* A birth under way. */
struct comm_birth {
	struct nccl_call call;
	struct ring_member member;
	int group; /* its entry in the ring, or GROUP_NONE */
};

/* Returns the library's version (0 unknown), which is also noted in the ring's header. */
int comm_nccl_version(struct probe_thread *me);

/* Takes the version that ncclGetVersion returned. */
void comm_note_version(int version);

/* Returns our key of the group that a unique id founds; never 0. */
uint64_t comm_id_key(const ncclUniqueId *id);
/*
 * Returns NCCL's commHash of that group; 0 if this NCCL has another formula, or its version is
 * unknown.
 */
uint64_t comm_id_alias(struct probe_thread *me, const ncclUniqueId *id);

/* Reads name and blocking from a config, as far as it has them; NULL has none. */
void comm_config(struct probe_thread *me, struct ring_member *m, const ncclConfig_t *config);

/* Shows a member that is about to meet the others, pinned. Returns its entry, or GROUP_NONE. */
int comm_show(struct probe_thread *me, uint32_t call, struct ring_member *m);

/*
 * Begins the call that shows the birth; `parent` is the group that the call is made on, or
 * GROUP_NONE where it is the newborn itself.
 */
void comm_birth_begin(struct probe_thread *me, struct comm_birth *b, uint32_t call, int parent);

/*
 * Ends the call, with the handle in *comm (NULL: none); inside an explicit group the handle comes
 * only at the group's end. Pins the outcome of the birth.
 */
void comm_birth_end(struct probe_thread *me, struct comm_birth *b, ncclComm_t *comm, int result);

/* Takes the init's `result`: binds the member to its handle and makes it ready, or removes it. */
void comm_settle(struct probe_thread *me, int group, const void *comm, int result);

/* Makes the group READY, after filling in what only NCCL knew. */
void comm_ready(struct probe_thread *me, int group, const void *comm);

/* Writes a COMM record: what a call did to a group. */
void comm_pin(struct probe_thread *me, uint64_t meta, const struct ring_member *m, int result);

/* Returns the first word of a COMM record: its call, on a group or on GROUP_NONE. */
uint64_t comm_meta(uint32_t call, unsigned flags, int group);

/* Returns the flags of a COMM record at a call's return. */
unsigned comm_end_flags(int result);

#endif
