/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.h: tells which group a communicator is: its identity across ranks, and its place in the
 * ring.
 *
 * The key is ours: a hash of the unique id, or of (parent's key, how many children before, color).
 * All members compute the same one, from what the API was given, without NCCL's private memory and
 * before anything blocks. NCCL's own commHash is kept beside it as an alias, since RAS, NVTX and
 * the profiler speak of it; its formula is known from 2.26.2 on, before that the alias is 0.
 *
 * The handle (ncclComm_t) is a pointer that NCCL may give again after a destroy, so it is bound to
 * an entry of the ring from init to destroy only.
 */
#ifndef PROBES_GROUP_H
#define PROBES_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "ring/ring-write.h"

#define GROUP_NONE (-1)

/* Returns our key of the group that a unique id founds: the same in all its ranks, never 0. */
uint64_t group_key_of_id(const void *id, size_t size);
/*
 * Returns NCCL's commHash of that group, by the formula of 2.26.2 and later; comm_id_alias() knows
 * if that applies.
 */
uint64_t group_alias_of_id(const void *id, size_t size);

/* How a group comes from another, which gives the words beside the parent's key. */
enum group_kin { GROUP_SPLIT = 1, GROUP_SHRUNK, GROUP_GROWN, GROUP_ALL, GROUP_HASHED, GROUP_NTH };

/* Returns the key of a group that comes from another; `words` tell siblings apart. */
uint64_t group_key_of_kin(uint64_t parent, enum group_kin kin, uint64_t first, uint64_t second);

/*
 * Returns NCCL's commHash of a split (or shrunk: number 0, color 0) child; 0 if the parent's is 0.
 */
uint64_t group_alias_of_kin(uint64_t parent_alias, int32_t number, int32_t color);

/* Counts one more child of this kind and returns its number, from 1. */
uint32_t group_number_child(int parent, enum group_kin kin);

/* Returns the number that the next child of this kind will have. */
uint32_t group_next_child(int parent, enum group_kin kin);

/* Binds a handle to this entry only; the entry has no children yet. Ignores NULL. */
void group_bind(const void *comm, int group);
/* Unbinds the handle, which NCCL may give again. Does nothing for one that is not bound. */
void group_unbind(const void *comm);

/* Returns the entry of a handle, or GROUP_NONE. The hot path. */
int group_of(const void *comm);

/* Forgets all handles, in a forked child. */
void group_forget_all(void);

#endif
