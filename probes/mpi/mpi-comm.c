/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communicators. No id is drawn for one; all its members know it by where it comes from:
 *
 *	the world	the launch: what its launcher calls the job, or nothing; its size
 *	a child		its parent's key, the place of the call that made it in its parent's order,
 *			and who is in it
 *	made apart	(MPI_Comm_create_group) its parent's key, the tag, who is in it, the how
 *			manieth of these
 *	merged		(MPI_Intercomm_merge) the same of the world
 *	window, file	as a child that has all of its parent's members
 *
 * Making a child is an operation of its parent: all must come to it, in one order with all else
 * there. So the child is shown only when it is there; who makes it waits in the parent.
 *
 * The world is shown before the real MPI_Init where the launcher's variables say who this is: ranks
 * meet there. MPI_Finalize is its last operation.
 */
#include "probes/mpi/mpi.h"

#include <stdlib.h>
#include <string.h>

#include "probes/c10d/c10d-route.h"
#include "probes/mpi/mpi-abi.h"
#include "probes/nccl/group.h"
#include "probes/process.h"
#include "probes/text.h"
#include "probes/work.h"

int mpi_group(uint64_t comm)
{
	return group_of((const void *)(uintptr_t)comm);
}

int mpi_group_of(const struct mpi_call *c)
{
	return mpi_group(mpi_handle(c, c->shape->comm, c->shape->kind));
}

static void bind(uint64_t comm, int group)
{
	group_bind((const void *)(uintptr_t)comm, group);
}

/* --- Who is in it ---------------------------------------------------------------------------- */

/* Ranks of the world by seat, as a ring has them: "0-3,8". */
struct members {
	struct text list;
	char bytes[RING_STRING_MAX];
	uint64_t hash;
	int first, last; /* a run that goes on; -1 none */
};

static void put_run(struct members *m)
{
	size_t used = m->list.used;

	if (m->first < 0 || m->list.cut)
		return;
	if (used)
		text_put(&m->list, ",");
	text_put_u64(&m->list, (uint64_t)m->first);
	if (m->last > m->first) {
		text_put(&m->list, "-");
		text_put_u64(&m->list, (uint64_t)m->last);
	}
	if (m->list.cut)
		m->bytes[used] = '\0'; /* half a number would lie */
}

static void add_member(struct members *m, int rank)
{
	m->hash = ring_hash_op(m->hash, (uint64_t)rank, 0);
	if (m->first >= 0 && rank == m->last + 1) {
		m->last = rank;
		return;
	}
	put_run(m);
	m->first = m->last = rank;
}

/*
 * Fills in who is in a communicator. Returns -1 if the library does not tell. Members for whom the
 * list has no room are not asked for: siblings have other first members, so they differ all the
 * same.
 */
static int ask_members(uint64_t comm, int size, struct members *m)
{
	struct mpi_question q;
	int ranks[MPI_ASKED], told = 0;

	m->list = text_into(m->bytes, sizeof(m->bytes));
	m->hash = RING_HASH_START;
	m->first = m->last = -1;
	if (mpi_ask_members(&q, comm))
		return -1;
	for (int seat = 0; told >= 0 && seat < size && !m->list.cut; seat += told) {
		int left = size - seat;

		told = mpi_ask_seats(&q, seat, left < MPI_ASKED ? left : MPI_ASKED, ranks);
		for (int i = 0; i < told; i++)
			add_member(m, ranks[i]);
	}
	mpi_ask_no_more(&q);
	put_run(m);
	return told < 0 ? -1 : 0;
}

/* --- Birth ----------------------------------------------------------------------------------- */

/* Shows a group. Returns its entry, or GROUP_NONE. */
static int show(struct probe_thread *me, struct ring_member *m)
{
	int group = ring_group_claim(me->ring);

	m->maker = RING_MAKER_MPI;
	m->state = RING_G_HOST_DONE;
	m->device = -1;
	work_new_group(group);
	if (group >= 0)
		ring_group_publish(me->ring, group, probe_now(me), m);
	return group;
}

static void pin(struct probe_thread *me, uint32_t call, int group, unsigned flags, int result)
{
	const struct ring_group *g = group < 0 ? NULL : me->ring->groups + group;
	const struct ring_record r = {
		.meta = ring_meta(RING_COMM, flags | (result ? RING_F_FAILED : 0),
			group < 0 ? RING_NO_GROUP : (unsigned)group, call),
		.index = g ? g->key : 0,
		.count = g ? g->size : 0,
		.sig = g ? g->rank : 0,
		.more = (uint64_t)(uint32_t)result,
	};

	ring_pin(me->ring, RING_PIN_COMM, probe_now(me), &r);
}

/* Notes that a communicator is there, with all its members. */
static void ready(struct probe_thread *me, uint32_t call, int group, uint64_t comm)
{
	if (group < 0)
		return;
	bind(comm, group);
	ring_group_ready(me->ring, group, probe_now(me), comm);
	pin(me, call, group, RING_F_RETURNED, 0);
}

/*
 * Shows a child of the group `parent`, by its members; `kin` and `nth` tell it from its siblings.
 */
static void born(const struct mpi_call *c, int parent, uint64_t comm, enum group_kin kin,
	uint64_t nth)
{
	struct ring_writer *ring = c->me->ring;
	struct ring_member m = {.parent = ring->groups[parent].key};
	struct members members;
	int size = 0, rank = 0;

	if (mpi_ask_size(comm, &size) || mpi_ask_rank(comm, &rank) ||
		ask_members(comm, size, &members)) {
		probe_lose(PROBE_LOST_GROUPS);
		return;
	}
	m.size = (uint32_t)size;
	m.rank = (uint32_t)rank;
	m.key = group_key_of_kin(m.parent, kin, nth, members.hash);
	if (kin == GROUP_NTH)
		m.key = group_key_of_kin(m.key, kin, c10d_nth(m.key), 0);
	m.ranks = ring_string(ring, members.bytes, members.list.used);
	if (size == 1)
		bind(comm, MPI_ALONE);
	else
		ready(c->me, c->shape->call, show(c->me, &m), comm);
}

/*
 * Shows a child that has the same members as the parent: nobody needs to be asked, nor can be
 * before it is done.
 */
static void born_alike(const struct mpi_call *c, int parent, uint64_t comm, uint64_t nth)
{
	const struct ring_group *g = c->me->ring->groups + parent;
	struct ring_member m = {
		.key = group_key_of_kin(g->key, GROUP_SPLIT, nth, 0),
		.parent = g->key,
		.size = g->size,
		.rank = g->rank,
		.ranks = (uint32_t)g->ranks,
	};

	ready(c->me, c->shape->call, show(c->me, &m), comm);
}

/* Returns what the call left where the new communicator should be; 0: this process is in none. */
static uint64_t newborn(const struct mpi_call *c)
{
	uint64_t comm = mpi_handle_at(c, c->shape->made, 0, c->shape->makes);

	return comm == mpi_library()->comm_null ? 0 : comm;
}

int mpi_do_make(const struct mpi_call *c)
{
	struct mpi_op op;
	uint64_t comm;
	int result;

	if (mpi_is_nothing(c)) {
		result = mpi_real(c);
		if (!result)
			bind(newborn(c), MPI_ALONE);
		return result;
	}
	op = mpi_describe_op(c);
	mpi_op_enter(c->me, &op);
	result = mpi_real(c);
	comm = result ? 0 : newborn(c);
	if (comm && op.group >= 0 && c->shape->same)
		born_alike(c, op.group, comm, op.entered.index);
	else if (comm && op.group >= 0)
		born(c, op.group, comm, GROUP_SPLIT, op.entered.index);
	mpi_op_return(c->me, &op, mpi_request(c), result);
	return result;
}

int mpi_do_make_apart(const struct mpi_call *c)
{
	int parent = c->shape->of_world ? mpi_group(mpi_library()->world) : mpi_group_of(c);
	int result, tag = c->shape->tag ? mpi_int(c, c->shape->tag) : 0;
	uint64_t ticket = mpi_call_enter(c->me, c->shape->call, GROUP_NONE, 0), comm;

	result = mpi_real(c);
	comm = result ? 0 : newborn(c);
	if (comm && parent == MPI_ALONE)
		bind(comm, MPI_ALONE);
	else if (comm && parent >= 0)
		born(c, parent, comm, GROUP_NTH, (uint64_t)tag);
	mpi_call_return(c->me, c->shape->call, GROUP_NONE, ticket, result);
	return result;
}

/* --- The world ------------------------------------------------------------------------------- */

/* Returns a number in the environment; -1 if there is none. */
static int number_of(const char *name)
{
	const char *text = getenv(name);

	return text && text[0] >= '0' && text[0] <= '9' ? (int)text_get_u64(&text) : -1;
}

/* Finds who this is among how many, as its launcher says; false if none does. */
static int launched_as(int *rank, int *size)
{
	static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
		{"PMI_RANK", "PMI_SIZE"}, {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		*rank = number_of(names[i][0]);
		*size = number_of(names[i][1]);
		if (*rank >= 0 && *rank < *size)
			return 1;
	}
	return 0;
}

/*
 * Returns the key of the world. All of one launch agree on it; so do two launches if their launcher
 * has no name for them.
 */
static uint64_t world_key(int size)
{
	static const char *const launches[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
		"SLURM_JOB_ID", "SLURM_STEP_ID", "PMI_SPAWNED"};
	char bytes[512];
	struct text t = text_into(bytes, sizeof(bytes));

	text_put(&t, "MPI_COMM_WORLD");
	for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++) {
		const char *value = getenv(launches[i]);

		text_put(&t, "\n");
		text_put(&t, value ? value : "");
	}
	text_put(&t, "\n");
	text_put_u64(&t, (uint64_t)size);
	return group_key_of_id(bytes, t.used);
}

static int show_world(struct probe_thread *me, int rank, int size)
{
	struct ring_member m = {
		.key = world_key(size), .rank = (uint32_t)rank, .size = (uint32_t)size};
	char all[32];
	struct text t = text_into(all, sizeof(all));

	text_put(&t, size > 1 ? "0-" : "");
	text_put_u64(&t, (uint64_t)(size > 0 ? size - 1 : 0));
	m.ranks = ring_string(me->ring, all, t.used);
	return show(me, &m);
}

/*
 * Takes what the library says of who this is: what the launcher said of another process does not
 * hold.
 */
static void settle_world(struct mpi_birth *b, int rank, int size)
{
	const struct ring_group *g = b->me->ring->groups + b->group;

	if (b->group >= 0 && (g->rank != (uint32_t)rank || g->size != (uint32_t)size)) {
		ring_group_state(b->me->ring, b->group, RING_G_ABORTED);
		b->group = GROUP_NONE;
	}
	if (b->group < 0)
		b->group = show_world(b->me, rank, size);
	ready(b->me, b->call, b->group, mpi_library()->world);
}

void mpi_birth_begin(struct mpi_birth *b, uint32_t call)
{
	int rank, size;

	b->call = call;
	b->group = GROUP_NONE;
	b->me = probe_enter_needing(PROBE_NEED_RANK);
	if (!b->me)
		return;
	if (launched_as(&rank, &size))
		b->group = show_world(b->me, rank, size);
	b->ticket = mpi_call_enter(b->me, call, b->group, 0);
}

void mpi_birth_end(struct mpi_birth *b, int result)
{
	int rank = -1, size = 0, known;

	if (!b->me)
		return;
	known = !result && !mpi_ask_rank(mpi_library()->world, &rank) &&
		!mpi_ask_size(mpi_library()->world, &size);
	bind(mpi_library()->self, MPI_ALONE);
	if (known)
		settle_world(b, rank, size);
	else if (b->group >= 0)
		ring_group_state(b->me->ring, b->group, RING_G_ABORTED);
	mpi_call_return(b->me, b->call, b->group, b->ticket, result);
	probe_leave(b->me);
	if (known)
		process_identify(rank, size, "mpi");
}

/* --- Ends ------------------------------------------------------------------------------------ */

int mpi_do_end(const struct mpi_call *c)
{
	uint64_t comm = mpi_handle_at(c, c->shape->comm, 0, MPI_KIND_COMM);
	int group = mpi_group(comm), result;
	uint64_t ticket;

	if (group == MPI_ALONE) {
		group_unbind((const void *)(uintptr_t)comm);
		return mpi_real(c);
	}
	ticket = mpi_call_enter(c->me, c->shape->call, group, 0);
	/* Before the real call frees it: another thread may be given the same handle at once. */
	group_unbind((const void *)(uintptr_t)comm);
	result = mpi_real(c);
	if (group >= 0 && result)
		bind(comm, group);
	else if (group >= 0)
		ring_group_state(c->me->ring, group, RING_G_DESTROYED);
	if (group >= 0)
		pin(c->me, c->shape->call, group, RING_F_RETURNED, result);
	mpi_call_return(c->me, c->shape->call, group, ticket, result);
	return result;
}

/*
 * Closes a window or file. All of its members come to the end together: in its order that is the
 * last of what they do there.
 */
int mpi_do_close(const struct mpi_call *c)
{
	uint64_t handle = mpi_handle_at(c, c->shape->comm, 0, c->shape->kind);
	struct mpi_op op = {.call = c->shape->call,
		.group = mpi_group(handle),
		.count = 1,
		.sig = ring_sig(c->shape->op, 0, 0, RING_SIG_NO_PEER)};
	int result;

	/* Before the real call frees it: another thread may be given the same handle at once. */
	group_unbind((const void *)(uintptr_t)handle);
	if (op.group == MPI_ALONE)
		return mpi_real(c);
	mpi_op_enter(c->me, &op);
	result = mpi_real(c);
	mpi_op_return(c->me, &op, 0, result);
	if (op.group >= 0 && result)
		bind(handle, op.group);
	else if (op.group >= 0)
		ring_group_state(c->me->ring, op.group, RING_G_DESTROYED);
	return result;
}

int mpi_do_finalize(const struct mpi_call *c)
{
	int world = mpi_group(mpi_library()->world), result;
	struct mpi_op op = {.call = c->shape->call,
		.group = world,
		.count = 1,
		.sig = ring_sig(c->shape->op, 0, 0, RING_SIG_NO_PEER)};

	mpi_op_enter(c->me, &op);
	result = mpi_real(c);
	mpi_op_return(c->me, &op, 0, result);
	if (world >= 0 && !result)
		ring_group_state(c->me->ring, world, RING_G_FINALIZED);
	return result;
}

/* Notes that the rank dies of this, as one does of an exception. */
static void note_abort(struct probe_thread *me, int code)
{
	char bytes[48];
	struct text t = text_into(bytes, sizeof(bytes));
	struct ring_record r;

	text_put(&t, "exception: MPI_Abort(");
	text_put(&t, code < 0 ? "-" : "");
	text_put_u64(&t, code < 0 ? 0u - (uint64_t)(int64_t)code : (uint64_t)code);
	text_put(&t, ")");
	r = (struct ring_record){.meta = ring_meta(
		RING_NOTE, 0, RING_NO_GROUP, ring_string(me->ring, bytes, t.used))};
	ring_pin(me->ring, RING_PIN_NOTE, probe_now(me), &r);
}

/* Does MPI_Abort, which ends the job for all of them. */
int mpi_do_abort(const struct mpi_call *c)
{
	uint64_t ticket = mpi_call_enter(
		c->me, c->shape->call, GROUP_NONE, (uint64_t)(uint32_t)mpi_int(c, 1));
	int result;

	note_abort(c->me, mpi_int(c, 1));
	result = mpi_real(c);
	mpi_call_return(c->me, c->shape->call, GROUP_NONE, ticket, result);
	return result;
}

void mpi_forget_all(void)
{
	mpi_forget_requests();
}
