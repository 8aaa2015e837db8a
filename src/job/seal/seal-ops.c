/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of each seat, and the threads that launch them. Several readings of one become one. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/names.h"
#include "job/seal/seal.h"

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
	SEAL_ORDER(a->peer.n, b->peer.n);
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
		SEAL_ORDER(a->op.sig.peer.n, b->op.sig.peer.n);
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
		SEAL_ORDER(a->op.sig.peer.n, b->op.sig.peer.n);
	}
	SEAL_ORDER(a->op.index, b->op.index);
	return 0;
}

/* The later reading, with what only the older one knew. */
static void join_op(struct placed_op *into, const struct placed_op *from)
{
	struct job_op older = into->op;

	*into = *from;
	if (!*into->op.place)
		into->op.place = older.place;
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
static size_t place_ops(struct seal *seal, struct placed_op *placed)
{
	struct job_builder *b = seal->b;
	size_t n = 0;

	for (size_t i = 0; i < b->ops.nr; i++) {
		const struct raw_op *raw = &b->ops.items[i];
		int group = seal_find_group(seal, raw->group_key);
		int process = seal_find_process(seal, raw->about.who);

		if (group == JOB_NONE || raw->seat.n >= seal->groups[group].size ||
			process == JOB_NONE || seal->people[process].rank == JOB_NONE)
			continue;
		placed[n++] = (struct placed_op){.op = raw->fact,
			.member = seal->groups[group].first_member + (int)raw->seat.n,
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

static int find_thread(const struct seal *seal, int rank, uint32_t tid)
{
	struct job_thread key = {.rank = rank, .tid = tid};
	size_t low = 0, high = seal->job->nthreads;

	if (!tid)
		return JOB_NONE;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = compare_threads(&key, &seal->threads[middle]);

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
static void hand_out_ops(struct seal *seal, const struct placed_op *placed, size_t n)
{
	struct job_op *ops = arena_new_many(seal->arena, struct job_op, n + 1);

	for (size_t i = 0; i < n; i++) {
		struct job_member *member = &seal->members[placed[i].member];
		int rank = seal->people[placed[i].process].rank;

		ops[i] = placed[i].op;
		ops[i].thread = find_thread(seal, member->rank, placed[i].tid);
		if (ops[i].thread == JOB_NONE)
			ops[i].thread = find_thread(seal, rank, placed[i].tid);
		if (!*ops[i].cite)
			ops[i].cite = member->cite;
		if (placed[i].p2p) {
			member->p2p = member->np2p++ ? member->p2p : &ops[i];
		} else {
			member->ops = member->nops++ ? member->ops : &ops[i];
		}
	}
}

static void make_ops(struct seal *seal)
{
	struct placed_op *placed = alloc_zeroed(seal->b->ops.nr + 1, sizeof(*placed));
	size_t n = merge_ops(placed, place_ops(seal, placed));

	hand_out_ops(seal, placed, n);
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
	SEAL_ORDER_TEXT(a->fact.detail, b->fact.detail);
	SEAL_ORDER_TEXT(a->fact.name, b->fact.name);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	return 0;
}

/*
 * The rank of a thread: its process', or, where several ranks share that, the one for whose seat
 * alone the thread launches. One that launches for several, or none, stays with the first.
 */
static int rank_of_thread(struct seal *seal, int process, uint32_t tid)
{
	const struct job_builder *b = seal->b;
	int first = seal->people[process].rank, own = JOB_NONE;

	for (size_t i = 0; seal->people[process].shared && i < b->ops.nr; i++) {
		const struct raw_op *raw = &b->ops.items[i];
		int group = raw->tid == tid ? seal_find_group(seal, raw->group_key) : JOB_NONE,
		    rank;

		if (group == JOB_NONE || raw->seat.n >= seal->groups[group].size ||
			seal_find_process(seal, raw->about.who) != process)
			continue;
		rank = seal->members[seal->groups[group].first_member + (int)raw->seat.n].rank;
		if (own != JOB_NONE && rank != own)
			return first;
		own = rank;
	}
	return own == JOB_NONE ? first : own;
}

/* The latest reading of each thread of a rank's own process. */
static void make_threads(struct seal *seal)
{
	struct job_builder *b = seal->b;
	size_t n = 0;

	array_sort(&b->threads, compare_raw_threads);
	seal->threads = arena_new_many(seal->arena, struct job_thread, b->threads.nr + 1);
	for (size_t i = 0; i < b->threads.nr; i++) {
		const struct raw_thread *raw = &b->threads.items[i], *next = raw + 1;
		int process = seal_find_process(seal, raw->about.who);

		if (process == JOB_NONE || seal->people[process].rank == JOB_NONE)
			continue;
		if (i + 1 < b->threads.nr && next->fact.tid == raw->fact.tid &&
			!seal_compare_who(&next->about.who, &raw->about.who))
			continue;
		seal->threads[n] = raw->fact;
		seal->threads[n].rank = rank_of_thread(seal, process, raw->fact.tid);
		seal->threads[n].group =
			raw->group_key ? seal_find_group(seal, raw->group_key) : JOB_NONE;
		if (!*seal->threads[n].cite)
			seal->threads[n].cite = seal->processes[process].cite;
		n++;
	}
	array_sort_items(seal->threads, n, sizeof(*seal->threads), compare_threads);
	seal->job->threads = seal->threads;
	seal->job->nthreads = n;
}

void seal_ops(struct seal *seal)
{
	make_threads(seal);
	make_ops(seal);
}
