/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds edges to what a rank launched before.
 *
 * Launch order is an edge only where the earlier op is surely not complete. Where completion is not
 * tracked that is not known, and every op in flight would wait for all before it; so such orders
 * are kept aside, and count only where two ranks took opposite ones.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "job/backends.h"
#include "job/message-index.h"
#include "job/names.h"
#include "job/rollcall.h"
#include "job/waitfor/waitfor-earlier.h"

/*
 * True if the op of `wait` has no record any more, since later ops' records have taken its place.
 */
static bool is_overwritten(const struct waitfor_maker *m, const struct wait *wait)
{
	return wait->kind == WAIT_COLLECTIVE && !wait->op &&
	       m->job->members[wait->member].keeps_newest;
}

/* True if `wait` is for a later launch of the same rank than `other`. */
static bool launched_after(
	const struct waitfor_maker *m, const struct wait *wait, const struct wait *other)
{
	if (wait->op && wait->op->order && is_overwritten(m, other))
		return true;
	return wait->op && other->op && wait->op->order && other->op->order &&
	       wait->op->order > other->op->order &&
	       (!wait->op->launch || wait->op->launch != other->op->launch);
}

/*
 * True if a wait can explain later ones: it is surely open. An untracked op may long be complete,
 * unless its group forked before it.
 */
static bool is_reason(const struct waitfor_maker *m, const struct wait *wait)
{
	return wait->sure || waitfor_is_forked(m, m->job->members[wait->member].group, wait->index);
}

/* True if nothing orders the two: some makers run each group's ops on threads of that group. */
static bool are_apart(
	const struct waitfor_maker *m, const struct wait *wait, const struct wait *other)
{
	int group = waitfor_group_of(m->job, wait), before = waitfor_group_of(m->job, other);

	return group != before && (backend_has(m->job->groups[group].maker, BACKEND_APART) ||
			backend_has(m->job->groups[before].maker, BACKEND_APART));
}

bool waitfor_hides_streams(const struct waitfor_maker *m, struct rank_index rank)
{
	return waits_are_by_dump(job_rank(m->job, rank));
}

/*
 * True if a launch waits for an earlier one of the same rank. Collectives wait for each other, as
 * NCCL runs them; sends and receives for what is before them on their stream.
 */
static bool is_behind(
	const struct waitfor_maker *m, const struct wait *wait, const struct wait *other)
{
	if (other->kind != WAIT_COLLECTIVE && other->kind != WAIT_P2P)
		return false;
	if (!launched_after(m, wait, other) || are_apart(m, wait, other))
		return false;
	if (waitfor_hides_streams(m, wait->rank))
		return true;
	return (wait->kind == WAIT_COLLECTIVE && other->kind == WAIT_COLLECTIVE) ||
	       (wait->op->stream && other->op && wait->op->stream == other->op->stream);
}

/* Waits of a rank up to which each is joined to each by itself. */
#define FEW 32

/* How what was launched before is found. */
struct launches {
	struct waitfor_earlier *earlier; /* of ranks with many waits */
	size_t *single; /* waits that are joined by themselves, by rank: they are guesses, or count
			 * only where two ranks took opposite orders */
	size_t *first;	/* per rank: where its own begin in `single` */
	bool *few;	/* per rank: all its waits are joined by themselves */
};

/* Adds an edge from a node that needs a wait to one that its rank launched before, if it did. */
static void join_one(
	struct waitfor_maker *m, int node, const struct wait *wait, size_t at)
{
	const struct wait *other = &m->waits->at[at];

	if (!is_behind(m, wait, other))
		return;
	if (is_reason(m, other))
		waitfor_add_edge(m, node, m->graph->node_of_wait[at]);
	else if (wait->kind == WAIT_COLLECTIVE && other->kind == WAIT_COLLECTIVE && wait->held &&
		 other->held)
		*array_add(&m->orders) =
			(struct waitfor_edge){node, m->graph->node_of_wait[at]};
}

/*
 * Adds edges from a node that needs a rank's wait to what the rank launched before that wait.
 * `own`: the node is of that rank itself by another wait.
 */
static void join_earlier(struct waitfor_maker *m, const struct launches *launches, int node,
	const struct wait *wait, bool own)
{
	int rank = wait->rank.i;

	if (launches->few[rank] || own) {
		for (size_t k = m->waits->first[rank]; k < m->waits->first[rank + 1]; k++)
			join_one(m, node, wait, k);
		return;
	}
	for (size_t k = launches->first[rank]; k < launches->first[rank + 1]; k++)
		join_one(m, node, wait, launches->single[k]);
	waitfor_earlier_join(launches->earlier, node, wait);
}

/* True if two waits of the rank lead to one node. `seen`: per node, the last rank, from 1. */
static bool shares_node(const struct waitfor_maker *m, struct rank_index rank, int *seen)
{
	bool shares = false;

	for (size_t k = m->waits->first[rank.i]; k < m->waits->first[rank.i + 1]; k++) {
		int *at = &seen[m->graph->node_of_wait[k]];

		shares |= *at == rank.i + 1;
		*at = rank.i + 1;
	}
	return shares;
}

/* Puts a wait that others may be behind to those of its like. */
static void take_in(
	const struct waitfor_maker *m, struct launches *launches, size_t at, size_t *n)
{
	const struct wait *wait = &m->waits->at[at];

	if (wait->kind != WAIT_COLLECTIVE && wait->kind != WAIT_P2P)
		return;
	if (!(wait->op && wait->op->order) && !is_overwritten(m, wait))
		return;
	if (is_reason(m, wait) && !wait->ahead && !wait->perhaps)
		waitfor_earlier_add(launches->earlier, wait, m->graph->node_of_wait[at]);
	else if (is_reason(m, wait) || (wait->kind == WAIT_COLLECTIVE && wait->held))
		launches->single[(*n)++] = at;
}

static void collect_launches(struct waitfor_maker *m, struct launches *launches)
{
	int *seen = alloc_zeroed(m->nodes.nr + 1, sizeof(*seen));
	size_t n = 0;

	launches->earlier = waitfor_earlier_new(m);
	launches->single = alloc_zeroed(m->waits->n + 1, sizeof(*launches->single));
	launches->first = alloc_zeroed(m->job->nranks + 1, sizeof(*launches->first));
	launches->few = alloc_zeroed(m->job->nranks + 1, sizeof(*launches->few));
	job_for_each_rank(m->job, rank) {
		size_t from = m->waits->first[rank.i], to = m->waits->first[rank.i + 1];

		launches->first[rank.i] = n;
		launches->few[rank.i] = to - from <= FEW || shares_node(m, rank, seen);
		for (size_t k = from; k < to && !launches->few[rank.i]; k++)
			take_in(m, launches, k, &n);
	}
	launches->first[m->job->nranks] = n;
	waitfor_earlier_order(launches->earlier);
	free(seen);
}

static void release_launches(struct launches *launches)
{
	waitfor_earlier_free(launches->earlier);
	free(launches->single);
	free(launches->first);
	free(launches->few);
}

/*
 * Returns the peer's wait on the other side of a send or receive; NULL where the peer does not wait
 * in it.
 */
static const struct wait *other_side(const struct waitfor_maker *m, const struct wait *wait)
{
	uint8_t kind = wait->op && wait->op->sig.op == JOB_OP_SEND ? JOB_OP_RECV : JOB_OP_SEND;
	const struct job_message *met = message_find(&m->job->members[wait->peer], kind,
		m->job->members[wait->member].seat, wait->index);
	int other = met && wait->op ? waits_for_message(m->waits, met->op) : JOB_NONE;

	return other != JOB_NONE ? &m->waits->at[other] : NULL;
}

/*
 * Joins an op that all are in to its group's fork, if they launched both together: it is not
 * complete while others of its launch went different ways.
 */
static void join_fork(struct waitfor_maker *m, int node, const struct wait *wait)
{
	const struct job_member *member = &m->job->members[wait->member];
	uint64_t forked = m->given->forked[member->group];
	const struct job_op *op = forked > wait->index ? rollcall_op(member, forked) : NULL;

	if (op && wait->op && op->launch && op->launch == wait->op->launch)
		waitfor_add_edge(m, node,
			waitfor_fork_node(m, member->group));
}

/*
 * Joins each message of an exchange to one that lacks its peer: nothing in the exchange is complete
 * before that.
 */
static void join_exchanges(struct waitfor_maker *m)
{
	int *lacking = alloc_zeroed(m->waits->n + 1, sizeof(*lacking)); /* per exchange: 1 + a
									 * lacking wait; 0 none */

	for (size_t i = m->waits->n; i-- > 0;)
		if (m->waits->at[i].kind == WAIT_P2P && m->waits->at[i].lacking)
			lacking[m->waits->at[i].exchange] = (int)i + 1;
	for (size_t i = 0; i < m->waits->n; i++) {
		const struct wait *wait = &m->waits->at[i];
		int other = wait->kind == WAIT_P2P ? lacking[wait->exchange] : 0;

		if (other && !wait->lacking)
			waitfor_add_edge(m, m->graph->node_of_wait[i],
				m->graph->node_of_wait[other - 1]);
	}
	free(lacking);
}

/* Joins an op that all are in to what one of its members launched before it. */
static void join_launches(
	struct waitfor_maker *m, const struct launches *launches, struct rank_index rank)
{
	for (size_t i = m->waits->first[rank.i]; i < m->waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &m->waits->at[i], *other = NULL;
		int node = m->graph->node_of_wait[i];

		if ((wait->kind != WAIT_COLLECTIVE && wait->kind != WAIT_P2P) || wait->lacking)
			continue;
		join_earlier(m, launches, node, wait, false);
		if (wait->kind == WAIT_COLLECTIVE)
			join_fork(m, node, wait);
		if (wait->kind == WAIT_P2P)
			other = other_side(m, wait);
		if (other)
			join_earlier(m, launches, node, other, same_rank(other->rank, rank));
	}
}

static int compare_edges(const void *va, const void *vb)
{
	const struct waitfor_edge *a = va, *b = vb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* Joins untracked ops that two ranks launched in opposite orders, where hosts are held in both. */
static void join_opposite_orders(struct waitfor_maker *m)
{
	size_t n = 0;

	array_sort(&m->orders, compare_edges);
	for (size_t i = 0; i < m->orders.nr; i++)
		if (!n || compare_edges(&m->orders.items[n - 1], &m->orders.items[i]) != 0)
			m->orders.items[n++] = m->orders.items[i];
	m->orders.nr = n;
	for (size_t i = 0; i < n; i++) {
		struct waitfor_edge back = {m->orders.items[i].to, m->orders.items[i].from};

		if (n && bsearch(&back, m->orders.items, n, sizeof(back), compare_edges))
			waitfor_add_edge(m, back.to, back.from);
	}
	array_release(&m->orders);
}

void waitfor_join_launches(struct waitfor_maker *m)
{
	struct launches launches;

	collect_launches(m, &launches);
	job_for_each_rank(m->job, rank)
		join_launches(m, &launches, rank);
	join_exchanges(m);
	join_opposite_orders(m);
	release_launches(&launches);
}
