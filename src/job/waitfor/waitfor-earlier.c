/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins what waits for all that a rank launched before it, where that may be much. An edge to each
 * would grow with the square of what is open, of which there may be ten thousands. So launches that
 * wait for each other lie in rows, in their order, and blocks of a row are nodes of their own: of
 * sixteen launches, of two blocks, of four. All before some launch are a few of these.
 *
 *	row	w0 .. w15 | w16 .. w31 | w32 .. w47 | w48
 *	blocks	    A           B            C
 *		         AB
 *	w48 waits for AB and C; w20 for A and for w16 to w19
 *
 * What was launched in one go with it is left out. Where other launches stand between those of one
 * go, what is before the later ones without the earlier ones is a node, too.
 *
 * A row is of launches of one rank: by dumps of all, else of its collectives, or of what is on one
 * stream. Makers whose groups are apart have rows of their own for each.
 */
#include "job/waitfor/waitfor-earlier.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "job/backends.h"

#define BLOCK 16
#define NOWHERE SIZE_MAX

/* What a row is of. */
struct row {
	int rank;
	int apart;     /* the group that is apart; JOB_NONE */
	bool streamed; /* of one stream: this one */
	uint64_t stream;
};

/* A launch in its row. */
struct placed {
	struct row row;
	uint64_t order, launch;
	int node;
	size_t run;   /* where those of its launch begin behind which nothing else stands */
	size_t mates; /* at such a begin: the last of its launch before it; NOWHERE */
	int before;   /* at such a begin: the node of all before it that are not of its launch;
		       * JOB_NONE: not made yet */
};

struct waitfor_earlier {
	struct waitfor_maker *m;
	struct placed *at; /* by row and order */
	size_t n;
	size_t *by_launch; /* places, by row, launch, place */
	size_t nblocks;
	int *blocks; /* nodes, as a heap whose leaves are blocks; JOB_NONE: not made yet */
};

/* -- rows -------------------------------------------------------------------------------------- */

#define ORDER(a, b)                                                                                \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

static int compare_rows(const struct row *a, const struct row *b)
{
	ORDER(a->rank, b->rank);
	ORDER(a->apart, b->apart);
	ORDER(a->streamed, b->streamed);
	ORDER(a->stream, b->stream);
	return 0;
}

static int compare_placed(const void *va, const void *vb)
{
	const struct placed *a = va, *b = vb;
	int order = compare_rows(&a->row, &b->row);

	if (order)
		return order;
	ORDER(a->order, b->order);
	ORDER(a->launch, b->launch);
	ORDER(a->node, b->node);
	return 0;
}

/* What by_launch is sorted by. */
struct go {
	struct row row;
	uint64_t launch;
	size_t place;
};

static int compare_goes(const void *va, const void *vb)
{
	const struct go *a = va, *b = vb;
	int order = compare_rows(&a->row, &b->row);

	if (order)
		return order;
	ORDER(a->launch, b->launch);
	ORDER(a->place, b->place);
	return 0;
}

static struct go go_of(const struct waitfor_earlier *e, size_t place)
{
	return (struct go){e->at[place].row, e->at[place].launch, place};
}

static struct row row_of(const struct waitfor_maker *m, const struct wait *wait)
{
	int group = waitfor_group_of(m->job, wait);
	bool apart = backend_has(m->job->groups[group].maker, BACKEND_APART);

	return (struct row){.rank = wait->rank.i, .apart = apart ? group : JOB_NONE};
}

static struct row stream_of(const struct waitfor_maker *m, const struct wait *wait)
{
	struct row row = row_of(m, wait);

	row.streamed = true;
	row.stream = wait->op->stream;
	return row;
}

/* True if the wait has a place among all launches of its rank, or among its collectives. */
static bool is_in_row(const struct waitfor_maker *m, const struct wait *wait)
{
	return wait->kind == WAIT_COLLECTIVE || waitfor_hides_streams(m, wait->rank);
}

/* True if it has a place in the row of a stream. */
static bool is_on_stream(const struct waitfor_maker *m, const struct wait *wait)
{
	return wait->op && wait->op->stream && !waitfor_hides_streams(m, wait->rank);
}

static void place(struct waitfor_earlier *e, struct row row, const struct wait *wait, int node)
{
	e->at[e->n++] = (struct placed){.row = row,
		.order = wait->op ? wait->op->order : 0,
		.launch = wait->op ? wait->op->launch : 0,
		.node = node,
		.before = JOB_NONE};
}

/* -- making ------------------------------------------------------------------------------------ */

/* Finds for each place where its run begins, and where its launch was before. */
static void find_runs(struct waitfor_earlier *e)
{
	struct go *goes = alloc_zeroed(e->n + 1, sizeof(*goes));

	for (size_t i = 0; i < e->n; i++)
		goes[i] = go_of(e, i);
	array_sort_items(goes, e->n, sizeof(*goes), compare_goes);
	for (size_t i = 0; i < e->n; i++) {
		const struct go *go = &goes[i], *last = i ? go - 1 : NULL;
		struct placed *at = &e->at[go->place];
		bool again = last && go->launch && go->launch == last->launch &&
			     !compare_rows(&go->row, &last->row);

		e->by_launch[i] = go->place;
		at->mates = again ? last->place : NOWHERE;
		at->run = go->place;
		if (again && last->place + 1 == go->place)
			at->run = e->at[last->place].run;
	}
	free(goes);
}

struct waitfor_earlier *waitfor_earlier_new(struct waitfor_maker *m)
{
	struct waitfor_earlier *e = alloc_zeroed(1, sizeof(*e));

	e->m = m;
	e->at = alloc_zeroed(2 * m->waits->n + 1, sizeof(*e->at));
	return e;
}

void waitfor_earlier_add(struct waitfor_earlier *e, const struct wait *wait, int node)
{
	if (is_in_row(e->m, wait))
		place(e, row_of(e->m, wait), wait, node);
	if (is_on_stream(e->m, wait))
		place(e, stream_of(e->m, wait), wait, node);
}

void waitfor_earlier_order(struct waitfor_earlier *e)
{
	array_sort_items(e->at, e->n, sizeof(*e->at), compare_placed);
	e->by_launch = alloc_zeroed(e->n + 1, sizeof(*e->by_launch));
	find_runs(e);
	e->nblocks = e->n / BLOCK;
	e->blocks = alloc_zeroed(2 * e->nblocks + 1, sizeof(*e->blocks));
	for (size_t i = 0; i < 2 * e->nblocks; i++)
		e->blocks[i] = JOB_NONE;
}

void waitfor_earlier_free(struct waitfor_earlier *e)
{
	free(e->at);
	free(e->by_launch);
	free(e->blocks);
	free(e);
}

/* -- nodes ------------------------------------------------------------------------------------- */

static int add_node(struct waitfor_earlier *e)
{
	return waitfor_add_node(e->m, WAITFOR_EARLIER, NO_RANK, JOB_NONE);
}

/* Returns the node of a block, or of two that are one in the heap. */
static int block_node(struct waitfor_earlier *e, size_t block)
{
	int node = e->blocks[block];

	if (node != JOB_NONE)
		return node;
	node = e->blocks[block] = add_node(e);
	for (size_t i = 0; block >= e->nblocks && i < BLOCK; i++)
		waitfor_add_edge(e->m, node, e->at[(block - e->nblocks) * BLOCK + i].node);
	for (size_t half = 0; block < e->nblocks && half < 2; half++)
		waitfor_add_edge(e->m, node, block_node(e, 2 * block + half));
	return node;
}

/* Joins a node to all places from there on up to another. */
static void join_range(struct waitfor_earlier *e, int node, size_t from, size_t to)
{
	size_t low = (from + BLOCK - 1) / BLOCK, high = to / BLOCK;

	if (low >= high) {
		for (size_t i = from; i < to; i++)
			waitfor_add_edge(e->m, node, e->at[i].node);
		return;
	}
	for (size_t i = from; i < low * BLOCK; i++)
		waitfor_add_edge(e->m, node, e->at[i].node);
	for (size_t i = high * BLOCK; i < to; i++)
		waitfor_add_edge(e->m, node, e->at[i].node);
	for (low += e->nblocks, high += e->nblocks; low < high; low /= 2, high /= 2) {
		if (low % 2)
			waitfor_add_edge(e->m, node, block_node(e, low++));
		if (high % 2)
			waitfor_add_edge(e->m, node, block_node(e, --high));
	}
}

/*
 * Joins a node to all from the begin of the row on that are before that run and not of its launch.
 * Where the launch has runs before, they share what is before them.
 */
static void join_before(struct waitfor_earlier *e, int node, size_t begin, size_t run)
{
	while (e->at[run].mates != NOWHERE) {
		size_t mates = e->at[run].mates;
		int before = e->at[run].before;

		if (before != JOB_NONE) {
			waitfor_add_edge(e->m, node, before);
			return;
		}
		before = e->at[run].before = add_node(e);
		waitfor_add_edge(e->m, node, before);
		join_range(e, before, mates + 1, run);
		node = before;
		run = e->at[mates].run;
	}
	join_range(e, node, begin, run);
}

/* -- asking ------------------------------------------------------------------------------------ */

/* Returns the first place that is not before that one. */
static size_t find(const struct waitfor_earlier *e, const struct placed *key)
{
	return bisect(0, e->n, i, compare_placed(&e->at[i], key) < 0);
}

/* True if the place stands before that one in by_launch. */
static bool goes_before(const struct waitfor_earlier *e, size_t place, const struct go *key)
{
	struct go go = go_of(e, place);

	return compare_goes(&go, key) < 0;
}

/* Returns the last place of that launch before `end`; NOWHERE. */
static size_t last_mate(
	const struct waitfor_earlier *e, const struct row *row, uint64_t launch, size_t end)
{
	struct go key = {*row, launch, end}, last;
	size_t behind = bisect(0, launch ? e->n : 0, i, goes_before(e, e->by_launch[i], &key));

	if (!behind)
		return NOWHERE;
	last = go_of(e, e->by_launch[behind - 1]);
	return last.launch == launch && !compare_rows(&last.row, row) ? last.place : NOWHERE;
}

static void join_row(struct waitfor_earlier *e, int node, struct row row, const struct job_op *op)
{
	struct placed key = {.row = row, .node = JOB_NONE};
	size_t begin = find(e, &key), end, mate;

	key.order = op->order;
	end = find(e, &key);
	mate = last_mate(e, &row, op->launch, end);
	if (mate == NOWHERE) {
		join_range(e, node, begin, end);
		return;
	}
	join_range(e, node, mate + 1, end);
	join_before(e, node, begin, e->at[mate].run);
}

void waitfor_earlier_join(struct waitfor_earlier *e, int node, const struct wait *wait)
{
	if (!wait->op || !wait->op->order)
		return;
	if (is_in_row(e->m, wait))
		join_row(e, node, row_of(e->m, wait), wait->op);
	if (is_on_stream(e->m, wait))
		join_row(e, node, stream_of(e->m, wait), wait->op);
}
