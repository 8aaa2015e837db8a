/* SPDX-License-Identifier: Apache-2.0 */
#include "job/compiles.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "job/spans.h"

#define GRAPH "graph "
#define LOCK  "compile lock"

const char *compiles_graph_id(const struct job_span *span)
{
	if (span->kind != JOB_SPAN_COMPILE || strncmp(span->name, GRAPH, strlen(GRAPH)) != 0)
		return NULL;
	return span->name + strlen(GRAPH);
}

struct compiling compiles_open(const struct job *job, struct rank_index rank)
{
	struct spans_range range = spans_of(job, rank);
	struct compiling open = {.device = spans_open(job, rank, JOB_SPAN_DEVICE)};

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_span *span = &job->spans[i];

		if (span->kind != JOB_SPAN_COMPILE || !spans_counts(job, span))
			continue;
		if (!open.bracket)
			open.bracket = span;
		if (compiles_graph_id(span))
			open.graph = span;
		else
			open.phase = span;
		if (!strcmp(span->name, LOCK))
			open.lock = span;
	}
	if (!open.phase)
		open.phase = open.graph;
	return open;
}

/* Compares two ids with the numbers in them as numbers: "2/0" before "10/0". */
static int compare_ids(const char *a, const char *b)
{
	while (*a && *b) {
		bool digits = *a >= '0' && *a <= '9' && *b >= '0' && *b <= '9';
		char *end_a, *end_b;
		unsigned long na = digits ? strtoul(a, &end_a, 10) : (unsigned char)*a;
		unsigned long nb = digits ? strtoul(b, &end_b, 10) : (unsigned char)*b;

		if (na != nb)
			return na < nb ? -1 : 1;
		a = digits ? end_a : a + 1;
		b = digits ? end_b : b + 1;
	}
	return (*a != '\0') - (*b != '\0');
}

/* By id; of one id in the order of their spans, so that the latest is last. */
static int compare_graphs(const void *va, const void *vb)
{
	const struct compiled_graph *a = va, *b = vb;
	int order = compare_ids(a->id, b->id);

	if (!order)
		order = strcmp(a->id, b->id);
	if (order)
		return order;
	return a->span < b->span ? -1 : a->span > b->span;
}

struct compiled_graphs compiles_graphs(const struct job *job, struct rank_index rank)
{
	struct spans_range range = spans_of(job, rank);
	ARRAY(struct compiled_graph) list = {0};
	size_t n = 0;

	for (size_t i = range.from; i < range.to; i++) {
		const struct job_span *span = &job->spans[i];
		const char *id = compiles_graph_id(span);

		if (span->kind == JOB_SPAN_COMPILE && *span->detail)
			*array_add(&list) = (struct compiled_graph){
				id ? id : span->name, span->detail, span};
	}
	array_sort(&list, compare_graphs);
	for (size_t i = 0; i < list.nr; i++) {
		if (n && strcmp(list.items[n - 1].id, list.items[i].id) == 0)
			n--;
		list.items[n++] = list.items[i];
	}
	return (struct compiled_graphs){list.items, n};
}

void compiles_release(struct compiled_graphs *graphs)
{
	free(graphs->at);
	*graphs = (struct compiled_graphs){NULL, 0};
}

static const struct compiled_graph *find_id(const struct compiled_graphs *graphs, const char *id)
{
	for (size_t i = 0; i < graphs->n; i++)
		if (!strcmp(graphs->at[i].id, id))
			return &graphs->at[i];
	return NULL;
}

static bool has_identity(const struct compiled_graphs *graphs, const char *identity)
{
	for (size_t i = 0; i < graphs->n; i++)
		if (!strcmp(graphs->at[i].identity, identity))
			return true;
	return false;
}

/* Returns the first graph of one side whose identity the other never compiled; NULL: none. */
static const struct compiled_graph *first_odd(
	const struct compiled_graphs *graphs, const struct compiled_graphs *others)
{
	for (size_t i = 0; i < graphs->n; i++)
		if (!has_identity(others, graphs->at[i].identity))
			return &graphs->at[i];
	return NULL;
}

bool compiles_differ(const struct compiled_graphs *mine, const struct compiled_graphs *theirs,
	struct graph_difference *ret)
{
	const struct compiled_graph *odd_mine = first_odd(mine, theirs);
	const struct compiled_graph *odd_theirs = first_odd(theirs, mine);
	const char *id;

	if (!mine->n || !theirs->n || (!odd_mine && !odd_theirs))
		return false;
	if (!odd_theirs || (odd_mine && compare_ids(odd_mine->id, odd_theirs->id) < 0))
		id = odd_mine->id;
	else
		id = odd_theirs->id;
	*ret = (struct graph_difference){find_id(mine, id), find_id(theirs, id)};
	return true;
}
