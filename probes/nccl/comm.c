/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/nccl/comm.h"

#include <limits.h>
#include <string.h>

#define COMM_NAME_MAX 128 /* bytes kept of config.commName */

static int comm_version; /* as ncclGetVersion has it; 0 not yet asked */

/* --- Small questions to the real NCCL -------------------------------------------------------- */

int comm_nccl_version(struct probe_thread *me)
{
	int (*ask)(int *) = (int (*)(int *))hook_borrow(
		&hook_found[RING_CALL_ncclGetVersion], "ncclGetVersion", hook_nccl);
	int version = __atomic_load_n(&comm_version, __ATOMIC_RELAXED);

	if (!version && ask) {
		if (ask(&version))
			version = 0;
		comm_note_version(version);
	}
	__atomic_store_n(&me->ring->header->nccl_version, (uint32_t)version, __ATOMIC_RELAXED);
	return version;
}

void comm_note_version(int version)
{
	__atomic_store_n(&comm_version, version, __ATOMIC_RELAXED);
}

/* Asks one of ncclCommCount, -UserRank, -CuDevice; returns `unknown` if NCCL does not say. */
static int comm_ask(uint32_t call, const void *comm, int unknown)
{
	int (*ask)(const void *, int *) = (int (*)(const void *, int *))hook_borrow(
		&hook_found[call], ring_call_name(call), hook_nccl);
	int value = unknown;

	if (!ask || ask(comm, &value))
		return unknown;
	return value;
}

uint64_t comm_id_alias(struct probe_thread *me, const ncclUniqueId *id)
{
	if (comm_nccl_version(me) < COMM_HASHED)
		return 0;
	return group_alias_of_id(id->internal, sizeof(id->internal));
}

uint64_t comm_id_key(const ncclUniqueId *id)
{
	return group_key_of_id(id->internal, sizeof(id->internal));
}

/* --- The config ------------------------------------------------------------------------------ */

/* True if `config` is one, and large enough for a field of `size` bytes at `offset`. */
static int comm_config_has(const ncclConfig_t *config, size_t offset, size_t size)
{
	return config && config->magic == NCCL_ABI_CONFIG_MAGIC && config->size >= offset + size;
}

void comm_config(struct probe_thread *me, struct ring_member *m, const ncclConfig_t *config)
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

void comm_pin(struct probe_thread *me, uint64_t meta, const struct ring_member *m, int result)
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

uint64_t comm_meta(uint32_t call, unsigned flags, int group)
{
	return ring_meta(RING_COMM, flags, group < 0 ? RING_NO_GROUP : (unsigned)group, call);
}

unsigned comm_end_flags(int result)
{
	int failed = result && result != NCCL_ABI_IN_PROGRESS;

	return RING_F_RETURNED | (failed ? RING_F_FAILED : 0);
}

/* See comm.h. */
int comm_show(struct probe_thread *me, uint32_t call, struct ring_member *m)
{
	int group = ring_group_claim(me->ring);

	m->maker = RING_MAKER_NCCL;
	if (group >= 0)
		ring_group_publish(me->ring, group, probe_now(me), m);
	comm_pin(me, comm_meta(call, 0, group), m, 0);
	return group;
}

/* The group is usable by now: what only NCCL knew is filled in before it is READY. */
void comm_ready(struct probe_thread *me, int group, const void *comm)
{
	struct ring_group *g = me->ring->groups + group;

	g->size = (uint32_t)comm_ask(RING_CALL_ncclCommCount, comm, (int)g->size);
	g->rank = (uint32_t)comm_ask(RING_CALL_ncclCommUserRank, comm, (int)g->rank);
	g->device = comm_ask(RING_CALL_ncclCommCuDevice, comm, g->device);
	ring_group_ready(me->ring, group, probe_now(me), (uint64_t)(uintptr_t)comm);
}

void comm_settle(struct probe_thread *me, int group, const void *comm, int result)
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

/* Notes a birth inside an explicit group, where the handle comes at the group's end. */
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

/* The call waits for the newborn group, unless it is made on a parent. */
void comm_birth_begin(struct probe_thread *me, struct comm_birth *b, uint32_t call, int parent)
{
	b->group = comm_show(me, call, &b->member);
	b->call = nccl_call_begin(me, call, parent == GROUP_NONE ? b->group : parent,
		(const uint64_t[3]){b->member.size, ring_sig(RING_OP_NONE, 0, 0, b->member.rank),
			(uint64_t)b->member.color});
}

void comm_birth_end(struct probe_thread *me, struct comm_birth *b, ncclComm_t *comm, int result)
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
