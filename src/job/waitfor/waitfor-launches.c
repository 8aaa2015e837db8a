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
#include "job/rollcall.h"
#include "job/waitfor/waitfor-make.h"

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

/*
 * True if only a dump tells of the rank: it has the order of launches and no streams. A later
 * launch may then wait for any earlier one, by a stream that both have or by one that waits for
 * both: where an earlier one is open, that the later one is open explains nothing.
 */
static bool hides_streams(const struct waitfor_maker *m, struct rank_index rank)
{
	return (job_rank(m->job, rank)->knows & JOB_KNOWS_BOARDS) == JOB_KNOWS_DUMP;
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
	if (hides_streams(m, wait->rank))
		return true;
	return (wait->kind == WAIT_COLLECTIVE && other->kind == WAIT_COLLECTIVE) ||
	       (wait->op->stream && wait->op->stream == other->op->stream);
}

/* Adds edges from a node that needs a rank's wait to what the rank launched before that wait. */
static void join_earlier(struct waitfor_maker *m, int node, const struct wait *wait)
{
	struct rank_index rank = wait->rank;

	for (size_t k = m->waits->first[rank.i]; k < m->waits->first[rank.i + 1]; k++) {
		const struct wait *other = &m->waits->at[k];
		bool both_collective =
			wait->kind == WAIT_COLLECTIVE && other->kind == WAIT_COLLECTIVE;

		if (!is_behind(m, wait, other))
			continue;
		if (is_reason(m, other))
			waitfor_add_edge(m, node, m->graph->node_of_wait[k]);
		else if (both_collective && wait->held && other->held)
			*array_add(&m->orders) =
				(struct waitfor_edge){node, m->graph->node_of_wait[k]};
	}
}

/*
 * Returns the peer's wait on the other side of a send or receive; NULL where the peer does not wait
 * in it.
 */
static const struct wait *other_side(const struct waitfor_maker *m, const struct wait *wait)
{
	struct rank_index rank = m->job->members[wait->peer].rank;

	for (size_t k = is_rank(rank) ? m->waits->first[rank.i] : m->waits->n;
		is_rank(rank) && k < m->waits->first[rank.i + 1]; k++) {
		const struct wait *other = &m->waits->at[k];

		if (other->kind == WAIT_P2P && other->member == wait->peer &&
			other->peer == wait->member && other->index == wait->index && other->op &&
			wait->op && other->op->sig.op != wait->op->sig.op)
			return other;
	}
	return NULL;
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
static void join_launches(struct waitfor_maker *m, struct rank_index rank)
{
	for (size_t i = m->waits->first[rank.i]; i < m->waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &m->waits->at[i], *other = NULL;
		int node = m->graph->node_of_wait[i];

		if ((wait->kind != WAIT_COLLECTIVE && wait->kind != WAIT_P2P) || wait->lacking)
			continue;
		join_earlier(m, node, wait);
		if (wait->kind == WAIT_COLLECTIVE)
			join_fork(m, node, wait);
		if (wait->kind == WAIT_P2P)
			other = other_side(m, wait);
		if (other)
			join_earlier(m, node, other);
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
	job_for_each_rank(m->job, rank)
		join_launches(m, rank);
	join_exchanges(m);
	join_opposite_orders(m);
}
