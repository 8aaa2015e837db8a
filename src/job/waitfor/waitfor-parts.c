/* SPDX-License-Identifier: Apache-2.0 */
#include "job/waitfor/waitfor-parts.h"

#include <stdlib.h>

#include "base/alloc.h"

struct visit {
	int node;
	size_t edge; /* the next one to look at */
};

/* The state of Tarjan's search. */
struct finder {
	struct waitfor *graph;
	int *number; /* per node: when it was first seen, from 1; 0 never */
	int *lowest; /* per node: the number of the earliest one that it leads back to */
	int *stack;  /* nodes that were seen and are not yet in a part */
	bool *on_stack;
	size_t depth;
	struct visit *path; /* the nodes from where the search began to where it is */
	size_t steps;
	int seen;
};

/* Sees a node for the first time, and goes on from it. */
static void enter(struct finder *f, int node)
{
	f->number[node] = f->lowest[node] = ++f->seen;
	f->stack[f->depth++] = node;
	f->on_stack[node] = true;
	f->path[f->steps++] = (struct visit){node, f->graph->first_edge[node]};
}

/* Makes a part of all nodes seen since `root`. */
static void close_part(struct finder *f, int root)
{
	struct waitfor *graph = f->graph;
	int node;

	do {
		node = f->stack[--f->depth];
		f->on_stack[node] = false;
		graph->nodes[node].part = (int)graph->nparts;
		graph->parts[graph->nparts].n++;
	} while (node != root);
	graph->nparts++;
}

static void lower(struct finder *f, int node, int value)
{
	if (value < f->lowest[node])
		f->lowest[node] = value;
}

/* Goes one step along the path: down the next edge, or back up. */
static void step(struct finder *f)
{
	struct visit *top = &f->path[f->steps - 1];
	int node = top->node;

	if (top->edge < f->graph->first_edge[node + 1]) {
		int to = f->graph->edges[top->edge++];

		if (!f->number[to])
			enter(f, to);
		else if (f->on_stack[to])
			lower(f, node, f->number[to]);
		return;
	}
	f->steps--;
	if (f->steps)
		lower(f, f->path[f->steps - 1].node, f->lowest[node]);
	if (f->lowest[node] == f->number[node])
		close_part(f, node);
}

void waitfor_find_parts(struct waitfor *graph)
{
	size_t n = graph->nnodes;
	struct finder f = {.graph = graph};

	f.number = alloc_zeroed(n + 1, sizeof(*f.number));
	f.lowest = alloc_zeroed(n + 1, sizeof(*f.lowest));
	f.stack = alloc_zeroed(n + 1, sizeof(*f.stack));
	f.on_stack = alloc_zeroed(n + 1, sizeof(*f.on_stack));
	f.path = alloc_zeroed(n + 1, sizeof(*f.path));
	graph->parts = alloc_zeroed(n + 1, sizeof(*graph->parts));
	for (size_t i = 0; i < n; i++) {
		if (!f.number[i])
			enter(&f, (int)i);
		while (f.steps)
			step(&f);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t e = graph->first_edge[i]; e < graph->first_edge[i + 1]; e++)
			if (graph->nodes[graph->edges[e]].part != graph->nodes[i].part)
				graph->parts[graph->nodes[i].part].way_out = true;
	free(f.number);
	free(f.lowest);
	free(f.stack);
	free(f.on_stack);
	free(f.path);
}
