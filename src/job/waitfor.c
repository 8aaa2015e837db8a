/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building the graph, in the order in which the file reads: a node for each rank; one for each op
 * that somebody waits in, found by (group, index); nodes for inits, splits, forks and stopped ranks
 * where an edge first needs one. Then the edges, then what follows from them.
 *
 *	rank 0 --> op #9 --> op #7 --> rank 3		has entered 6: on #7 hang all who lack it,
 *	rank 1 --> op #9 --> rank 2			has entered 8: only on #9
 *
 * A seat that has not entered hangs on one op only, the first that it lacks: later ones reach it
 * along the chain. An edge per op and missing seat would say the same and grow with their product.
 *
 * From sinks upwards the parts are numbered (waitfor-parts.c), so one pass over the nodes by part,
 * from the far end, carries each standing wait to all that it leads to; a circle is one part and
 * shares one value.
 *
 * Launch order is an edge only where the earlier op is surely not complete. Where completion is not
 * tracked that is not known, and every op in flight would wait for all before it; so such orders
 * are kept aside and count only where two ranks took opposite ones.
 */
#include "job/waitfor.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "job/rollcall.h"
#include "job/waitfor-parts.h"

struct edge {
	int from;
	int to;
};

/* An op somebody waits in, before it has a node. */
struct waited {
	int group;
	uint64_t index;
	int node;
};

struct maker {
	const struct job *job;
	const struct waits *waits;
	const struct waitfor_given *given;
	struct waitfor *graph;
	ARRAY(struct waitfor_node) nodes;
	ARRAY(struct edge) edges;
	ARRAY(struct waited) ops;  /* by group, index; each once */
	ARRAY(struct edge) orders; /* launches of untracked ops: a reason only where they differ */
	int *init_node;            /* per group */
	int *split_node;           /* per group */
	int *fork_node;            /* per group */
	int *stopped_node;         /* per rank */
};

/* Gives its index: the nodes may move with the next one. */
static int add_node(struct maker *m, enum waitfor_kind kind, int rank, int group)
{
	*array_add(&m->nodes) = (struct waitfor_node){.kind = kind,
		.rank = rank,
		.group = group,
		.wait = JOB_NONE,
		.reached = JOB_UNKNOWN};
	return (int)m->nodes.nr - 1;
}

static void add_edge(struct maker *m, int from, int to)
{
	if (from != to)
		*array_add(&m->edges) = (struct edge){from, to};
}

static int group_of(const struct job *job, const struct wait *wait)
{
	return wait->member == JOB_NONE ? JOB_NONE : job->members[wait->member].group;
}

bool waitfor_stands(
	const struct job *job, const struct wait *wait, const struct waitfor_given *given)
{
	int group = group_of(job, wait);

	if (wait->age == JOB_UNKNOWN || (!wait->sure && !wait->held))
		return false;
	if (group == JOB_NONE)
		return wait->age > given->threshold_else;
	return wait->age > (wait->kind == WAIT_INIT ? given->threshold_init[group]
						    : given->threshold[group]);
}

/* -- nodes of what is waited in ---------------------------------------------------------------- */

static int compare_waited(const void *va, const void *vb)
{
	const struct waited *a = va, *b = vb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Beyond a fork indexes mean different ops to different camps: its node stands for all of them. */
static bool is_forked(const struct maker *m, int group, uint64_t index)
{
	return m->given->forked[group] && index >= m->given->forked[group];
}

/* A node for each op that some wait is in, in order of group and index. */
static void collect_ops(struct maker *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->waits->n; i++) {
		const struct wait *wait = &m->waits->at[i];
		int group = group_of(m->job, wait);

		if (wait->kind == WAIT_COLLECTIVE && !is_forked(m, group, wait->index))
			*array_add(&m->ops) = (struct waited){group, wait->index, JOB_NONE};
	}
	array_sort(&m->ops, compare_waited);
	for (size_t i = 0; i < m->ops.nr; i++)
		if (!n || compare_waited(&m->ops.items[n - 1], &m->ops.items[i]) != 0)
			m->ops.items[n++] = m->ops.items[i];
	m->ops.nr = n;
	for (size_t i = 0; i < n; i++) {
		int node = add_node(m, WAITFOR_OP, JOB_NONE, m->ops.items[i].group);

		m->nodes.items[node].index = m->ops.items[i].index;
		m->ops.items[i].node = node;
	}
}

/* The node of an op that collect_ops() has seen; asked for no other. */
static int op_node(const struct maker *m, int group, uint64_t index)
{
	struct waited key = {group, index, 0};
	size_t low = 0, high = m->ops.nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare_waited(&m->ops.items[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return m->ops.items[low].node;
}

static int lazy_node(struct maker *m, int *slot, enum waitfor_kind kind, int rank, int group)
{
	if (*slot == JOB_NONE)
		*slot = add_node(m, kind, rank, group);
	return *slot;
}

/* What this wait leads to: shared by all who wait for the same, but for P2P and syncs. */
static int node_for(struct maker *m, size_t index)
{
	const struct wait *wait = &m->waits->at[index];
	int group = group_of(m->job, wait), node;

	switch (wait->kind) {
	case WAIT_COLLECTIVE:
		if (is_forked(m, group, wait->index))
			return lazy_node(m, &m->fork_node[group], WAITFOR_FORK, JOB_NONE, group);
		return op_node(m, group, wait->index);
	case WAIT_INIT:
		return lazy_node(m, &m->init_node[group], WAITFOR_INIT, JOB_NONE, group);
	case WAIT_SPLIT:
		return lazy_node(m, &m->split_node[group], WAITFOR_SPLIT, JOB_NONE, group);
	case WAIT_P2P:
		node = add_node(m, WAITFOR_PAIR, wait->rank, group);
		break;
	default:
		node = add_node(m, WAITFOR_SYNC, wait->rank, group);
		break;
	}
	m->nodes.items[node].wait = (int)index;
	return node;
}

/* -- edges ------------------------------------------------------------------------------------- */

static int stopped_node(struct maker *m, int rank)
{
	return lazy_node(m, &m->stopped_node[rank], WAITFOR_STOPPED, rank, JOB_NONE);
}

/* Who of the group has not entered what these nodes stand for; each seat hangs on one node. */
struct missing {
	uint64_t head;
	int rank;
};

static int compare_missing(const void *va, const void *vb)
{
	const struct missing *a = va, *b = vb;

	if (a->head != b->head)
		return a->head < b->head ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

struct seats {
	ARRAY(struct missing) missing; /* by head */
	bool unknown;
};

/* Seats that have not entered the group's furthest waited op, by their own word. */
static void collect_missing(struct maker *m, int group, uint64_t furthest, struct seats *seats)
{
	const struct job_group *g = &m->job->groups[group];

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *member = &m->job->members[g->first_member + (int)seat];
		enum roll roll = rollcall_of(m->job, member, furthest);

		if (roll == ROLL_ABSENT)
			*array_add(&seats->missing) = (struct missing){member->head, member->rank};
		if (roll == ROLL_UNKNOWN)
			seats->unknown = true;
	}
	array_sort(&seats->missing, compare_missing);
}

/* Where all have entered: those who died or froze hold it, and so does what was launched before. */
static void hold_by_stopped(struct maker *m, int node, int group)
{
	const struct job_group *g = &m->job->groups[group];

	for (uint32_t seat = 0; seat < g->size; seat++) {
		int rank = m->job->members[g->first_member + (int)seat].rank;

		if (rank != JOB_NONE && m->given->stopped[rank]) {
			int stopped = stopped_node(m, rank);

			add_edge(m, node, stopped);
		}
	}
}

/* All waited ops of one group, ops.items[from, to): each to its missing and to the one before. */
static void join_group_ops(struct maker *m, size_t from, size_t to)
{
	int group = m->ops.items[from].group;
	struct seats seats = {0};
	size_t at = 0;

	collect_missing(m, group, m->ops.items[to - 1].index, &seats);
	for (size_t i = from; i < to; i++) {
		int node = m->ops.items[i].node;
		size_t before = at;

		while (at < seats.missing.nr &&
			seats.missing.items[at].head < m->ops.items[i].index)
			add_edge(m, node, seats.missing.items[at++].rank);
		if (i > from && before)
			add_edge(m, node, m->ops.items[i - 1].node);
		m->nodes.items[node].absent = at > 0;
		m->nodes.items[node].unknown = seats.unknown;
		if (!at)
			hold_by_stopped(m, node, group);
	}
	array_release(&seats.missing);
}

static void join_ops(struct maker *m)
{
	for (size_t from = 0, to; from < m->ops.nr; from = to) {
		for (to = from;
			to < m->ops.nr && m->ops.items[to].group == m->ops.items[from].group; to++)
			;
		join_group_ops(m, from, to);
	}
}

/* Who never came to the init is waited for; if all came, who died or froze in it. */
static void join_init(struct maker *m, int group)
{
	const struct job_group *g = &m->job->groups[group];
	int node = m->init_node[group];

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *member = &m->job->members[g->first_member + (int)seat];

		if (member->state != JOB_MEMBER_UNSEEN)
			continue;
		if (rollcall_never_came(m->job, member)) {
			add_edge(m, node, member->rank);
			m->nodes.items[node].absent = true;
			continue;
		}
		m->nodes.items[node].unknown = true;
		if (member->rank != JOB_NONE && m->given->stopped[member->rank])
			add_edge(m, node, stopped_node(m, member->rank));
	}
	if (!m->nodes.items[node].absent)
		hold_by_stopped(m, node, group);
}

/* The furthest split of the group that somebody is in. */
static uint64_t furthest_split(const struct maker *m, int group)
{
	uint64_t furthest = 0;

	for (size_t i = 0; i < m->waits->n; i++) {
		const struct wait *wait = &m->waits->at[i];

		if (wait->kind == WAIT_SPLIT && group_of(m->job, wait) == group &&
			wait->index > furthest)
			furthest = wait->index;
	}
	return furthest;
}

/* A split needs all of the old group: whoever began fewer of them has not come. */
static void join_split(struct maker *m, int group)
{
	const struct job_group *g = &m->job->groups[group];
	uint64_t furthest = furthest_split(m, group);
	int node = m->split_node[group];

	m->nodes.items[node].index = furthest;
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *member = &m->job->members[g->first_member + (int)seat];

		if (member->splits >= furthest)
			continue;
		if (member->rank == JOB_NONE ||
			!(m->job->ranks[member->rank].knows & JOB_KNOWS_RING)) {
			m->nodes.items[node].unknown = true;
			continue;
		}
		add_edge(m, node, member->rank);
		m->nodes.items[node].absent = true;
	}
	if (!m->nodes.items[node].absent)
		hold_by_stopped(m, node, group);
}

/* The peer that has not made the matching call; or one that did, and died or froze in it. */
static void join_pair(struct maker *m, int node, const struct wait *wait)
{
	int peer = m->job->members[wait->peer].rank;

	m->nodes.items[node].absent = wait->lacking && peer != JOB_NONE;
	m->nodes.items[node].unknown = wait->peer_unknown || (wait->lacking && peer == JOB_NONE);
	if (m->nodes.items[node].absent)
		add_edge(m, node, peer);
	else if (peer != JOB_NONE && m->given->stopped[peer])
		add_edge(m, node, stopped_node(m, peer));
}

/* Whether this wait came out of a later launch of the same rank than that one. */
static bool launched_after(const struct wait *wait, const struct wait *other)
{
	return wait->op && other->op && wait->op->order && other->op->order &&
	       wait->op->order > other->op->order &&
	       (!wait->op->launch || wait->op->launch != other->op->launch);
}

/* Of an untracked op nobody knows that it is not long complete, but where its group forked. */
static bool is_reason(const struct maker *m, const struct wait *wait)
{
	return wait->sure || is_forked(m, m->job->members[wait->member].group, wait->index);
}

/*
 * Whether a launch waits for an earlier one of the same rank: collectives for each other, as NCCL
 * runs them; sends and receives for what is before them on their stream.
 */
static bool is_behind(const struct wait *wait, const struct wait *other)
{
	if (other->kind != WAIT_COLLECTIVE && other->kind != WAIT_P2P)
		return false;
	if (!launched_after(wait, other))
		return false;
	return (wait->kind == WAIT_COLLECTIVE && other->kind == WAIT_COLLECTIVE) ||
	       (wait->op->stream && wait->op->stream == other->op->stream);
}

/* Of one launch nothing counts as complete while one of its sends or receives lacks its peer. */
static bool is_held_up(const struct wait *wait, const struct wait *other)
{
	return wait->kind == WAIT_P2P && other->kind == WAIT_P2P && other->lacking && wait->op &&
	       other->op && wait->op->launch && wait->op->launch == other->op->launch;
}

/* What this node stands for needs this wait of a rank, and so what the rank launched before it. */
static void join_earlier(struct maker *m, int node, const struct wait *wait)
{
	int rank = wait->rank;

	for (size_t k = m->waits->first[rank]; k < m->waits->first[rank + 1]; k++) {
		const struct wait *other = &m->waits->at[k];
		bool both_collective =
			wait->kind == WAIT_COLLECTIVE && other->kind == WAIT_COLLECTIVE;

		if (!is_behind(wait, other) && !is_held_up(wait, other))
			continue;
		if (is_reason(m, other))
			add_edge(m, node, m->graph->node_of_wait[k]);
		else if (both_collective && wait->held && other->held)
			*array_add(&m->orders) = (struct edge){node, m->graph->node_of_wait[k]};
	}
}

/* The peer's side of a send or receive; NULL where it does not wait in it. */
static const struct wait *other_side(const struct maker *m, const struct wait *wait)
{
	int rank = m->job->members[wait->peer].rank;

	for (size_t k = rank == JOB_NONE ? m->waits->n : m->waits->first[rank];
		rank != JOB_NONE && k < m->waits->first[rank + 1]; k++) {
		const struct wait *other = &m->waits->at[k];

		if (other->kind == WAIT_P2P && other->member == wait->peer &&
			other->peer == wait->member && other->index == wait->index && other->op &&
			wait->op && other->op->sig.op != wait->op->sig.op)
			return other;
	}
	return NULL;
}

/* An op that all are in is not complete while others of its launch went different ways. */
static void join_fork(struct maker *m, int node, const struct wait *wait)
{
	const struct job_member *member = &m->job->members[wait->member];
	uint64_t forked = m->given->forked[member->group];
	const struct job_op *op = forked > wait->index ? rollcall_op(member, forked) : NULL;

	if (op && wait->op && op->launch && op->launch == wait->op->launch)
		add_edge(m, node,
			lazy_node(m, &m->fork_node[member->group], WAITFOR_FORK, JOB_NONE,
				member->group));
}

/* An op that all are in still waits for what one of its members launched before it. */
static void join_launches(struct maker *m, int rank)
{
	for (size_t i = m->waits->first[rank]; i < m->waits->first[rank + 1]; i++) {
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
	const struct edge *a = va, *b = vb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* Untracked ops that two ranks launched in opposite orders, and that all synchronise for. */
static void join_opposite_orders(struct maker *m)
{
	size_t n = 0;

	array_sort(&m->orders, compare_edges);
	for (size_t i = 0; i < m->orders.nr; i++)
		if (!n || compare_edges(&m->orders.items[n - 1], &m->orders.items[i]) != 0)
			m->orders.items[n++] = m->orders.items[i];
	m->orders.nr = n;
	for (size_t i = 0; i < n; i++) {
		struct edge back = {m->orders.items[i].to, m->orders.items[i].from};

		if (n && bsearch(&back, m->orders.items, n, sizeof(back), compare_edges))
			add_edge(m, back.to, back.from);
	}
	array_release(&m->orders);
}

/* Whether a rank's wait is an edge: never where it is over; if held where it does other things. */
static bool follows(const struct maker *m, const struct wait *wait)
{
	switch (m->given->stands[wait->rank]) {
	case WAITFOR_FINAL:
		return false;
	case WAITFOR_STANDS:
		return wait->held;
	default:
		return true;
	}
}

/* All nodes first: an edge names them by index. */
static void make_graph(struct maker *m)
{
	for (size_t rank = 0; rank < m->job->nranks; rank++)
		add_node(m, WAITFOR_RANK, (int)rank, JOB_NONE);
	collect_ops(m);
	for (size_t i = 0; i < m->waits->n; i++)
		m->graph->node_of_wait[i] = node_for(m, i);
	join_ops(m);
	for (size_t group = 0; group < m->job->ngroups; group++) {
		if (m->init_node[group] != JOB_NONE)
			join_init(m, (int)group);
		if (m->split_node[group] != JOB_NONE)
			join_split(m, (int)group);
	}
	for (size_t i = 0; i < m->waits->n; i++) {
		const struct wait *wait = &m->waits->at[i];

		if (wait->kind == WAIT_P2P)
			join_pair(m, m->graph->node_of_wait[i], wait);
		if (follows(m, wait))
			add_edge(m, wait->rank, m->graph->node_of_wait[i]);
	}
	for (size_t rank = 0; rank < m->job->nranks; rank++)
		join_launches(m, (int)rank);
	join_opposite_orders(m);
}

/* -- from edges to answers --------------------------------------------------------------------- */

static void sort_edges(struct maker *m)
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

/* Nodes by part, those farthest from the sinks first. */
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

/* Carries the longest standing wait from where it is felt to all that it waits for. */
static void spread_waits(struct waitfor *graph, const struct waitfor_given *given)
{
	int *order = order_by_part(graph);
	int64_t *by_part = alloc_zeroed(graph->nparts + 1, sizeof(*by_part));

	for (size_t i = 0; i < graph->nparts; i++)
		by_part[i] = JOB_UNKNOWN;
	for (size_t i = 0; i < graph->waits->n; i++) {
		const struct wait *wait = &graph->waits->at[i];

		if (waitfor_stands(graph->job, wait, given))
			raise(&by_part[graph->nodes[graph->node_of_wait[i]].part], wait->age);
	}
	for (size_t i = 0; i < graph->nnodes; i++) {
		int node = order[i];
		int64_t reached = by_part[graph->nodes[node].part];

		for (size_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++)
			raise(&by_part[graph->nodes[graph->edges[e]].part], reached);
	}
	for (size_t i = 0; i < graph->nnodes; i++)
		graph->nodes[i].reached = by_part[graph->nodes[i].part];
	free(by_part);
	free(order);
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
	struct maker m = {.job = job, .waits = waits, .given = given, .graph = graph};

	graph->job = job;
	graph->waits = waits;
	graph->node_of_wait = none_each(waits->n);
	m.init_node = none_each(job->ngroups);
	m.split_node = none_each(job->ngroups);
	m.fork_node = none_each(job->ngroups);
	m.stopped_node = none_each(job->nranks);
	make_graph(&m);
	sort_edges(&m);
	waitfor_find_parts(graph);
	spread_waits(graph, given);
	array_release(&m.edges);
	array_release(&m.ops);
	free(m.init_node);
	free(m.split_node);
	free(m.fork_node);
	free(m.stopped_node);
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
	free(graph);
}

void waitfor_victims(const struct waitfor *graph, const struct waitfor_given *given,
	const bool *marked, bool *victims)
{
	int *order = order_by_part(graph);
	bool *leads = alloc_zeroed(graph->nparts + 1, sizeof(*leads));

	for (size_t i = 0; i < graph->nnodes; i++)
		if (marked[i])
			leads[graph->nodes[i].part] = true;
	/* From the sinks outwards: a part leads there if one of its edges does. */
	for (size_t i = graph->nnodes; i-- > 0;) {
		int node = order[i];

		for (size_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++)
			if (leads[graph->nodes[graph->edges[e]].part])
				leads[graph->nodes[node].part] = true;
	}
	for (size_t i = 0; i < graph->waits->n; i++) {
		const struct wait *wait = &graph->waits->at[i];

		if (leads[graph->nodes[graph->node_of_wait[i]].part] &&
			waitfor_stands(graph->job, wait, given))
			victims[wait->rank] = true;
	}
	for (size_t i = 0; i < graph->nnodes; i++)
		if (marked[i] && graph->nodes[i].kind <= WAITFOR_STOPPED)
			victims[graph->nodes[i].rank] = false;
	free(leads);
	free(order);
}
