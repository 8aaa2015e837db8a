/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seals the ops of each seat, and the threads that launch them. Several readings of one op become
 * one.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "job/message-index.h"
#include "job/names.h"
#include "job/seal/seal.h"

/* -- ops --------------------------------------------------------------------------------------- */

static bool is_p2p(const struct raw_op *raw)
{
	return job_op_is_p2p(raw->seen.fact.sig.op);
}

static int compare_sigs(const struct job_sig *a, const struct job_sig *b)
{
	SEAL_ORDER(a->op, b->op);
	SEAL_ORDER(a->dtype, b->dtype);
	SEAL_ORDER(a->redop, b->redop);
	SEAL_ORDER(a->peer.n, b->peer.n);
	SEAL_ORDER(a->count, b->count);
	return 0;
}

/*
 * Returns 0 if both are readings of one op: of a collective its index decides, of P2P also kind and
 * peer.
 */
static int compare_identity(const struct raw_op *a, const struct raw_op *b)
{
	SEAL_ORDER(a->member, b->member);
	SEAL_ORDER(is_p2p(a), is_p2p(b));
	if (is_p2p(a)) {
		SEAL_ORDER(a->seen.fact.sig.op, b->seen.fact.sig.op);
		SEAL_ORDER(a->seen.fact.sig.peer.n, b->seen.fact.sig.peer.n);
	}
	SEAL_ORDER(a->seen.fact.index, b->seen.fact.index);
	return 0;
}

/*
 * Orders readings of one op side by side, the latest last. The order is total, so that arrival
 * never matters.
 */
static int compare_readings(const void *va, const void *vb)
{
	const struct raw_op *a = va, *b = vb;
	int order = compare_identity(a, b);

	if (order)
		return order;
	SEAL_ORDER(a->about.when, b->about.when);
	SEAL_ORDER(a->seen.fact.entered, b->seen.fact.entered);
	order = compare_sigs(&a->seen.fact.sig, &b->seen.fact.sig);
	if (order)
		return order;
	SEAL_ORDER(a->seen.tid, b->seen.tid);
	SEAL_ORDER_TEXT(a->seen.fact.cite, b->seen.fact.cite);
	return 0;
}

/* Orders ops as the job keeps them: collectives by index, P2P in the order of their launches. */
static int compare_positions(const void *va, const void *vb)
{
	const struct raw_op *a = va, *b = vb;

	SEAL_ORDER(a->member, b->member);
	SEAL_ORDER(is_p2p(a), is_p2p(b));
	if (is_p2p(a)) {
		SEAL_ORDER(a->seen.fact.order, b->seen.fact.order);
		SEAL_ORDER(a->seen.fact.entered, b->seen.fact.entered);
		SEAL_ORDER(a->seen.fact.sig.op, b->seen.fact.sig.op);
		SEAL_ORDER(a->seen.fact.sig.peer.n, b->seen.fact.sig.peer.n);
	}
	SEAL_ORDER(a->seen.fact.index, b->seen.fact.index);
	return 0;
}

/* Replaces a reading by a later one, but keeps what only the older one knew. */
static void join_op(struct raw_op *into, const struct raw_op *from)
{
	struct job_op older = into->seen.fact;

	*into = *from;
	if (!*into->seen.fact.place)
		into->seen.fact.place = older.place;
	if (!into->seen.fact.tagged) {
		into->seen.fact.tagged = older.tagged;
		into->seen.fact.tag = older.tag;
		into->seen.fact.turn = older.turn;
	}
	SEAL_KEEP_MAX(into->seen.fact.hash, older.hash);
	SEAL_KEEP_MAX(into->seen.fact.zeros, older.zeros);
	SEAL_KEEP_MAX(into->seen.fact.entered, older.entered);
	SEAL_KEEP_MAX(into->seen.fact.returned, older.returned);
	SEAL_KEEP_MAX(into->seen.fact.completed, older.completed);
	SEAL_KEEP_MAX(into->seen.fact.stream, older.stream);
	SEAL_KEEP_MAX(into->seen.fact.launch, older.launch);
	SEAL_KEEP_MAX(into->seen.fact.order, older.order);
	into->seen.fact.captured |= older.captured;
	into->seen.fact.failed |= older.failed;
}

static size_t member_of(const void *op)
{
	return (size_t)((const struct raw_op *)op)->member;
}

/*
 * Sorts by compare_readings(). Ops come rank by rank, and each rank has seats in many groups: so
 * first to the seats, then each seat's.
 */
static void sort_readings(const struct seal *seal)
{
	struct job_builder *b = seal->b;
	size_t to;

	array_group_items(b->ops.items, b->ops.nr, sizeof(*b->ops.items), seal->job->nmembers,
		member_of);
	for (size_t from = 0; from < b->ops.nr; from = to) {
		struct raw_op *first = &b->ops.items[from];

		for (to = from + 1; to < b->ops.nr && b->ops.items[to].member == first->member;)
			to++;
		array_sort_items(first, to - from, sizeof(*first), compare_readings);
	}
}

/* Finds the seat of each op; drops ops of no seat or no rank. */
static void place_ops(struct seal *seal)
{
	struct job_builder *b = seal->b;
	size_t n = 0;

	for (size_t i = 0; i < b->ops.nr; i++) {
		struct raw_op *raw = &b->ops.items[i];
		int group = seal_find_group(seal, raw->seen.group_key);

		raw->process = seal_find_process(seal, raw->about.who);
		if (group == JOB_NONE || raw->seen.seat.n >= seal->groups[group].size ||
			raw->process == JOB_NONE ||
			!is_rank(seal->people[raw->process].rank))
			continue;
		raw->member = seal->groups[group].first_member + (int)raw->seen.seat.n;
		array_keep(b->ops.items, n, i);
	}
	b->ops.nr = n;
	sort_readings(seal);
}

/* Makes one op of several readings, and puts all ops into their final order. */
static void merge_ops(struct job_builder *b)
{
	struct raw_op *ops = b->ops.items;
	size_t n = 0;

	for (size_t i = 0; i < b->ops.nr; i++) {
		if (n && compare_identity(&ops[n - 1], &ops[i]) == 0)
			join_op(&ops[n - 1], &ops[i]);
		else
			array_keep(ops, n, i);
	}
	b->ops.nr = n;
	array_sort(&b->ops, compare_positions);
}

static int compare_threads(const void *va, const void *vb)
{
	const struct job_thread *a = va, *b = vb;

	SEAL_ORDER(a->rank.i, b->rank.i);
	SEAL_ORDER(a->tid, b->tid);
	return 0;
}

/* Returns the index of a rank's thread; JOB_NONE. */
static int find_thread(const struct seal *seal, struct rank_index rank, uint32_t tid)
{
	struct job_thread key = {.rank = rank, .tid = tid};
	size_t n = tid ? seal->job->nthreads : 0;
	size_t place = bisect(0, n, i, compare_threads(&seal->threads[i], &key) < 0);

	return place < n && !compare_threads(&seal->threads[place], &key) ? (int)place : JOB_NONE;
}

/*
 * Copies the ops into one array of which each seat gets a slice: they are ordered by member,
 * collectives before P2P.
 */
static void hand_out_ops(struct seal *seal)
{
	const struct job_builder *b = seal->b;
	struct job_op *ops = arena_new_many(seal->arena, struct job_op, b->ops.nr + 1);

	for (size_t i = 0; i < b->ops.nr; i++) {
		const struct raw_op *raw = &b->ops.items[i];
		struct job_member *member = &seal->members[raw->member];

		ops[i] = raw->seen.fact;
		ops[i].thread = find_thread(seal, member->rank, raw->seen.tid);
		if (ops[i].thread == JOB_NONE)
			ops[i].thread = find_thread(
				seal, seal->people[raw->process].rank, raw->seen.tid);
		if (!*ops[i].cite)
			ops[i].cite = member->cite;
		if (is_p2p(raw)) {
			member->p2p = member->np2p++ ? member->p2p : &ops[i];
		} else {
			member->ops = member->nops++ ? member->ops : &ops[i];
		}
	}
}

static void index_messages(struct seal *seal)
{
	for (size_t i = 0; i < seal->job->nmembers; i++) {
		struct job_member *member = &seal->members[i];

		if (member->np2p)
			member->messages =
				message_index_new(seal->arena, member->p2p, member->np2p);
	}
}

static void make_ops(struct seal *seal)
{
	place_ops(seal);
	merge_ops(seal->b);
	hand_out_ops(seal);
	index_messages(seal);
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
 * Returns the rank of a thread: its process', or, where several ranks share the process, the one
 * for whose seat alone the thread launches. A thread that launches for several, or for none, stays
 * with the first.
 */
static struct rank_index rank_of_thread(struct seal *seal, int process, uint32_t tid)
{
	const struct job_builder *b = seal->b;
	struct rank_index first = seal->people[process].rank, own = NO_RANK;

	for (size_t i = 0; seal->people[process].shared && i < b->ops.nr; i++) {
		const struct raw_op *raw = &b->ops.items[i];
		int group = raw->seen.tid == tid ? seal_find_group(seal, raw->seen.group_key)
						 : JOB_NONE;
		struct rank_index rank;

		if (group == JOB_NONE || raw->seen.seat.n >= seal->groups[group].size ||
			seal_find_process(seal, raw->about.who) != process)
			continue;
		rank = seal->members[seal->groups[group].first_member + (int)raw->seen.seat.n].rank;
		if (is_rank(own) && !same_rank(rank, own))
			return first;
		own = rank;
	}
	return is_rank(own) ? own : first;
}

/* Makes the threads: the latest reading of each thread of a rank's own process. */
static void make_threads(struct seal *seal)
{
	struct job_builder *b = seal->b;
	size_t n = 0;

	array_sort(&b->threads, compare_raw_threads);
	seal->threads = arena_new_many(seal->arena, struct job_thread, b->threads.nr + 1);
	for (size_t i = 0; i < b->threads.nr; i++) {
		const struct raw_thread *raw = &b->threads.items[i], *next = raw + 1;
		int process = seal_find_process(seal, raw->about.who);

		if (process == JOB_NONE || !is_rank(seal->people[process].rank))
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
