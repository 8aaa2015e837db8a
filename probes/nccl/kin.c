/* SPDX-License-Identifier: Apache-2.0 */
/* kin.c: groups that come from other groups: split, shrunk, grown. */
#include "probes/nccl/comm.h"

/*
 * Fills in a child's identity, if its parent is known. Else `key` stays 0, which nobody can match.
 */
static void comm_birth_of_kin(
	struct probe_thread *me, struct comm_birth *b, int parent, const ncclConfig_t *config)
{
	b->member.rank = UINT32_MAX; /* not known before all have met */
	b->member.device = -1;
	if (parent >= 0)
		b->member.parent = me->ring->groups[parent].key;
	comm_config(me, &b->member, config);
}

/*
 * Fills in a split child's identity. The number of splits counts those without a color, too, on
 * every rank; NCCL counts the same, and hashes it into commHash.
 */
static void comm_birth_of_split(
	struct probe_thread *me, struct comm_birth *b, int parent, int color)
{
	uint32_t number;

	b->member.color = color;
	if (parent < 0)
		return;
	number = ring_group_split(me->ring, parent);
	if (color == NCCL_ABI_SPLIT_NOCOLOR)
		return;
	b->member.key = group_key_of_kin(b->member.parent, GROUP_SPLIT, number, (uint32_t)color);
	b->member.alias =
		group_alias_of_kin(me->ring->groups[parent].alias, (int32_t)number, color);
}

/*
 * Splits a group. The child's key comes from the parent's, how many splits it had and the color, so
 * that all who share a color agree on it. NOCOLOR founds no group: it is a call on the parent, in
 * which the rank waits, too.
 */
HOOK_EXPORT ncclResult_t ncclCommSplit(
	ncclComm_t comm, int color, int key, ncclComm_t *newcomm, ncclConfig_t *config);
HOOK_EXPORT ncclResult_t ncclCommSplit(
	ncclComm_t comm, int color, int key, ncclComm_t *newcomm, ncclConfig_t *config)
{
	__typeof__(ncclCommSplit) *real = HOOK_REAL(ncclCommSplit, hook_nccl);
	struct probe_thread *me;
	struct comm_birth b = {.group = GROUP_NONE};
	int parent = group_of(comm);
	ncclResult_t result;

	if (!real)
		return NCCL_MISSING;
	me = probe_enter_needing(PROBE_NEED_RANK);
	if (!me)
		return real(comm, color, key, newcomm, config);
	comm_birth_of_kin(me, &b, parent, config);
	comm_birth_of_split(me, &b, parent, color);
	if (color == NCCL_ABI_SPLIT_NOCOLOR)
		b.call = nccl_call_begin(me, RING_CALL_ncclCommSplit, parent,
			(const uint64_t[3]){0, 0, (uint64_t)color});
	else
		comm_birth_begin(me, &b, RING_CALL_ncclCommSplit, parent);
	result = real(comm, color, key, newcomm, config);
	comm_birth_end(me, &b, newcomm, result);
	probe_leave(me);
	return result;
}

/*
 * Shrinks a group to those who are left. Who is excluded goes into the key as a sum, so that the
 * order of the list does not matter; the child's size is known beforehand, the rank only from NCCL.
 */
HOOK_EXPORT ncclResult_t ncclCommShrink(ncclComm_t comm, int *exclude, int nexclude,
	ncclComm_t *newcomm, ncclConfig_t *config, int flags);
HOOK_EXPORT ncclResult_t ncclCommShrink(ncclComm_t comm, int *exclude, int nexclude,
	ncclComm_t *newcomm, ncclConfig_t *config, int flags)
{
	__typeof__(ncclCommShrink) *real = HOOK_REAL(ncclCommShrink, hook_nccl);
	struct probe_thread *me;
	struct comm_birth b = {.group = GROUP_NONE};
	int parent = group_of(comm);
	uint64_t excluded = 0; /* a sum: the list may be in any order */
	ncclResult_t result;

	if (!real)
		return NCCL_MISSING;
	me = probe_enter_needing(PROBE_NEED_RANK);
	if (!me)
		return real(comm, exclude, nexclude, newcomm, config, flags);
	comm_birth_of_kin(me, &b, parent, config);
	for (int i = 0; exclude && i < nexclude; i++)
		excluded += group_key_of_kin(0, GROUP_SHRUNK, (uint32_t)exclude[i], 0);
	if (parent >= 0) {
		b.member.key = group_key_of_kin(b.member.parent, GROUP_SHRUNK,
			group_number_child(parent, GROUP_SHRUNK), excluded);
		b.member.alias = group_alias_of_kin(me->ring->groups[parent].alias, 0, 0);
		b.member.size = me->ring->groups[parent].size - (uint32_t)nexclude;
	}
	comm_birth_begin(me, &b, RING_CALL_ncclCommShrink, parent);
	result = real(comm, exclude, nexclude, newcomm, config, flags);
	comm_birth_end(me, &b, newcomm, result);
	probe_leave(me);
	return result;
}

/*
 * Grows a group. Members of the old group know only that, newcomers only the unique id that one old
 * member drew: two keys for one group. That member's COMM record of ncclCommGetUniqueId has both.
 */
HOOK_EXPORT ncclResult_t ncclCommGrow(ncclComm_t comm, int nranks, const ncclUniqueId *id, int rank,
	ncclComm_t *newcomm, ncclConfig_t *config);
HOOK_EXPORT ncclResult_t ncclCommGrow(ncclComm_t comm, int nranks, const ncclUniqueId *id, int rank,
	ncclComm_t *newcomm, ncclConfig_t *config)
{
	__typeof__(ncclCommGrow) *real = HOOK_REAL(ncclCommGrow, hook_nccl);
	struct probe_thread *me;
	struct comm_birth b = {.group = GROUP_NONE};
	int parent = group_of(comm);
	ncclResult_t result;

	if (!real)
		return NCCL_MISSING;
	me = probe_enter_needing(PROBE_NEED_RANK);
	if (!me)
		return real(comm, nranks, id, rank, newcomm, config);
	comm_birth_of_kin(me, &b, parent, config);
	b.member.size = (uint32_t)nranks;
	b.member.rank = (uint32_t)rank;
	if (parent >= 0)
		b.member.key = group_key_of_kin(
			b.member.parent, GROUP_GROWN, group_number_child(parent, GROUP_GROWN), 0);
	else if (id)
		b.member.key = comm_id_key(id);
	comm_birth_begin(me, &b, RING_CALL_ncclCommGrow, parent);
	result = real(comm, nranks, id, rank, newcomm, config);
	comm_birth_end(me, &b, newcomm, result);
	probe_leave(me);
	return result;
}

/*
 * Draws an id for a group that grows out of this one. Pins which key the id stands for, so that
 * members who come by the id and those who come by the parent are found to be one group.
 */
HOOK_EXPORT ncclResult_t ncclCommGetUniqueId(ncclComm_t comm, ncclUniqueId *id);
HOOK_EXPORT ncclResult_t ncclCommGetUniqueId(ncclComm_t comm, ncclUniqueId *id)
{
	__typeof__(ncclCommGetUniqueId) *real = HOOK_REAL(ncclCommGetUniqueId, hook_nccl);
	struct probe_thread *me;
	struct nccl_call c;
	int parent = group_of(comm);
	ncclResult_t result;

	if (!real)
		return NCCL_MISSING;
	me = probe_enter();
	if (!me)
		return real(comm, id);
	c = nccl_call_begin(me, RING_CALL_ncclCommGetUniqueId, parent, (const uint64_t[3]){0});
	result = real(comm, id);
	nccl_call_end(me, &c, result);
	if (!result && id && parent >= 0) {
		const struct ring_member m = {
			.key = group_key_of_kin(me->ring->groups[parent].key, GROUP_GROWN,
				group_next_child(parent, GROUP_GROWN), 0),
			.alias = comm_id_key(id),
		};

		comm_pin(me, comm_meta(RING_CALL_ncclCommGetUniqueId, RING_F_RETURNED, parent), &m,
			result);
	}
	probe_leave(me);
	return result;
}
