/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the graph, in the order in which the file reads: a node for each rank; one for each op
 * that somebody waits in, found by (group, index); nodes for inits, splits, forks and stopped ranks
 * where an edge first needs one. Then the edges, then what follows from them.
 *
 *	rank 0 --> op #9 --> op #7 --> rank 3		has entered 6: on #7 hang all who lack it,
 *	rank 1 --> op #9 --> rank 2			has entered 8: only on #9
 *
 * A seat that has not entered hangs on one op only, the first that it lacks: later ones reach it
 * along the chain. An edge per op and missing seat would say the same and grow with their product.
 *
 * The parts are numbered from the sinks upwards (waitfor-parts.c). So one pass over the nodes by
 * part, from the far end, carries each standing wait to all that it leads to; a circle is one part
 * and shares one value.
 */
#include "job/waitfor/waitfor.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/clock.h"
#include "job/waitfor/waitfor-make.h"
#include "job/waitfor/waitfor-parts.h"

int waitfor_add_node(
	struct waitfor_maker *m, enum waitfor_kind kind, struct rank_index rank, int group)
{
	*array_add(&m->nodes) = (struct waitfor_node){.kind = kind,
		.rank = rank,
		.group = group,
		.wait = JOB_NONE,
		.reached = JOB_UNKNOWN};
	return (int)m->nodes.nr - 1;
}

void waitfor_add_edge(struct waitfor_maker *m, int from, int to)
{
	if (from != to)
		*array_add(&m->edges) = (struct waitfor_edge){from, to};
}

int waitfor_group_of(const struct job *job, const struct wait *wait)
{
	return wait->member == JOB_NONE ? JOB_NONE : job->members[wait->member].group;
}

/*
 * The longest step, ns, that a thread is granted between two calls: beyond it nothing was going on,
 * however long a thread went on before.
 */
#define STEP_AT_MOST (60 * CLOCK_NS_PER_S)

/* Returns the threshold of a wait, leaving other threads of its rank aside. */
static int64_t threshold_alone(
	const struct job *job, const struct wait *wait, const struct waitfor_given *given)
{
	int group = waitfor_group_of(job, wait);

	if (group == JOB_NONE && waits_is_for(wait, WAITS_SOME_OP))
		return given->threshold_told;
	if (group == JOB_NONE)
		return wait->kind == WAIT_STORE ? given->threshold_store : given->threshold_else;
	if (wait->kind == WAIT_P2P)
		return given->threshold_p2p[group];
	return wait->kind == WAIT_INIT ? given->threshold_init[group] : given->threshold[group];
}

/* If another thread went on beside the wait for some time, it may be in a step of twice that. */
int64_t waitfor_threshold(
	const struct job *job, const struct wait *wait, const struct waitfor_given *given)
{
	int64_t usual = threshold_alone(job, wait, given);
	int64_t step = wait->aside < STEP_AT_MOST / 2 ? 2 * wait->aside : STEP_AT_MOST;

	return usual > step ? usual : step;
}

bool waitfor_stands(
	const struct job *job, const struct wait *wait, const struct waitfor_given *given)
{
	if (wait->age_unknown)
		return wait->sure || wait->held;
	if (wait->age == JOB_UNKNOWN || (!wait->sure && !wait->held))
		return false;
	return wait->age > waitfor_threshold(job, wait, given);
}

/* -- nodes of what is waited in ---------------------------------------------------------------- */

static int compare_waited(const void *va, const void *vb)
{
	const struct waitfor_waited *a = va, *b = vb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

bool waitfor_is_forked(const struct waitfor_maker *m, int group, uint64_t index)
{
	return m->given->forked[group] && index >= m->given->forked[group];
}

/* Makes a node for each op that some wait is in, in order of group and index. */
static void collect_ops(struct waitfor_maker *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->waits->n; i++) {
		const struct wait *wait = &m->waits->at[i];
		int group = waitfor_group_of(m->job, wait);

		if (wait->kind == WAIT_COLLECTIVE && !waitfor_is_forked(m, group, wait->index))
			*array_add(&m->ops) = (struct waitfor_waited){
				group, wait->index, JOB_NONE, wait->sure};
	}
	array_sort(&m->ops, compare_waited);
	for (size_t i = 0; i < m->ops.nr; i++)
		if (!n || compare_waited(&m->ops.items[n - 1], &m->ops.items[i]) != 0)
			m->ops.items[n++] = m->ops.items[i];
		else
			m->ops.items[n - 1].sure |= m->ops.items[i].sure;
	m->ops.nr = n;
	for (size_t i = 0; i < n; i++) {
		int node = waitfor_add_node(m, WAITFOR_OP, NO_RANK, m->ops.items[i].group);

		m->nodes.items[node].index = m->ops.items[i].index;
		m->ops.items[i].node = node;
	}
}

/* Returns the node of an op that collect_ops() has seen; asked for no other. */
static int op_node(const struct waitfor_maker *m, int group, uint64_t index)
{
	struct waitfor_waited key = {.group = group, .index = index};
	size_t place = bisect(0, m->ops.nr, i, compare_waited(&m->ops.items[i], &key) < 0);

	return m->ops.items[place].node;
}

/* Returns the node in a slot; makes it when first asked. */
static int lazy_node(struct waitfor_maker *m, int *slot, enum waitfor_kind kind,
	struct rank_index rank, int group)
{
	if (*slot == JOB_NONE)
		*slot = waitfor_add_node(m, kind, rank, group);
	return *slot;
}

int waitfor_stopped_node(struct waitfor_maker *m, struct rank_index rank)
{
	return lazy_node(m, &m->stopped_node[rank.i], WAITFOR_STOPPED, rank, JOB_NONE);
}

int waitfor_fork_node(struct waitfor_maker *m, int group)
{
	return lazy_node(m, &m->fork_node[group], WAITFOR_FORK, NO_RANK, group);
}

/*
 * Returns the node that a wait leads to. All who wait for the same share it, except for P2P, locks
 * and synchronisations.
 */
static int node_for(struct waitfor_maker *m, size_t index)
{
	const struct wait *wait = &m->waits->at[index];
	int group = waitfor_group_of(m->job, wait), node;

	switch (wait->kind) {
	case WAIT_COLLECTIVE:
		if (waitfor_is_forked(m, group, wait->index))
			return waitfor_fork_node(m, group);
		return op_node(m, group, wait->index);
	case WAIT_INIT:
		return lazy_node(m, &m->init_node[group], WAITFOR_INIT, NO_RANK, group);
	case WAIT_SPLIT:
		return lazy_node(m, &m->split_node[group], WAITFOR_SPLIT, NO_RANK, group);
	case WAIT_STORE:
		return waitfor_key_node(m, wait->key);
	case WAIT_P2P:
		node = waitfor_add_node(m, WAITFOR_PAIR, wait->rank, group);
		break;
	case WAIT_LOCK:
		node = waitfor_add_node(m, WAITFOR_LOCK, wait->rank, JOB_NONE);
		m->nodes.items[node].absent = true;
		waitfor_add_edge(m, node, wait->holder.i);
		break;
	default:
		node = waitfor_add_node(m, WAITFOR_SYNC, wait->rank, group);
		break;
	}
	m->nodes.items[node].wait = (int)index;
	return node;
}

bool waitfor_follows(const struct waitfor_maker *m, const struct wait *wait)
{
	if (wait->aside && !waitfor_stands(m->job, wait, m->given))
		return false;
	switch (m->given->stands[wait->rank.i]) {
	case WAITFOR_FINAL:
		return false;
	case WAITFOR_STANDS:
		return wait->held;
	default:
		return true;
	}
}

/* Makes all nodes first, since an edge names them by index; then the edges. */
static void make_graph(struct waitfor_maker *m)
{
	job_for_each_rank(m->job, rank)
		waitfor_add_node(m, WAITFOR_RANK, rank, JOB_NONE);
	collect_ops(m);
	waitfor_collect_keys(m);
	for (size_t i = 0; i < m->waits->n; i++)
		m->graph->node_of_wait[i] = node_for(m, i);
	waitfor_join_missing(m);
	for (size_t i = 0; i < m->waits->n; i++) {
		const struct wait *wait = &m->waits->at[i];

		if (wait->kind == WAIT_P2P)
			waitfor_join_pair(m, m->graph->node_of_wait[i], wait);
		if (waitfor_follows(m, wait))
			waitfor_add_edge(m, wait->rank.i, m->graph->node_of_wait[i]);
	}
	waitfor_join_launches(m);
	waitfor_join_forks(m);
	waitfor_join_keys(m);
}

/* -- from edges to answers --------------------------------------------------------------------- */

/* Sorts the edges by their source into the graph, by counting. */
static void sort_edges(struct waitfor_maker *m)
{
	struct waitfor *graph = m->graph;
	size_t *at;

	graph->nodes = m->nodes.items;
	graph->nnodes = m->nodes.nr;
	graph->first_edge = alloc_zeroed(graph->nnodes + 2, sizeof(*graph->first_edge));
	graph->edges = alloc_zeroed(m->edges.nr + 1, sizeof(*graph->edges));
	at = alloc_zeroed(graph->nnodes + 1, sizeof(*at));
	for (size_t i = 0; i < m->edges.nr; i++)
		graph->first_edge[m->edges.items[i].from + 1]++;
	for (size_t i = 0; i < graph->nnodes; i++)
		graph->first_edge[i + 1] += graph->first_edge[i];
	for (size_t i = 0; i < m->edges.nr; i++) {
		int from = m->edges.items[i].from;

		graph->edges[graph->first_edge[from] + at[from]++] = m->edges.items[i].to;
	}
	free(at);
}

static void raise(int64_t *into, int64_t value)
{
	if (value > *into)
		*into = value;
}

/* Returns the nodes ordered by part, those farthest from the sinks first; to be freed. */
static int *order_by_part(const struct waitfor *graph)
{
	int *order = alloc_zeroed(graph->nnodes + 1, sizeof(*order));
	size_t *at = alloc_zeroed(graph->nparts + 2, sizeof(*at));

	for (size_t i = 0; i < graph->nnodes; i++)
		at[graph->nparts - (size_t)graph->nodes[i].part]++;
	for (size_t i = 1; i <= graph->nparts; i++)
		at[i] += at[i - 1];
	for (size_t i = 0; i < graph->nnodes; i++) {
		size_t place = graph->nparts - 1 - (size_t)graph->nodes[i].part;

		order[at[place]++] = (int)i;
	}
	free(at);
	return order;
}

/*
 * True if an edge to that node is a guess: it is a message for which nobody is seen to wait, or
 * that may keep no rank; or a thread of which it is not known that it waits.
 */
static bool is_ahead(const struct waitfor *graph, int at)
{
	const struct waitfor_node *node = &graph->nodes[at];

	return node->perhaps ||
	       (node->kind == WAITFOR_PAIR && (graph->waits->at[node->wait].ahead ||
						      graph->waits->at[node->wait].perhaps));
}

/*
 * Carries the longest standing wait from where it is felt to all that it waits for. Returns its age
 * per part, JOB_UNKNOWN none; to be freed. `sure`: only through what is no guess.
 */
static int64_t *carry_waits(
	const struct waitfor *graph, const struct waitfor_given *given, const int *order, bool sure)
{
	int64_t *by_part = alloc_zeroed(graph->nparts + 1, sizeof(*by_part));

	for (size_t i = 0; i < graph->nparts; i++)
		by_part[i] = JOB_UNKNOWN;
	for (size_t i = 0; i < graph->waits->n; i++) {
		const struct wait *wait = &graph->waits->at[i];

		if (waitfor_stands(graph->job, wait, given) && !(sure && wait->perhaps))
			raise(&by_part[graph->nodes[graph->node_of_wait[i]].part],
				wait->age_unknown ? 0 : wait->age);
	}
	for (size_t i = 0; i < graph->nnodes; i++) {
		int node = order[i];
		int64_t reached = by_part[graph->nodes[node].part];

		for (size_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++)
			if (!sure || !is_ahead(graph, graph->edges[e]))
				raise(&by_part[graph->nodes[graph->edges[e]].part], reached);
	}
	return by_part;
}

/* Tells each node the longest wait that leads to it, and whether only guesses do. */
static void spread_waits(struct waitfor *graph, const struct waitfor_given *given)
{
	int *order = order_by_part(graph);
	int64_t *any = carry_waits(graph, given, order, false);
	int64_t *sure = carry_waits(graph, given, order, true);

	for (size_t i = 0; i < graph->nnodes; i++) {
		struct waitfor_node *node = &graph->nodes[i];

		node->reached = any[node->part];
		node->unsure = any[node->part] != JOB_UNKNOWN && sure[node->part] == JOB_UNKNOWN;
	}
	free(any);
	free(sure);
	free(order);
}

/* Drops the edges that are guesses and lie in a circle. True if there were any. */
static bool drop_circling(struct waitfor_maker *m)
{
	size_t n = 0, before = m->edges.nr;

	for (size_t i = 0; i < m->edges.nr; i++) {
		struct waitfor_edge edge = m->edges.items[i];

		if (!(is_ahead(m->graph, edge.to) || m->graph->nodes[edge.from].loose) ||
			m->graph->nodes[edge.from].part != m->graph->nodes[edge.to].part)
			m->edges.items[n++] = edge;
	}
	m->edges.nr = n;
	return n < before;
}

/* Finds the parts. A circle in which a guess takes part is none: perhaps nobody waits there. */
static void close_graph(struct waitfor_maker *m)
{
	struct waitfor *graph = m->graph;

	sort_edges(m);
	waitfor_find_parts(graph);
	if (!drop_circling(m))
		return;
	free(graph->first_edge);
	free(graph->edges);
	free(graph->parts);
	graph->nparts = 0;
	sort_edges(m);
	waitfor_find_parts(graph);
}

/* Lists the waits by the nodes that they lead to, by counting. */
static void index_waits(struct waitfor *graph)
{
	size_t n = graph->waits->n, *first;

	graph->waits_at = alloc_zeroed(n + 1, sizeof(*graph->waits_at));
	first = graph->first_wait = alloc_zeroed(graph->nnodes + 2, sizeof(*first));
	for (size_t i = 0; i < n; i++)
		if (graph->node_of_wait[i] != JOB_NONE)
			first[graph->node_of_wait[i] + 2]++;
	for (size_t i = 2; i < graph->nnodes + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < n; i++)
		if (graph->node_of_wait[i] != JOB_NONE)
			graph->waits_at[first[graph->node_of_wait[i] + 1]++] = i;
}

static int *none_each(size_t n)
{
	int *list = alloc_zeroed(n + 1, sizeof(*list));

	for (size_t i = 0; i < n; i++)
		list[i] = JOB_NONE;
	return list;
}

struct waitfor *waitfor_new(
	const struct job *job, const struct waits *waits, const struct waitfor_given *given)
{
	struct waitfor *graph = alloc_zeroed(1, sizeof(*graph));
	struct waitfor_maker m = {.job = job, .waits = waits, .given = given, .graph = graph};

	graph->job = job;
	graph->waits = waits;
	graph->node_of_wait = none_each(waits->n);
	m.init_node = none_each(job->ngroups);
	m.split_node = none_each(job->ngroups);
	m.fork_node = none_each(job->ngroups);
	m.stopped_node = none_each(job->nranks);
	m.caller_node = none_each(job->nthreads);
	m.loose_node = none_each(2 * job->nranks);
	make_graph(&m);
	close_graph(&m);
	index_waits(graph);
	spread_waits(graph, given);
	array_release(&m.edges);
	array_release(&m.ops);
	array_release(&m.keys);
	free(m.init_node);
	free(m.split_node);
	free(m.fork_node);
	free(m.stopped_node);
	free(m.caller_node);
	free(m.loose_node);
	return graph;
}

void waitfor_free(struct waitfor *graph)
{
	if (!graph)
		return;
	free(graph->nodes);
	free(graph->edges);
	free(graph->first_edge);
	free(graph->parts);
	free(graph->node_of_wait);
	free(graph->waits_at);
	free(graph->first_wait);
	free(graph);
}

size_t waitfor_first_of(const struct waitfor *graph, size_t node, struct rank_index rank)
{
	return bisect(graph->first_wait[node], graph->first_wait[node + 1], i,
		graph->waits->at[graph->waits_at[i]].rank.i < rank.i);
}

bool waitfor_is_guess(const struct waitfor *graph, struct rank_index rank, int node)
{
	const struct waits *waits = graph->waits;

	for (size_t i = waits->first[rank.i]; i < waits->first[rank.i + 1]; i++)
		if (waits->at[i].ahead && waits->at[i].doubtful)
			return true;
	return waits->perhaps[rank.i] || graph->nodes[node].unsure || graph->nodes[node].loose;
}

size_t waitfor_count_guessed(const struct waitfor *graph, const bool *wanted)
{
	size_t n = 0;

	job_for_each_rank(graph->job, rank) {
		bool ends = graph->first_edge[rank.i] == graph->first_edge[rank.i + 1];
		bool guessed = false;

		for (size_t i = graph->waits->first[rank.i];
			i < graph->waits->first[rank.i + 1] && wanted[rank.i]; i++) {
			const struct wait *wait = &graph->waits->at[i];

			guessed |= wait->ahead && (!ends || wait->doubtful);
		}
		n += guessed;
	}
	return n;
}

/* Marks all parts that lead to a marked one, from the sinks outwards. */
static void spread_leads(const struct waitfor *graph, const int *order, bool *leads)
{
	for (size_t i = graph->nnodes; i-- > 0;) {
		int node = order[i];

		for (size_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++)
			if (leads[graph->nodes[graph->edges[e]].part])
				leads[graph->nodes[node].part] = true;
	}
}

/*
 * Marks open messages of which nobody knows whether the peer came to them, and whose peer leads to
 * a marked part. To blame such a peer is too much; but if it is waited for, or waits, so does who
 * waits for its message. True if any was found.
 */
static bool follow_dark_pairs(const struct waitfor *graph, bool *leads)
{
	bool found = false;

	for (size_t i = 0; i < graph->nnodes; i++) {
		const struct waitfor_node *node = &graph->nodes[i];
		const struct wait *wait;
		struct rank_index peer;

		if (node->kind != WAITFOR_PAIR || leads[node->part])
			continue;
		wait = &graph->waits->at[node->wait];
		peer = graph->job->members[wait->peer].rank;
		if (!wait->peer_unknown || !wait->sure || !is_rank(peer) ||
			!leads[graph->nodes[peer.i].part])
			continue;
		leads[node->part] = found = true;
	}
	return found;
}

void waitfor_victims(const struct waitfor *graph, const struct waitfor_given *given,
	const bool *marked, bool *victims)
{
	int *order = order_by_part(graph);
	bool *leads = alloc_zeroed(graph->nparts + 1, sizeof(*leads));

	for (size_t i = 0; i < graph->nnodes; i++)
		if (marked[i])
			leads[graph->nodes[i].part] = true;
	do
		spread_leads(graph, order, leads);
	while (follow_dark_pairs(graph, leads));
	for (size_t i = 0; i < graph->waits->n; i++) {
		const struct wait *wait = &graph->waits->at[i];

		if (leads[graph->nodes[graph->node_of_wait[i]].part] &&
			waitfor_stands(graph->job, wait, given))
			victims[wait->rank.i] = true;
	}
	for (size_t i = 0; i < graph->nnodes; i++)
		if (marked[i] && graph->nodes[i].kind <= WAITFOR_STOPPED)
			victims[graph->nodes[i].rank.i] = false;
	free(leads);
	free(order);
}
