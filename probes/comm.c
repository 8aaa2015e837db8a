/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm.c: groups are born, change and die.
 *
 * A birth is shown before the real call: a rank that blocks in its communicator's init is there for
 * all to see, as a group that is not READY. What only the real call can tell (the handle; of a
 * child also size and rank) is filled in behind it. Inside an explicit group call NCCL fills the
 * handle in at the group's end, so such births wait in the thread until then. A non-blocking
 * communicator is ready when ncclCommGetAsyncError first says so.
 */
#include <limits.h>
#include <string.h>

#include "probes/nccl.h"
#include "probes/process.h"
#include "probes/text.h"

#define COMM_MAX      64    /* births of one ncclCommInitAll that can be followed */
#define COMM_NAME_MAX 128   /* bytes kept of config.commName */
#define COMM_HASHED   22602 /* NCCL's version from which commHash is what we compute */

/* A birth under way. */
struct comm_birth {
	struct nccl_call call;
	struct ring_member member;
	int group;
};

static int comm_version;         /* 0 not yet asked */
static int comm_error[COMM_MAX]; /* the latest async error of each entry */

/* --- Small questions to the real NCCL -------------------------------------------------------- */

static int comm_nccl_version(struct probe_thread *me)
{
	int (*ask)(int *) = (int (*)(int *))hook_borrow(
		&hook_found[RING_CALL_ncclGetVersion], "ncclGetVersion", hook_nccl);
	int version = 0;

	if (!comm_version && ask && !ask(&version))
		comm_version = version;
	me->ring->header->nccl_version = (uint32_t)comm_version;
	return comm_version;
}

/* One of ncclCommCount, -UserRank, -CuDevice; `unknown` where NCCL does not say. */
static int comm_ask(uint32_t call, const void *comm, int unknown)
{
	int (*ask)(const void *, int *) = (int (*)(const void *, int *))hook_borrow(
		&hook_found[call], ring_call_name(call), hook_nccl);
	int value = unknown;

	if (!ask || ask(comm, &value))
		return unknown;
	return value;
}

static uint64_t comm_id_alias(struct probe_thread *me, const ncclUniqueId *id)
{
	if (comm_nccl_version(me) < COMM_HASHED)
		return 0;
	return group_alias_of_id(id->internal, sizeof(id->internal));
}

static uint64_t comm_id_key(const ncclUniqueId *id)
{
	return group_key_of_id(id->internal, sizeof(id->internal));
}

/* --- The config ------------------------------------------------------------------------------ */

/* Whether `config` is one, and large enough for a field of `size` bytes at `offset`. */
static int comm_config_has(const ncclConfig_t *config, size_t offset, size_t size)
{
	return config && config->magic == NCCL_ABI_CONFIG_MAGIC && config->size >= offset + size;
}

static void comm_config(struct probe_thread *me, struct ring_member *m, const ncclConfig_t *config)
{
	const char *bytes = (const char *)config;
	const char *name = NULL;
	int blocking = INT_MIN;

	if (comm_config_has(config, NCCL_ABI_CONFIG_BLOCKING, sizeof(int)))
		memcpy(&blocking, bytes + NCCL_ABI_CONFIG_BLOCKING, sizeof(blocking));
	if (comm_config_has(config, NCCL_ABI_CONFIG_COMMNAME, sizeof(name)))
		memcpy(&name, bytes + NCCL_ABI_CONFIG_COMMNAME, sizeof(name));
	if (blocking == 0)
		m->state |= RING_G_NONBLOCKING;
	if (name)
		m->name = ring_string(me->ring, name, strnlen(name, COMM_NAME_MAX));
}

/* --- Births ---------------------------------------------------------------------------------- */

static void comm_pin(
	struct probe_thread *me, uint64_t meta, const struct ring_member *m, int result)
{
	const struct ring_record r = {
		.meta = meta,
		.index = m->key,
		.count = m->size,
		.sig = m->rank,
		.aux = m->alias,
		.more = (uint64_t)(uint32_t)result,
	};

	ring_pin(me->ring, RING_PIN_COMM, probe_now(me), &r);
}

static uint64_t comm_meta(uint32_t call, unsigned flags, int group)
{
	return ring_meta(RING_COMM, flags, group < 0 ? RING_NO_GROUP : (unsigned)group, call);
}

static unsigned comm_end_flags(int result)
{
	int failed = result && result != NCCL_ABI_IN_PROGRESS;

	return RING_F_RETURNED | (failed ? RING_F_FAILED : 0);
}

/* Shows a member that is about to meet the others: its entry, or GROUP_NONE. */
static int comm_show(struct probe_thread *me, uint32_t call, struct ring_member *m)
{
	int group = ring_group_claim(me->ring);

	m->maker = RING_MAKER_NCCL;
	if (group >= 0)
		ring_group_publish(me->ring, group, probe_now(me), m);
	comm_pin(me, comm_meta(call, 0, group), m, 0);
	return group;
}

/* The group is usable: what only NCCL knew is filled in, then it is READY. */
static void comm_ready(struct probe_thread *me, int group, const void *comm)
{
	struct ring_group *g = me->ring->groups + group;

	g->size = (uint32_t)comm_ask(RING_CALL_ncclCommCount, comm, (int)g->size);
	g->rank = (uint32_t)comm_ask(RING_CALL_ncclCommUserRank, comm, (int)g->rank);
	g->device = comm_ask(RING_CALL_ncclCommCuDevice, comm, g->device);
	ring_group_ready(me->ring, group, probe_now(me), (uint64_t)(uintptr_t)comm);
}

static void comm_settle(struct probe_thread *me, int group, const void *comm, int result)
{
	if (group < 0)
		return;
	if (result && result != NCCL_ABI_IN_PROGRESS) {
		ring_group_state(me->ring, group, RING_G_ABORTED);
		return;
	}
	group_bind(comm, group);
	ring_store(&me->ring->groups[group].comm, (uint64_t)(uintptr_t)comm);
	if (result == NCCL_ABI_IN_PROGRESS)
		ring_group_state(me->ring, group, RING_G_NONBLOCKING);
	else if (comm)
		comm_ready(me, group, comm);
}

/* Inside an explicit group the handle comes at its end. */
static void comm_settle_later(struct probe_thread *me, int group, void **comm)
{
	if (me->births == sizeof(me->born) / sizeof(*me->born)) {
		probe_lose(PROBE_LOST_GROUPS);
		return;
	}
	me->born[me->births].comm = comm;
	me->born[me->births].group = group;
	me->births++;
}

void comm_bind_born(struct probe_thread *me, int result)
{
	for (uint32_t i = 0; i < me->births; i++)
		comm_settle(me, me->born[i].group, *me->born[i].comm, result);
	me->births = 0;
}

/* A birth of one member; `at` is the group that the call waits for: the newborn's own, or its
 * parent's. */
static void comm_birth_begin(
	struct probe_thread *me, struct comm_birth *b, uint32_t call, int parent)
{
	b->group = comm_show(me, call, &b->member);
	b->call = nccl_call_begin(me, call, parent == GROUP_NONE ? b->group : parent,
		(const uint64_t[3]){b->member.size, ring_sig(RING_OP_NONE, 0, 0, b->member.rank),
			(uint64_t)b->member.color});
}

static void comm_birth_end(
	struct probe_thread *me, struct comm_birth *b, ncclComm_t *comm, int result)
{
	uint32_t call = ring_meta_arg(b->call.meta);

	nccl_call_end(me, &b->call, result);
	if (me->group_depth && !result && b->group >= 0)
		comm_settle_later(me, b->group, (void **)comm);
	else
		comm_settle(me, b->group, comm ? *comm : NULL, result);
	if (b->group >= 0) {
		b->member.size = me->ring->groups[b->group].size;
		b->member.rank = me->ring->groups[b->group].rank;
	}
	comm_pin(me, comm_meta(call, comm_end_flags(result), b->group), &b->member, result);
}

static void comm_birth_of_id(struct probe_thread *me, struct comm_birth *b, const ncclUniqueId *id,
	const ncclConfig_t *config)
{
	b->member.key = comm_id_key(id);
	b->member.alias = comm_id_alias(me, id);
	b->member.device = -1;
	comm_config(me, &b->member, config);
}

/* --- Init ------------------------------------------------------------------------------------ */

HOOK_EXPORT ncclResult_t ncclGetVersion(int *version);
HOOK_EXPORT ncclResult_t ncclGetVersion(int *version)
{
	ncclResult_t (*real)(int *) = HOOK_REAL(ncclGetVersion, ncclGetVersion, hook_nccl);
	ncclResult_t result = real ? real(version) : NCCL_MISSING;

	if (!result && version)
		comm_version = *version;
	return result;
}

/* Inside a call of ours (ncclCommInitAll) the id tells which group that call is founding. */
HOOK_EXPORT ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
HOOK_EXPORT ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
	ncclResult_t (*real)(ncclUniqueId *) =
		HOOK_REAL(ncclGetUniqueId, ncclGetUniqueId, hook_nccl);
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

HOOK_EXPORT ncclResult_t ncclCommInitRank(
	ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank);
HOOK_EXPORT ncclResult_t ncclCommInitRank(
	ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank)
{
	ncclResult_t (*real)(ncclComm_t *, int, ncclUniqueId, int) =
		HOOK_REAL(ncclCommInitRank, ncclCommInitRank, hook_nccl);
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

HOOK_EXPORT ncclResult_t ncclCommInitRankConfig(
	ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank, ncclConfig_t *config);
HOOK_EXPORT ncclResult_t ncclCommInitRankConfig(
	ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank, ncclConfig_t *config)
{
	ncclResult_t (*real)(ncclComm_t *, int, ncclUniqueId, int, ncclConfig_t *) =
		HOOK_REAL(ncclCommInitRankConfig, ncclCommInitRankConfig, hook_nccl);
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

HOOK_EXPORT ncclResult_t ncclCommInitRankScalable(
	ncclComm_t *comm, int nranks, int rank, int nId, ncclUniqueId *ids, ncclConfig_t *config);
HOOK_EXPORT ncclResult_t ncclCommInitRankScalable(
	ncclComm_t *comm, int nranks, int rank, int nId, ncclUniqueId *ids, ncclConfig_t *config)
{
	ncclResult_t (*real)(ncclComm_t *, int, int, int, ncclUniqueId *, ncclConfig_t *) =
		HOOK_REAL(ncclCommInitRankScalable, ncclCommInitRankScalable, hook_nccl);
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

/* All members of one process: nobody else needs to compute the key, so time and place make it. */
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

HOOK_EXPORT ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ndev, const int *devices);
HOOK_EXPORT ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ndev, const int *devices)
{
	ncclResult_t (*real)(ncclComm_t *, int, const int *) =
		HOOK_REAL(ncclCommInitAll, ncclCommInitAll, hook_nccl);
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

/* --- From other groups ----------------------------------------------------------------------- */

/* The kin's identity, if its parent is known. 0 in `key` otherwise: nobody can match it. */
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
 * The number of splits counts those without a color too, on every rank; NCCL counts the same, and
 * hashes it into commHash.
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

HOOK_EXPORT ncclResult_t ncclCommSplit(
	ncclComm_t comm, int color, int key, ncclComm_t *newcomm, ncclConfig_t *config);
HOOK_EXPORT ncclResult_t ncclCommSplit(
	ncclComm_t comm, int color, int key, ncclComm_t *newcomm, ncclConfig_t *config)
{
	ncclResult_t (*real)(ncclComm_t, int, int, ncclComm_t *, ncclConfig_t *) =
		HOOK_REAL(ncclCommSplit, ncclCommSplit, hook_nccl);
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

HOOK_EXPORT ncclResult_t ncclCommShrink(ncclComm_t comm, int *exclude, int nexclude,
	ncclComm_t *newcomm, ncclConfig_t *config, int flags);
HOOK_EXPORT ncclResult_t ncclCommShrink(ncclComm_t comm, int *exclude, int nexclude,
	ncclComm_t *newcomm, ncclConfig_t *config, int flags)
{
	ncclResult_t (*real)(ncclComm_t, int *, int, ncclComm_t *, ncclConfig_t *, int) =
		HOOK_REAL(ncclCommShrink, ncclCommShrink, hook_nccl);
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
 * Members of the old group know only it, newcomers only the unique id that one old member drew:
 * two keys for one group. That member's COMM record of ncclCommGetUniqueId has both.
 */
HOOK_EXPORT ncclResult_t ncclCommGrow(ncclComm_t comm, int nranks, const ncclUniqueId *id, int rank,
	ncclComm_t *newcomm, ncclConfig_t *config);
HOOK_EXPORT ncclResult_t ncclCommGrow(ncclComm_t comm, int nranks, const ncclUniqueId *id, int rank,
	ncclComm_t *newcomm, ncclConfig_t *config)
{
	ncclResult_t (*real)(ncclComm_t, int, const ncclUniqueId *, int, ncclComm_t *,
		ncclConfig_t *) = HOOK_REAL(ncclCommGrow, ncclCommGrow, hook_nccl);
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

HOOK_EXPORT ncclResult_t ncclCommGetUniqueId(ncclComm_t comm, ncclUniqueId *id);
HOOK_EXPORT ncclResult_t ncclCommGetUniqueId(ncclComm_t comm, ncclUniqueId *id)
{
	ncclResult_t (*real)(ncclComm_t, ncclUniqueId *) =
		HOOK_REAL(ncclCommGetUniqueId, ncclCommGetUniqueId, hook_nccl);
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

/* --- Ends ------------------------------------------------------------------------------------ */

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
	/* Before the real call frees it: another thread may be given the same pointer at once. */
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
		ncclResult_t(*real) params = HOOK_REAL(name, name, hook_nccl);                     \
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
 * A poll: watchdogs call it all day, so only what changes is recorded: a non-blocking communicator
 * that became ready, and an error, by its COMM record.
 */
HOOK_EXPORT ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error);
HOOK_EXPORT ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
	ncclResult_t (*real)(ncclComm_t, ncclResult_t *) =
		HOOK_REAL(ncclCommGetAsyncError, ncclCommGetAsyncError, hook_nccl);
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
