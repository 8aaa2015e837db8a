/* SPDX-License-Identifier: Apache-2.0 */
/* birth.c: groups that come from a unique id. */
#include "probes/nccl/comm.h"
#include "probes/process.h"

static void comm_birth_of_id(struct probe_thread *me, struct comm_birth *b, const ncclUniqueId *id,
	const ncclConfig_t *config)
{
	b->member.key = comm_id_key(id);
	b->member.alias = comm_id_alias(me, id);
	b->member.device = -1;
	comm_config(me, &b->member, config);
}

/*
 * Passes through. The answer is remembered, which tells which of NCCL's formulas hold. Records
 * nothing.
 */
HOOK_EXPORT ncclResult_t ncclGetVersion(int *version);
HOOK_EXPORT ncclResult_t ncclGetVersion(int *version)
{
	__typeof__(ncclGetVersion) *real = HOOK_REAL(ncclGetVersion, hook_nccl);
	ncclResult_t result = real ? real(version) : NCCL_MISSING;

	if (!result && version)
		comm_note_version(*version);
	return result;
}

/* Inside a call of ours (ncclCommInitAll) the id tells which group that call is founding. */
HOOK_EXPORT ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
HOOK_EXPORT ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
	__typeof__(ncclGetUniqueId) *real = HOOK_REAL(ncclGetUniqueId, hook_nccl);
	struct probe_thread *me;
	struct nccl_call c;
	ncclResult_t result;

	if (!real)
		return NCCL_MISSING;
	me = probe_enter();
	if (!me) {
		result = real(id);
		if (!result && id && probe_me && probe_me->depth)
			probe_me->unique_alias = group_alias_of_id(id->internal, sizeof(*id));
		return result;
	}
	c = nccl_call_begin(me, RING_CALL_ncclGetUniqueId, GROUP_NONE, (const uint64_t[3]){0});
	result = real(id);
	nccl_call_end(me, &c, result);
	probe_leave(me);
	return result;
}

/*
 * Makes this process a rank. The member is shown before the real call, which may block for ever;
 * size and rank are the program's own words. So for its two variants below.
 */
HOOK_EXPORT ncclResult_t ncclCommInitRank(
	ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank);
HOOK_EXPORT ncclResult_t ncclCommInitRank(
	ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank)
{
	__typeof__(ncclCommInitRank) *real = HOOK_REAL(ncclCommInitRank, hook_nccl);
	struct probe_thread *me;
	struct comm_birth b = {.member = {.size = (uint32_t)nranks, .rank = (uint32_t)rank}};
	ncclResult_t result;

	if (!real)
		return NCCL_MISSING;
	me = probe_enter_needing(PROBE_NEED_RANK);
	if (!me)
		return real(comm, nranks, commId, rank);
	comm_birth_of_id(me, &b, &commId, NULL);
	comm_birth_begin(me, &b, RING_CALL_ncclCommInitRank, GROUP_NONE);
	result = real(comm, nranks, commId, rank);
	comm_birth_end(me, &b, comm, result);
	probe_leave(me);
	return result;
}

/*
 * Does the same, with name and blocking from the config. A communicator that is non-blocking is
 * ready only later.
 */
HOOK_EXPORT ncclResult_t ncclCommInitRankConfig(
	ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank, ncclConfig_t *config);
HOOK_EXPORT ncclResult_t ncclCommInitRankConfig(
	ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank, ncclConfig_t *config)
{
	__typeof__(ncclCommInitRankConfig) *real = HOOK_REAL(ncclCommInitRankConfig, hook_nccl);
	struct probe_thread *me;
	struct comm_birth b = {.member = {.size = (uint32_t)nranks, .rank = (uint32_t)rank}};
	ncclResult_t result;

	if (!real)
		return NCCL_MISSING;
	me = probe_enter_needing(PROBE_NEED_RANK);
	if (!me)
		return real(comm, nranks, commId, rank, config);
	comm_birth_of_id(me, &b, &commId, config);
	comm_birth_begin(me, &b, RING_CALL_ncclCommInitRankConfig, GROUP_NONE);
	result = real(comm, nranks, commId, rank, config);
	comm_birth_end(me, &b, comm, result);
	probe_leave(me);
	return result;
}

/*
 * Does the same with several ids, of which the first one founds the key. Without ids it passes
 * through unseen.
 */
HOOK_EXPORT ncclResult_t ncclCommInitRankScalable(
	ncclComm_t *comm, int nranks, int rank, int nId, ncclUniqueId *ids, ncclConfig_t *config);
HOOK_EXPORT ncclResult_t ncclCommInitRankScalable(
	ncclComm_t *comm, int nranks, int rank, int nId, ncclUniqueId *ids, ncclConfig_t *config)
{
	__typeof__(ncclCommInitRankScalable) *real = HOOK_REAL(ncclCommInitRankScalable, hook_nccl);
	struct probe_thread *me;
	struct comm_birth b = {.member = {.size = (uint32_t)nranks, .rank = (uint32_t)rank}};
	ncclResult_t result;

	if (!real)
		return NCCL_MISSING;
	me = ids && nId > 0 ? probe_enter_needing(PROBE_NEED_RANK) : NULL;
	if (!me)
		return real(comm, nranks, rank, nId, ids, config);
	comm_birth_of_id(me, &b, ids, config);
	comm_birth_begin(me, &b, RING_CALL_ncclCommInitRankScalable, GROUP_NONE);
	result = real(comm, nranks, rank, nId, ids, config);
	comm_birth_end(me, &b, comm, result);
	probe_leave(me);
	return result;
}

/*
 * Makes all members in one process: nobody else needs to compute the key, so time and place make
 * it.
 */
static int comm_show_all(
	struct probe_thread *me, int ndev, const int *devices, int groups[COMM_MAX])
{
	const struct census_self *self = process_self();
	uint64_t key = group_key_of_kin(self->start_time, GROUP_ALL, self->pid, ring_now());
	int n = ndev < COMM_MAX ? ndev : COMM_MAX;

	for (int i = 0; i < n; i++) {
		struct ring_member m = {
			.key = key,
			.size = (uint32_t)ndev,
			.rank = (uint32_t)i,
			.device = devices ? devices[i] : i,
		};

		groups[i] = comm_show(me, RING_CALL_ncclCommInitAll, &m);
	}
	return n;
}

static void comm_settle_all(
	struct probe_thread *me, const int groups[], int n, ncclComm_t *comms, int result)
{
	for (int i = 0; i < n; i++) {
		if (groups[i] < 0)
			continue;
		if (comm_nccl_version(me) >= COMM_HASHED)
			me->ring->groups[groups[i]].alias = me->unique_alias;
		comm_settle(me, groups[i], comms[i], result);
	}
}

/*
 * All ranks in one process: as many members are shown before the call, COMM_MAX at most, under a
 * key that needs no other process. A NULL list passes through unseen.
 */
HOOK_EXPORT ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ndev, const int *devices);
HOOK_EXPORT ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ndev, const int *devices)
{
	__typeof__(ncclCommInitAll) *real = HOOK_REAL(ncclCommInitAll, hook_nccl);
	struct probe_thread *me;
	struct nccl_call c;
	int groups[COMM_MAX], n;
	ncclResult_t result;

	if (!real)
		return NCCL_MISSING;
	me = comms && ndev > 0 ? probe_enter_needing(PROBE_NEED_RANK) : NULL;
	if (!me)
		return real(comms, ndev, devices);
	me->unique_alias = 0;
	n = comm_show_all(me, ndev, devices, groups);
	c = nccl_call_begin(
		me, RING_CALL_ncclCommInitAll, groups[0], (const uint64_t[3]){(uint64_t)ndev});
	result = real(comms, ndev, devices);
	nccl_call_end(me, &c, result);
	comm_settle_all(me, groups, n, comms, result);
	probe_leave(me);
	return result;
}
