/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which group the communicator of a hash is.
 *
 * NCCL tells hash, size, rank and device when an init has come back; the group is made then. If the
 * init is not over when its call returns (inside a group call, without blocking, by a split) the
 * hash is 0, and the birth waits here until an op names a hash that nobody knows. A split's hash
 * can be computed from its parent's, its number and its color. Of others there must be but one that
 * waits, else nobody knows which it is.
 *
 * Two seats of one group in one process (a thread each) have the same hash: each thread means the
 * seat that it made itself.
 */
#include "probes/nvtx/nvtx.h"

#include <string.h>

#include "probes/nccl/comm.h"
#include "probes/process.h"
#include "probes/trait.h"

#define NVTX_WAITING  16
#define NVTX_OLD      8
#define NVTX_CHILDREN 64 /* splits of one parent that are tried */

enum { NVTX_FREE, NVTX_FILLING, NVTX_WAITS };

/* Writers: all threads inside a call of NCCL; `state` and `old` guard the rest of their places. */
static struct {
	struct {
		uint32_t state;
		uint32_t pid;
		uint32_t tid;
		uint32_t call;
		uint64_t tsc;
		struct nvtx_comm told;
	} waiting[NVTX_WAITING];
	/*
	 * for each entry of the ring: tid of the thread that made it by this route; 0 another route
	 */
	uint32_t maker[COMM_MAX];
	uint32_t turn;            /* see nvtx_take_turn */
	/* how many inits of communicators of the whole job an old NCCL has told */
	uint32_t inits;
	/* for each such communicator that lives: its entry in the ring, plus 1 */
	int old[NVTX_OLD];
} nvtx_comms;

/* hash of a communicator that the plugin told on this thread while it was being made; 0 none */
static __thread uint64_t nvtx_told_seat;

/* --- Payloads -------------------------------------------------------------------------------- */

/*
 * Returns the size of what NCCL tells of a communicator by this call, and where its integers begin.
 */
static size_t nvtx_comm_layout(uint32_t call, size_t *ret_words)
{
	*ret_words = 8;
	switch (call) {
	case RING_CALL_ncclCommFinalize:
		return 8;
	case RING_CALL_ncclCommInitAll:
		return 16;
	case RING_CALL_ncclCommSplit:
		*ret_words = 16;
		return 40;
	case RING_CALL_ncclCommGrow:
		*ret_words = 16;
		return 32;
	default:
		return 24;
	}
}

/* Reads what NCCL before 2.25 tells: three integers, and no hash. */
static int nvtx_comm_read_old(const struct nvtx_abi_payload *payload, struct nvtx_comm *ret)
{
	int32_t word[3];

	if (payload->size != sizeof(word))
		return 0;
	memcpy(word, payload->bytes, sizeof(word));
	ret->rank = (uint32_t)word[0];
	ret->nranks = (uint32_t)word[1];
	ret->device = word[2];
	return 1;
}

int nvtx_comm_read(uint32_t call, const struct nvtx_abi_payload *payload, struct nvtx_comm *ret)
{
	size_t words, size = nvtx_comm_layout(call, &words);
	int32_t word[5] = {0};

	*ret = (struct nvtx_comm){.rank = UINT32_MAX, .device = -1};
	if (payload->size != size)
		return nvtx_comm_read_old(payload, ret);
	memcpy(&ret->hash, payload->bytes, sizeof(ret->hash));
	if (words == 16)
		memcpy(&ret->parent, (const char *)payload->bytes + 8, sizeof(ret->parent));
	memcpy(word, (const char *)payload->bytes + words,
		size - words < sizeof(word) ? size - words : sizeof(word));
	if (size < 24)
		return 1;
	ret->nranks = (uint32_t)word[0];
	ret->rank = (uint32_t)word[1];
	ret->device = word[2];
	if (call == RING_CALL_ncclCommSplit) {
		ret->color = word[3];
		ret->split = 1;
	} else if (call == RING_CALL_ncclCommShrink) {
		ret->parent = ret->hash; /* the hash is the parent's, as are size and rank */
		ret->hash = 0;
		ret->split = 1;
	}
	return 1;
}

/* --- Births ---------------------------------------------------------------------------------- */

/*
 * Orders threads: of two that pass here, the later one sees all that the earlier one did before. (A
 * fence would do, but ThreadSanitizer knows none.)
 */
static void nvtx_take_turn(void)
{
	__atomic_fetch_add(&nvtx_comms.turn, 1, __ATOMIC_ACQ_REL);
}

/* Makes a hash a handle to bind: it is as good as a pointer. */
static const void *nvtx_handle(uint64_t hash)
{
	return (const void *)(uintptr_t)hash; /* NOLINT: never followed */
}

/* Shows one more member. Returns its entry; GROUP_NONE if there is none left. */
static int nvtx_show(
	struct probe_thread *me, uint32_t call, struct ring_member *m, uint64_t tsc)
{
	int group = ring_group_claim(me->ring);

	m->maker = RING_MAKER_NCCL;
	if (group < 0)
		return GROUP_NONE;
	ring_group_publish(me->ring, group, tsc, m);
	comm_nccl_version(me);
	if (group < COMM_MAX)
		nvtx_comms.maker[group] = me->tid;
	if (call)
		comm_pin(me, comm_meta(call, 0, group), m, NCCL_ABI_NOT_TOLD);
	return group;
}

static int nvtx_make(
	struct probe_thread *me, uint32_t call, const struct nvtx_comm *told, uint64_t tsc)
{
	struct ring_member m = {
		.key = group_key_of_kin(told->hash, GROUP_HASHED, 0, 0),
		.alias = told->hash,
		.parent = told->parent ? group_key_of_kin(told->parent, GROUP_HASHED, 0, 0) : 0,
		.size = told->split ? 0 : told->nranks,
		.rank = told->split ? UINT32_MAX : told->rank,
		.device = told->device,
		.color = told->color,
	};
	int group = nvtx_show(me, call, &m, tsc);

	/* If an op is the first to tell of it, it was made some time before. */
	if (group >= 0)
		ring_group_ready(me->ring, group, call ? probe_now(me) : 0, 0);
	return group;
}

static void nvtx_wait(
	struct probe_thread *me, uint32_t call, const struct nvtx_comm *told, uint64_t tsc)
{
	for (int i = 0; i < NVTX_WAITING; i++) {
		uint32_t state = NVTX_FREE;

		if (nvtx_comms.waiting[i].pid != process_self()->pid)
			state = __atomic_load_n(&nvtx_comms.waiting[i].state, __ATOMIC_RELAXED);
		if (!__atomic_compare_exchange_n(&nvtx_comms.waiting[i].state, &state, NVTX_FILLING,
			    0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		nvtx_comms.waiting[i].pid = process_self()->pid;
		nvtx_comms.waiting[i].tid = me->tid;
		nvtx_comms.waiting[i].call = call;
		nvtx_comms.waiting[i].tsc = tsc;
		nvtx_comms.waiting[i].told = *told;
		__atomic_store_n(&nvtx_comms.waiting[i].state, NVTX_WAITS, __ATOMIC_RELEASE);
		return;
	}
	probe_lose(PROBE_LOST_GROUPS);
}

static int nvtx_lives(const struct ring_group *g, uint64_t hash)
{
	uint64_t seq = ring_load(&g->seq);
	uint32_t state = __atomic_load_n(&g->state, __ATOMIC_RELAXED);

	return seq && !(seq & 1) && g->alias == hash &&
	       !(state & (RING_G_DESTROYED | RING_G_ABORTED));
}

/* Returns the living entry of that hash with that rank (UINT32_MAX: any), or GROUP_NONE. */
static int nvtx_seat(struct probe_thread *me, uint64_t hash, uint32_t rank)
{
	for (uint32_t i = 0; i < me->ring->ngroups; i++)
		if (nvtx_lives(me->ring->groups + i, hash) &&
			(rank == UINT32_MAX || me->ring->groups[i].rank == rank))
			return (int)i;
	return GROUP_NONE;
}

int nvtx_comm_told(struct probe_thread *me, uint64_t hash, uint32_t nranks, uint32_t rank)
{
	const struct nvtx_comm told = {
		.hash = hash, .nranks = nranks, .rank = rank, .device = -1};
	int group = hash ? nvtx_seat(me, hash, rank) : GROUP_NONE;

	if (group < 0 && hash)
		group = nvtx_make(me, 0, &told, probe_now(me));
	nvtx_told_seat = hash;
	return group;
}

void nvtx_comm_born(
	struct probe_thread *me, uint32_t call, const struct nvtx_comm *told, uint64_t tsc)
{
	uint64_t seat = nvtx_told_seat;
	int group;

	nvtx_told_seat = 0;
	if (call == RING_CALL_ncclCommInitAll) {
		/* Its members share hash and thread: an op does not say whose it is. */
		probe_lose(PROBE_LOST_GROUPS);
		trait_put("nvtx", "ncclCommInitAll: its members cannot be told apart",
			TRAIT_NO_NUMBER);
	} else if (!told->hash && seat) {
		group_unbind(nvtx_handle(seat)); /* the plugin has told all there is */
	} else if (!told->hash) {
		nvtx_wait(me, call, told, tsc);
	} else {
		group = nvtx_seat(me, told->hash, told->split ? UINT32_MAX : told->rank);
		if (group < 0)
			group = nvtx_make(me, call, told, tsc);
		/*
		 * It may have been bound to another seat by a thread that did not see this one yet.
		 */
		nvtx_take_turn();
		group_unbind(nvtx_handle(told->hash));
		if (group < 0)
			return;
		comm_pin(me, comm_meta(call, RING_F_RETURNED, group),
			&(const struct ring_member){.key = me->ring->groups[group].key,
				.alias = told->hash,
				.size = told->nranks,
				.rank = told->rank},
			NCCL_ABI_NOT_TOLD);
	}
}

/* --- Which one a hash is --------------------------------------------------------------------- */

/*
 * Counts the entries that have that hash; also finds the last of them, and the one that this thread
 * has made.
 */
static int nvtx_count(struct probe_thread *me, uint64_t hash, int *ret_found, int *ret_mine)
{
	int seen = 0;

	*ret_found = *ret_mine = GROUP_NONE;
	for (uint32_t i = 0; i < me->ring->ngroups && i < COMM_MAX; i++) {
		if (!nvtx_lives(me->ring->groups + i, hash))
			continue;
		seen++;
		*ret_found = (int)i;
		if (nvtx_comms.maker[i] == me->tid)
			*ret_mine = (int)i;
	}
	return seen;
}

/* Returns, among all entries, the only one of that hash, else the one that this thread has made. */
static int nvtx_find(struct probe_thread *me, uint64_t hash)
{
	int found, mine;

	if (nvtx_count(me, hash, &found, &mine) > 1)
		return mine;
	/* A communicator that a wrapper has bound keeps that binding alone. */
	if (found < 0 || !nvtx_comms.maker[found])
		return found;
	group_bind(nvtx_handle(hash), found);
	/*
	 * Another thread may have shown a second seat since. It unbinds behind that, so either it
	 * finds this binding, or its seat is seen here.
	 */
	nvtx_take_turn();
	if (nvtx_count(me, hash, &found, &mine) > 1) {
		group_unbind(nvtx_handle(hash));
		return mine;
	}
	return found;
}

/* True if a waiting birth is this hash's, by NCCL's own formula for what comes from a parent. */
static int nvtx_fits(const struct nvtx_comm *told, uint64_t hash)
{
	if (!told->parent)
		return 0;
	for (int32_t number = 0; number <= NVTX_CHILDREN; number++)
		if (group_alias_of_kin(told->parent, number, told->color) == hash)
			return 1;
	return 0;
}

/*
 * Returns which of the waiting births a hash is: the one that fits, else the only one; -1 nobody
 * knows.
 */
static int nvtx_choose(const struct probe_thread *me, uint64_t hash)
{
	int only = -1, seen = 0, mine = -1, own = 0;

	for (int i = 0; i < NVTX_WAITING; i++) {
		if (__atomic_load_n(&nvtx_comms.waiting[i].state, __ATOMIC_ACQUIRE) != NVTX_WAITS ||
			nvtx_comms.waiting[i].pid != process_self()->pid)
			continue;
		if (nvtx_fits(&nvtx_comms.waiting[i].told, hash) &&
			nvtx_comms.waiting[i].tid == me->tid)
			return i;
		only = i;
		seen++;
		if (nvtx_comms.waiting[i].tid == me->tid) {
			mine = i;
			own++;
		}
	}
	return own == 1 ? mine : seen == 1 ? only : -1;
}

static int nvtx_take_waiting(struct probe_thread *me, uint64_t hash)
{
	int at = nvtx_choose(me, hash);
	uint32_t state = NVTX_WAITS;
	struct nvtx_comm told;

	if (at < 0 || !__atomic_compare_exchange_n(&nvtx_comms.waiting[at].state, &state,
			      NVTX_FILLING, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return GROUP_NONE;
	told = nvtx_comms.waiting[at].told;
	told.hash = hash;
	state = (uint32_t)nvtx_make(
		me, nvtx_comms.waiting[at].call, &told, nvtx_comms.waiting[at].tsc);
	__atomic_store_n(&nvtx_comms.waiting[at].state, NVTX_FREE, __ATOMIC_RELEASE);
	return (int)state;
}

int nvtx_comm_group(struct probe_thread *me, uint64_t hash)
{
	int group = group_of(nvtx_handle(hash));

	if (hook_likely(group >= 0 && nvtx_lives(me->ring->groups + group, hash)))
		return group;
	if (!hash)
		return GROUP_NONE;
	group = nvtx_find(me, hash);
	return group >= 0 ? group : nvtx_take_waiting(me, hash);
}

/* --- NCCL before 2.25 ------------------------------------------------------------------------ */

int nvtx_comm_meets(struct probe_thread *me, uint32_t call, const struct nvtx_comm *told)
{
	struct ring_member m = {.size = told->nranks, .rank = told->rank, .device = told->device};
	int world = process_self()->world_size, group, i = 0;

	while (i < NVTX_OLD && __atomic_load_n(&nvtx_comms.old[i], __ATOMIC_RELAXED))
		i++;
	/* Only communicators of all ranks come in one order everywhere. */
	if (told->nranks < 2 || (int)told->nranks != world || i == NVTX_OLD) {
		probe_lose(PROBE_LOST_GROUPS);
		trait_put("nvtx", "this NCCL does not tell its communicators apart",
			TRAIT_NO_NUMBER);
		return GROUP_NONE;
	}
	m.key = group_key_of_kin(0, GROUP_NTH, told->nranks,
		__atomic_add_fetch(&nvtx_comms.inits, 1, __ATOMIC_RELAXED));
	group = nvtx_show(me, call, &m, probe_now(me));
	__atomic_store_n(&nvtx_comms.old[i], group + 1, __ATOMIC_RELEASE);
	return group;
}

void nvtx_comm_met(struct probe_thread *me, uint32_t call, int group)
{
	const struct ring_group *g = me->ring->groups + group;

	if (group < 0)
		return;
	ring_group_ready(me->ring, group, probe_now(me), 0);
	comm_pin(me, comm_meta(call, RING_F_RETURNED, group),
		&(const struct ring_member){.key = g->key, .size = g->size, .rank = g->rank},
		NCCL_ABI_NOT_TOLD);
}

int nvtx_comm_only(void)
{
	int only = GROUP_NONE;

	for (int i = 0; i < NVTX_OLD; i++) {
		int entry = __atomic_load_n(&nvtx_comms.old[i], __ATOMIC_ACQUIRE);

		if (entry && only != GROUP_NONE)
			return GROUP_NONE;
		if (entry)
			only = entry - 1;
	}
	return only;
}

/* --- Ends ------------------------------------------------------------------------------------ */

void nvtx_comm_ended(struct probe_thread *me, uint32_t call, int group)
{
	const struct ring_group *g = me->ring->groups + group;
	uint32_t state = call == RING_CALL_ncclCommFinalize ? RING_G_FINALIZED
			 : call == RING_CALL_ncclCommAbort  ? RING_G_ABORTED
			 : call == RING_CALL_ncclCommRevoke ? RING_G_REVOKED
							    : RING_G_DESTROYED;

	if (group < 0)
		return;
	comm_pin(me, comm_meta(call, RING_F_RETURNED, group),
		&(const struct ring_member){
			.key = g->key, .alias = g->alias, .size = g->size, .rank = g->rank},
		NCCL_ABI_NOT_TOLD);
	if (state & (RING_G_DESTROYED | RING_G_ABORTED)) {
		group_unbind(nvtx_handle(g->alias));
		for (int i = 0; i < NVTX_OLD; i++)
			if (nvtx_comms.old[i] == group + 1)
				__atomic_store_n(&nvtx_comms.old[i], 0, __ATOMIC_RELEASE);
	}
	ring_group_state(me->ring, group, state);
}
