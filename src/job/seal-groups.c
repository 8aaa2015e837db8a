/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups, their seats, the ops of each seat and the threads that launch them. A seat known from
 * several readings keeps the furthest state of each. All seats of a group exist; those without
 * evidence are UNSEEN. In a group as large as the job the unseen seats are those of the ranks that
 * have none there; elsewhere nobody knows who sits in an unseen seat.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/names.h"
#include "job/seal.h"

struct groups {
	struct seal *seal;
	struct job_group *groups;
	struct job_member *members;
	struct job_thread *threads;
	int *by_key; /* group indexes, ascending key */
};

/* -- groups ------------------------------------------------------------------------------------ */

/* By group, then seat; of one seat the later reading last, so that it wins. */
static int compare_by_key(const void *va, const void *vb)
{
	const struct raw_member *a = va, *b = vb;

	SEAL_ORDER(a->group.key, b->group.key);
	SEAL_ORDER(a->fact.seat, b->fact.seat);
	SEAL_ORDER(a->about.when, b->about.when);
	return seal_compare_who(&a->about.who, &b->about.who);
}

/* Larger ones first, as people think of a job; then by key, which all ranks agree on. */
static int compare_groups(const void *va, const void *vb)
{
	const struct job_group *a = va, *b = vb;

	SEAL_ORDER(b->size, a->size);
	SEAL_ORDER(a->key, b->key);
	return 0;
}

/* Drops members of processes that are of no rank (earlier attempts, strangers). */
static void keep_members_of_ranks(struct seal *seal)
{
	struct job_builder *b = seal->b;
	size_t kept = 0;

	for (size_t i = 0; i < b->members.nr; i++) {
		int process = seal_find_process(seal, b->members.items[i].about.who);

		if (process != JOB_NONE && seal->people[process].rank != JOB_NONE)
			b->members.items[kept++] = b->members.items[i];
	}
	b->members.nr = kept;
	array_sort(&b->members, compare_by_key);
}

/* What one member knows of the group and another does not. Of texts the smaller one stands. */
static void join_group(struct job_group *into, const struct job_group *from)
{
	SEAL_KEEP_MAX(into->size, from->size);
	SEAL_KEEP_MAX(into->alias, from->alias);
	SEAL_KEEP_MAX(into->parent, from->parent);
	if (*from->name && (!*into->name || strcmp(from->name, into->name) < 0))
		into->name = from->name;
	if (*from->maker && (!*into->maker || strcmp(from->maker, into->maker) < 0))
		into->maker = from->maker;
	if (*from->cite && (!*into->cite || strcmp(from->cite, into->cite) < 0))
		into->cite = from->cite;
}

/* A size that cannot be is cut to the seats seen. Returns the seats that the group gets. */
static uint32_t sane_size(struct seal *seal, struct job_group *group, uint32_t seen, size_t total)
{
	struct job_loss loss = {.what = "a group of impossible size: its unseen seats are left out",
		.count = 1,
		.cite = group->cite};

	if (group->size >= seen && group->size <= SEAL_MAX_SEATS &&
		total + group->size <= SEAL_MAX_TOTAL_SEATS)
		return group->size;
	if (group->size > SEAL_MAX_SEATS)
		job_add_loss(seal->b, (struct job_who){.host = ""}, &loss);
	return seen;
}

/* One group per key, with as many seats as it says, or as were seen where that cannot be. */
static void make_groups(struct groups *g)
{
	struct seal *seal = g->seal;
	struct job_builder *b = seal->b;
	size_t n = 0, total = 0;

	g->groups = arena_new_many(seal->arena, struct job_group, b->members.nr + 1);
	for (size_t i = 0, next; i < b->members.nr; i = next) {
		struct job_group group = b->members.items[i].group;
		uint32_t seen = 0;

		for (next = i;
			next < b->members.nr && b->members.items[next].group.key == group.key;
			next++) {
			join_group(&group, &b->members.items[next].group);
			if (b->members.items[next].fact.seat < SEAL_MAX_SEATS)
				SEAL_KEEP_MAX(seen, b->members.items[next].fact.seat + 1);
		}
		group.size = sane_size(seal, &group, seen, total);
		total += group.size;
		g->groups[n++] = group;
	}
	array_sort_items(g->groups, n, sizeof(*g->groups), compare_groups);
	seal->job->groups = g->groups;
	seal->job->ngroups = n;
}

struct key_index {
	uint64_t key;
	int group;
};

static int compare_keys(const void *va, const void *vb)
{
	const struct key_index *a = va, *b = vb;

	SEAL_ORDER(a->key, b->key);
	return 0;
}

/* Groups are sorted for people; the facts come by key. */
static void index_groups(struct groups *g)
{
	size_t n = g->seal->job->ngroups;
	struct key_index *index = alloc_zeroed(n + 1, sizeof(*index));

	g->by_key = alloc_zeroed(n + 1, sizeof(*g->by_key));
	for (size_t i = 0; i < n; i++)
		index[i] = (struct key_index){g->groups[i].key, (int)i};
	array_sort_items(index, n, sizeof(*index), compare_keys);
	for (size_t i = 0; i < n; i++)
		g->by_key[i] = index[i].group;
	free(index);
}

/* Index of the group with that key, JOB_NONE. */
static int find_group(const struct groups *g, uint64_t key)
{
	size_t low = 0, high = g->seal->job->ngroups;

	while (low < high) {
		size_t middle = (low + high) / 2;
		uint64_t here = g->groups[g->by_key[middle]].key;

		if (here == key)
			return g->by_key[middle];
		if (here < key)
			low = middle + 1;
		else
			high = middle;
	}
	return JOB_NONE;
}

/* Groups of everybody: what was made from nothing comes before what was split from it. */
static void name_worlds(struct groups *g, bool split, int *worlds)
{
	struct seal *seal = g->seal;

	for (size_t i = 0; i < seal->job->ngroups; i++) {
		struct job_group *group = &g->groups[i];

		if (*group->name || group->size != seal->job->nranks || group->size < 2 ||
			(group->parent != 0) != split)
			continue;
		group->name = *worlds ? arena_printf(seal->arena, "world#%d", *worlds + 1)
				      : "world";
		++*worlds;
	}
}

/* "world" for those of everybody; a group nobody named goes by the head of its key. */
static void name_groups(struct groups *g)
{
	struct seal *seal = g->seal;
	int worlds = 0;

	name_worlds(g, false, &worlds);
	name_worlds(g, true, &worlds);
	for (size_t i = 0; i < seal->job->ngroups; i++) {
		struct job_group *group = &g->groups[i];

		if (!*group->maker)
			group->maker = "nccl";
		if (!*group->cite)
			group->cite = arena_printf(
				seal->arena, "group:%08x", (unsigned)(group->key >> 32));
		if (!*group->name)
			group->name =
				arena_printf(seal->arena, "g%04x", (unsigned)(group->key >> 48));
	}
}

/* -- seats ------------------------------------------------------------------------------------- */

/* The furthest that any reading saw: counters and states of a seat only ever go up. */
static void join_member(struct job_member *into, const struct job_member *from)
{
	SEAL_KEEP_MAX(into->state, from->state);
	into->aborted |= from->aborted;
	into->nonblocking |= from->nonblocking;
	into->saw_capture |= from->saw_capture;
	SEAL_KEEP_MAX(into->init_since, from->init_since);
	SEAL_KEEP_MAX(into->ready_at, from->ready_at);
	SEAL_KEEP_MAX(into->splits, from->splits);
	if (from->head_known) {
		if (!into->head_known || from->head > into->head)
			into->zeros = from->zeros;
		else if (from->head == into->head)
			SEAL_KEEP_MAX(into->zeros, from->zeros);
		SEAL_KEEP_MAX(into->head, from->head);
		into->head_known = true;
	}
	if (from->done_known) {
		SEAL_KEEP_MAX(into->done, from->done);
		into->done_known = true;
	}
	if (strcmp(from->cite, into->cite) > 0)
		into->cite = from->cite;
}

/* Of a process that holds several seats each is another rank. */
static int rank_of_seat(const struct groups *g, const struct raw_member *member)
{
	struct seal *seal = g->seal;
	int process = seal_find_process(seal, member->about.who);

	if (!seal->people[process].shared)
		return seal->people[process].rank;
	for (size_t i = 0; i < seal->seat_ranks.nr; i++) {
		const struct seal_seat_rank *seat = &seal->seat_ranks.items[i];

		if (seat->process == process && seat->group_key == member->group.key &&
			seat->seat == member->fact.seat)
			return seat->rank;
	}
	return JOB_NONE;
}

/* All seats of all groups, by group and seat, nothing known of them yet. */
static void make_members(struct groups *g)
{
	struct seal *seal = g->seal;
	struct job *job = seal->job;
	size_t total = 0;

	for (size_t i = 0; i < job->ngroups; i++) {
		g->groups[i].first_member = (int)total;
		total += g->groups[i].size;
	}
	g->members = arena_new_many(seal->arena, struct job_member, total + 1);
	for (size_t i = 0; i < job->ngroups; i++)
		for (uint32_t seat = 0; seat < g->groups[i].size; seat++) {
			struct job_member *member = &g->members[g->groups[i].first_member + seat];

			*member = job_member_unknown;
			member->group = (int)i;
			member->seat = seat;
			member->cite = g->groups[i].cite;
		}
	job->members = g->members;
	job->nmembers = total;
}

/* What is known of the seats, over what make_members() made. */
static void fill_members(struct groups *g)
{
	struct job_builder *b = g->seal->b;

	for (size_t i = 0; i < b->members.nr; i++) {
		const struct raw_member *raw = &b->members.items[i];
		int group = find_group(g, raw->group.key);
		struct job_member *member;

		if (group == JOB_NONE || raw->fact.seat >= g->groups[group].size)
			continue;
		member = &g->members[g->groups[group].first_member + (int)raw->fact.seat];
		if (member->state == JOB_MEMBER_UNSEEN && member->rank == JOB_NONE)
			member->cite = "";
		SEAL_KEEP_MAX(member->rank, rank_of_seat(g, raw));
		join_member(member, &raw->fact);
		if (!*member->cite)
			member->cite = g->groups[group].cite;
	}
}

/* In a group of all ranks, those without a seat own the seats without a rank. */
static void seat_the_unseen(struct groups *g, const struct job_group *group)
{
	struct job *job = g->seal->job;
	bool *seated = alloc_zeroed(job->nranks + 1, sizeof(*seated));
	size_t next = 0;

	for (uint32_t seat = 0; seat < group->size; seat++) {
		int rank = g->members[group->first_member + (int)seat].rank;

		if (rank != JOB_NONE)
			seated[rank] = true;
	}
	/* First those whose number is their seat's, as nearly all are; then in order. */
	for (uint32_t seat = 0; seat < group->size; seat++) {
		struct job_member *member = &g->members[group->first_member + (int)seat];

		if (member->rank != JOB_NONE || seated[seat] ||
			job->ranks[seat].world_rank != (int)seat)
			continue;
		member->rank = (int)seat;
		seated[seat] = true;
	}
	for (uint32_t seat = 0; seat < group->size; seat++) {
		struct job_member *member = &g->members[group->first_member + (int)seat];

		if (member->rank != JOB_NONE)
			continue;
		while (next < job->nranks && seated[next])
			next++;
		if (next < job->nranks) {
			member->rank = (int)next;
			seated[next] = true;
		}
	}
	free(seated);
}

/* -- ops --------------------------------------------------------------------------------------- */

struct placed_op {
	struct job_op op;
	int member;
	int process;
	uint32_t tid;
	bool p2p;
	int64_t when;
};

static int compare_sigs(const struct job_sig *a, const struct job_sig *b)
{
	SEAL_ORDER(a->op, b->op);
	SEAL_ORDER(a->dtype, b->dtype);
	SEAL_ORDER(a->redop, b->redop);
	SEAL_ORDER(a->peer, b->peer);
	SEAL_ORDER(a->count, b->count);
	return 0;
}

/* Equal ones are readings of one op: of a collective its index tells, of P2P also the pair. */
static int compare_identity(const struct placed_op *a, const struct placed_op *b)
{
	SEAL_ORDER(a->member, b->member);
	SEAL_ORDER(a->p2p, b->p2p);
	if (a->p2p) {
		SEAL_ORDER(a->op.sig.op, b->op.sig.op);
		SEAL_ORDER(a->op.sig.peer, b->op.sig.peer);
	}
	SEAL_ORDER(a->op.index, b->op.index);
	return 0;
}

/* Readings of one op side by side, the latest last; total, so that arrival never matters. */
static int compare_readings(const void *va, const void *vb)
{
	const struct placed_op *a = va, *b = vb;
	int order = compare_identity(a, b);

	if (order)
		return order;
	SEAL_ORDER(a->when, b->when);
	SEAL_ORDER(a->op.entered, b->op.entered);
	order = compare_sigs(&a->op.sig, &b->op.sig);
	if (order)
		return order;
	SEAL_ORDER(a->tid, b->tid);
	SEAL_ORDER_TEXT(a->op.cite, b->op.cite);
	return 0;
}

/* As the job keeps them: collectives by index, P2P in the order of their launches. */
static int compare_positions(const void *va, const void *vb)
{
	const struct placed_op *a = va, *b = vb;

	SEAL_ORDER(a->member, b->member);
	SEAL_ORDER(a->p2p, b->p2p);
	if (a->p2p) {
		SEAL_ORDER(a->op.order, b->op.order);
		SEAL_ORDER(a->op.entered, b->op.entered);
		SEAL_ORDER(a->op.sig.op, b->op.sig.op);
		SEAL_ORDER(a->op.sig.peer, b->op.sig.peer);
	}
	SEAL_ORDER(a->op.index, b->op.index);
	return 0;
}

/* The later reading, with what only the older one knew. */
static void join_op(struct placed_op *into, const struct placed_op *from)
{
	struct job_op older = into->op;

	*into = *from;
	SEAL_KEEP_MAX(into->op.hash, older.hash);
	SEAL_KEEP_MAX(into->op.zeros, older.zeros);
	SEAL_KEEP_MAX(into->op.entered, older.entered);
	SEAL_KEEP_MAX(into->op.returned, older.returned);
	SEAL_KEEP_MAX(into->op.completed, older.completed);
	SEAL_KEEP_MAX(into->op.stream, older.stream);
	SEAL_KEEP_MAX(into->op.launch, older.launch);
	SEAL_KEEP_MAX(into->op.order, older.order);
	into->op.captured |= older.captured;
	into->op.failed |= older.failed;
}

/* Finds each raw op its seat; drops those of no seat or no rank. How many are left. */
static size_t place_ops(struct groups *g, struct placed_op *placed)
{
	struct job_builder *b = g->seal->b;
	size_t n = 0;

	for (size_t i = 0; i < b->ops.nr; i++) {
		const struct raw_op *raw = &b->ops.items[i];
		int group = find_group(g, raw->group_key);
		int process = seal_find_process(g->seal, raw->about.who);

		if (group == JOB_NONE || raw->seat >= g->groups[group].size ||
			process == JOB_NONE || g->seal->people[process].rank == JOB_NONE)
			continue;
		placed[n++] = (struct placed_op){.op = raw->fact,
			.member = g->groups[group].first_member + (int)raw->seat,
			.process = process,
			.tid = raw->tid,
			.p2p = job_op_is_p2p(raw->fact.sig.op),
			.when = raw->about.when};
	}
	array_sort_items(placed, n, sizeof(*placed), compare_readings);
	return n;
}

/* Several readings of one op become one. How many are left, in their final order. */
static size_t merge_ops(struct placed_op *placed, size_t nr)
{
	size_t n = 0;

	for (size_t i = 0; i < nr; i++) {
		if (n && compare_identity(&placed[n - 1], &placed[i]) == 0)
			join_op(&placed[n - 1], &placed[i]);
		else
			placed[n++] = placed[i];
	}
	array_sort_items(placed, n, sizeof(*placed), compare_positions);
	return n;
}

static int compare_threads(const void *va, const void *vb)
{
	const struct job_thread *a = va, *b = vb;

	SEAL_ORDER(a->rank, b->rank);
	SEAL_ORDER(a->tid, b->tid);
	return 0;
}

static int find_thread(const struct groups *g, int rank, uint32_t tid)
{
	struct job_thread key = {.rank = rank, .tid = tid};
	size_t low = 0, high = g->seal->job->nthreads;

	if (!tid)
		return JOB_NONE;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = compare_threads(&key, &g->threads[middle]);

		if (!order)
			return (int)middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return JOB_NONE;
}

/* Each seat gets a slice of one array: placed[] is by member, collectives before P2P. */
static void hand_out_ops(struct groups *g, const struct placed_op *placed, size_t n)
{
	struct job_op *ops = arena_new_many(g->seal->arena, struct job_op, n + 1);

	for (size_t i = 0; i < n; i++) {
		struct job_member *member = &g->members[placed[i].member];
		int rank = g->seal->people[placed[i].process].rank;

		ops[i] = placed[i].op;
		ops[i].thread = find_thread(g, member->rank, placed[i].tid);
		if (ops[i].thread == JOB_NONE)
			ops[i].thread = find_thread(g, rank, placed[i].tid);
		if (!*ops[i].cite)
			ops[i].cite = member->cite;
		if (placed[i].p2p) {
			member->p2p = member->np2p++ ? member->p2p : &ops[i];
		} else {
			member->ops = member->nops++ ? member->ops : &ops[i];
		}
	}
}

static void make_ops(struct groups *g)
{
	struct placed_op *placed = alloc_zeroed(g->seal->b->ops.nr + 1, sizeof(*placed));
	size_t n = merge_ops(placed, place_ops(g, placed));

	hand_out_ops(g, placed, n);
	free(placed);
}

/* -- threads ----------------------------------------------------------------------------------- */

static int compare_raw_threads(const void *va, const void *vb)
{
	const struct raw_thread *a = va, *b = vb;
	int order = seal_compare_who(&a->about.who, &b->about.who);

	if (order)
		return order;
	SEAL_ORDER(a->fact.tid, b->fact.tid);
	SEAL_ORDER(a->about.when, b->about.when);
	SEAL_ORDER(a->fact.since, b->fact.since);
	SEAL_ORDER(a->fact.state, b->fact.state);
	SEAL_ORDER(a->group_key, b->group_key);
	SEAL_ORDER(a->fact.op, b->fact.op);
	SEAL_ORDER(a->fact.stream, b->fact.stream);
	SEAL_ORDER(a->fact.whole_device, b->fact.whole_device);
	SEAL_ORDER_TEXT(a->fact.call, b->fact.call);
	SEAL_ORDER_TEXT(a->fact.name, b->fact.name);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	return 0;
}

/*
 * The rank of a thread: its process', or, where several ranks share that, the one for whose seat
 * alone the thread launches. One that launches for several, or none, stays with the first.
 */
static int rank_of_thread(const struct groups *g, int process, uint32_t tid)
{
	const struct job_builder *b = g->seal->b;
	int first = g->seal->people[process].rank, own = JOB_NONE;

	for (size_t i = 0; g->seal->people[process].shared && i < b->ops.nr; i++) {
		const struct raw_op *raw = &b->ops.items[i];
		int group = raw->tid == tid ? find_group(g, raw->group_key) : JOB_NONE, rank;

		if (group == JOB_NONE || raw->seat >= g->groups[group].size ||
			seal_find_process(g->seal, raw->about.who) != process)
			continue;
		rank = g->members[g->groups[group].first_member + (int)raw->seat].rank;
		if (own != JOB_NONE && rank != own)
			return first;
		own = rank;
	}
	return own == JOB_NONE ? first : own;
}

/* The latest reading of each thread of a rank's own process. */
static void make_threads(struct groups *g)
{
	struct job_builder *b = g->seal->b;
	size_t n = 0;

	array_sort(&b->threads, compare_raw_threads);
	g->threads = arena_new_many(g->seal->arena, struct job_thread, b->threads.nr + 1);
	for (size_t i = 0; i < b->threads.nr; i++) {
		const struct raw_thread *raw = &b->threads.items[i], *next = raw + 1;
		int process = seal_find_process(g->seal, raw->about.who);

		if (process == JOB_NONE || g->seal->people[process].rank == JOB_NONE)
			continue;
		if (i + 1 < b->threads.nr && next->fact.tid == raw->fact.tid &&
			!seal_compare_who(&next->about.who, &raw->about.who))
			continue;
		g->threads[n] = raw->fact;
		g->threads[n].rank = rank_of_thread(g, process, raw->fact.tid);
		g->threads[n].group = raw->group_key ? find_group(g, raw->group_key) : JOB_NONE;
		if (!*g->threads[n].cite)
			g->threads[n].cite = g->seal->processes[process].cite;
		n++;
	}
	array_sort_items(g->threads, n, sizeof(*g->threads), compare_threads);
	g->seal->job->threads = g->threads;
	g->seal->job->nthreads = n;
}

void seal_groups(struct seal *seal)
{
	struct groups g = {.seal = seal};

	keep_members_of_ranks(seal);
	make_groups(&g);
	index_groups(&g);
	make_members(&g);
	name_groups(&g);
	fill_members(&g);
	for (size_t i = 0; i < seal->job->ngroups; i++)
		if (g.groups[i].size == seal->job->nranks)
			seat_the_unseen(&g, &g.groups[i]);
	make_threads(&g);
	make_ops(&g);
	free(g.by_key);
}
