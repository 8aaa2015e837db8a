/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a tree is made of 100,000 stacks in a moment: each stack becomes a path, and equal paths are
 * found (stacktree-paths.c). Only different ones are sorted and turned into nodes: neighbours share
 * what they have in common. Then each node learns who passes it (stacktree-sets.c).
 */
#include "job/stacktree/stacktree-make.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "job/stacktree/stackfacts.h"

/* -- nodes ------------------------------------------------------------------------------------- */

/* A path with its steps at hand, to sort. */
struct climb {
	const uint32_t *steps;
	struct path *path;
	uint32_t same; /* how many of its first steps are those of the path before it */
};

static int compare_climbs(const void *va, const void *vb)
{
	const struct climb *a = va, *b = vb;
	uint32_t len = a->path->len < b->path->len ? a->path->len : b->path->len;

	for (uint32_t i = 0; i < len; i++)
		if (a->steps[i] != b->steps[i])
			return a->steps[i] < b->steps[i] ? -1 : 1;
	return (a->path->len > b->path->len) - (a->path->len < b->path->len);
}

static int add_node(struct planting *p, int parent, uint32_t step)
{
	int number = (int)p->tree.nnodes++;
	struct stacktree_node *node = &p->nodes[number];

	*node = (struct stacktree_node){
		.parent = parent, .child = JOB_NONE, .next = JOB_NONE, .cut = ""};
	if (parent == JOB_NONE)
		return number;
	node->kind = STACKTREE_FRAME;
	node->frame = step;
	if (step & PATH_CUT) {
		node->kind = (step & PATH_KIND) == PATH_NONE ? STACKTREE_NONE : STACKTREE_CUT;
		node->frame = 0;
		node->cut = p->cuts.items[step & ~PATH_KIND];
	}
	node->next = p->nodes[parent].child;
	p->nodes[parent].child = number;
	return number;
}

/* Returns how many of its first steps a path has in common with the one before it. */
static uint32_t same_steps(const struct climb *at, const struct climb *before)
{
	uint32_t same = 0;

	while (same < before->path->len && same < at->path->len &&
		before->steps[same] == at->steps[same])
		same++;
	return same;
}

/*
 * Returns all paths, sorted, to be freed; and how many nodes they take, and the longest one's
 * steps.
 */
static struct climb *sort_paths(struct planting *p, size_t *ret_nodes, size_t *ret_longest)
{
	size_t n = p->paths.nr;
	struct climb *climbs = alloc_zeroed(n + 1, sizeof(*climbs));

	*ret_nodes = 1;
	*ret_longest = 0;
	for (size_t i = 0; i < n; i++) {
		climbs[i].path = &p->paths.items[i];
		climbs[i].steps = p->steps.items + climbs[i].path->from;
	}
	array_sort_items(climbs, n, sizeof(*climbs), compare_climbs);
	for (size_t i = 0; i < n; i++) {
		climbs[i].same = i ? same_steps(&climbs[i], &climbs[i - 1]) : 0;
		*ret_nodes += climbs[i].path->len - climbs[i].same;
		if (climbs[i].path->len > *ret_longest)
			*ret_longest = climbs[i].path->len;
	}
	return climbs;
}

/*
 * Makes the nodes of all paths. `trail`: the nodes on the way of the path before, which begins
 * alike.
 */
static void grow_nodes(struct planting *p)
{
	size_t nodes, longest;
	struct climb *climbs = sort_paths(p, &nodes, &longest);
	int *trail = alloc_zeroed(longest + 1, sizeof(*trail));

	p->nodes = arena_new_many(&p->arena, struct stacktree_node, nodes);
	trail[0] = add_node(p, JOB_NONE, 0);
	for (size_t i = 0; i < p->paths.nr; i++) {
		const struct climb *at = &climbs[i];

		for (uint32_t k = at->same; k < at->path->len; k++)
			trail[k + 1] = add_node(p, trail[k], at->steps[k]);
		at->path->node = trail[at->path->len];
	}
	p->tree.nodes = p->nodes;
	free(trail);
	free(climbs);
}

/* -- order ------------------------------------------------------------------------------------- */

static int compare_sets(const struct stacktree_set *a, const struct stacktree_set *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (size_t i = 0; i < a->n; i++)
		if (!same_rank(a->at[i], b->at[i]))
			return a->at[i].i < b->at[i].i ? -1 : 1;
	return 0;
}

/* Returns the node in which a stack of the job ends; JOB_NONE: it is not in the tree. */
static int find_end(const struct planting *p, size_t stack)
{
	size_t place = bisect(0, p->stacks.nr, i, p->stacks.items[i] < stack);

	if (place == p->stacks.nr || p->stacks.items[place] != stack)
		return JOB_NONE;
	return p->paths.items[p->ways.items[place]].node;
}

/* Marks all nodes on the way of each thread that a fatal signal names. */
static void mark_dead(struct planting *p)
{
	const struct job *job = p->tree.job;

	for (size_t i = 0; i < job->nsignals; i++) {
		const struct job_signal *signal = &job->signals[i];
		size_t from, to;

		if (!signal->fatal || !signal->tid || !is_rank(signal->rank))
			continue;
		stackfacts_of_rank(job, signal->rank, &from, &to);
		while (from < to && (job->stacks[from].tid != signal->tid ||
					    job->stacks[from].process != signal->process))
			from++;
		for (int at = from < to ? find_end(p, from) : JOB_NONE; at != JOB_NONE;
			at = p->nodes[at].parent)
			p->nodes[at].died = true;
	}
}

/* A child of a node, to sort. */
struct sibling {
	bool died;
	const struct stacktree_set *set;
	enum stacktree_kind kind;
	int node;
};

static int compare_siblings(const void *va, const void *vb)
{
	const struct sibling *a = va, *b = vb;
	int order;

	if (a->died != b->died)
		return a->died ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	order = compare_sets(a->set, b->set);
	return order ? order : a->node - b->node;
}

/* Orders siblings, the odd one out first. */
static void order_siblings(struct planting *p)
{
	ARRAY(struct sibling) siblings = {0};

	for (size_t i = 0; i < p->tree.nnodes; i++) {
		siblings.nr = 0;
		for (int at = p->nodes[i].child; at != JOB_NONE; at = p->nodes[at].next)
			*array_add(&siblings) = (struct sibling){p->nodes[at].died,
				&p->tree.sets[p->nodes[at].set], p->nodes[at].kind, at};
		if (siblings.nr < 2)
			continue;
		array_sort(&siblings, compare_siblings);
		for (size_t k = 0; k < siblings.nr; k++)
			p->nodes[siblings.items[k].node].next =
				k + 1 < siblings.nr ? siblings.items[k + 1].node : JOB_NONE;
		p->nodes[i].child = siblings.items[0].node;
	}
	array_release(&siblings);
}

/* -- classes ----------------------------------------------------------------------------------- */

/* A node in which stacks end, to be sorted by kind and by who ends there. */
struct leaf {
	const struct stacktree_set *set;
	enum stacktree_kind kind; /* FRAME: whole; CUT; NONE */
	int node;
};

/* Returns what kind of stacks end in a node, by the outermost step of its path. */
static enum stacktree_kind kind_of(const struct planting *p, int node)
{
	int at = node;

	while (p->nodes[at].parent > 0)
		at = p->nodes[at].parent;
	return p->nodes[at].kind == STACKTREE_ROOT ? STACKTREE_FRAME : p->nodes[at].kind;
}

static int compare_leaves(const void *va, const void *vb)
{
	const struct leaf *a = va, *b = vb;
	int order;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	order = a->set == b->set ? 0 : compare_sets(a->set, b->set);
	return order ? order : a->node - b->node;
}

/* Returns all nodes in which stacks end, in the order of classes; to be freed. */
static struct leaf *sort_leaves(const struct planting *p, size_t *ret_nr)
{
	struct leaf *leaves = alloc_zeroed(p->tree.nnodes, sizeof(*leaves));
	size_t n = 0;

	for (size_t i = 0; i < p->tree.nnodes; i++)
		if (p->nodes[i].ends)
			leaves[n++] = (struct leaf){
				&p->tree.sets[p->nodes[i].end_set], kind_of(p, (int)i), (int)i};
	array_sort_items(leaves, n, sizeof(*leaves), compare_leaves);
	*ret_nr = n;
	return leaves;
}

/* Makes the classes: leaves of one kind and one set are one. */
static void make_classes(struct planting *p)
{
	size_t nr;
	struct leaf *leaves = sort_leaves(p, &nr);
	struct stacktree_class *classes = arena_new_many(&p->arena, struct stacktree_class, nr + 1);
	int *nodes = arena_new_many(&p->arena, int, nr + 1);
	struct stacktree_class *class = NULL;

	for (size_t i = 0; i < nr; i++) {
		nodes[i] = leaves[i].node;
		if (!class || leaves[i].set != leaves[i - 1].set ||
			leaves[i].kind != leaves[i - 1].kind) {
			class = &classes[p->tree.nclasses++];
			class->set = p->nodes[nodes[i]].end_set;
			class->whole = leaves[i].kind == STACKTREE_FRAME;
			class->none = leaves[i].kind == STACKTREE_NONE;
			class->leaves = &nodes[i];
		}
		class->whole &= p->nodes[nodes[i]].kind != STACKTREE_CUT;
		class->nleaves++;
		class->threads += p->nodes[nodes[i]].ends;
	}
	p->tree.classes = classes;
	free(leaves);
}

/* Keeps what the caller needs to find where each stack ends. */
static void keep_stacks(struct planting *p)
{
	int *ends = arena_new_many(&p->arena, int, p->stacks.nr + 1);

	for (size_t i = 0; i < p->stacks.nr; i++)
		ends[i] = p->paths.items[p->ways.items[i]].node;
	p->tree.ends = ends;
	p->tree.stacks =
		arena_copy(&p->arena, p->stacks.items, p->stacks.nr * sizeof(*p->stacks.items));
	p->tree.nstacks = p->stacks.nr;
}

/* True for main threads of ranks' own processes, and of processes of no rank. */
static bool is_wanted(const struct job *job, const struct job_stack *stack)
{
	return stack->main &&
	       (!is_rank(stack->rank) || job_rank(job, stack->rank)->process == stack->process);
}

struct stacktree *stacktree_new(const struct job *job, const struct stacktree_options *options)
{
	struct planting *p = alloc_zeroed(1, sizeof(*p));

	p->tree.job = job;
	for (size_t i = 0; i < job->nstacks; i++)
		if (options->all || is_wanted(job, &job->stacks[i]))
			stacktree_add_stack(p, i, options);
	grow_nodes(p);
	stacktree_gather_sets(p);
	mark_dead(p);
	order_siblings(p);
	make_classes(p);
	keep_stacks(p);
	array_release(&p->steps);
	array_release(&p->paths);
	array_release(&p->cuts);
	array_release(&p->stacks);
	array_release(&p->members);
	array_release(&p->ways);
	free(p->slots);
	free(p->heads);
	return &p->tree;
}

size_t stacktree_path(const struct stacktree *tree, int node, uint32_t *ret, size_t room)
{
	size_t n = 0;

	for (int at = node; at != JOB_NONE; at = tree->nodes[at].parent) {
		if (tree->nodes[at].kind != STACKTREE_FRAME)
			continue;
		if (n < room)
			ret[n] = tree->nodes[at].frame;
		n++;
	}
	return n;
}

void stacktree_free(struct stacktree *tree)
{
	struct planting *p = (struct planting *)tree;

	if (!p)
		return;
	arena_release(&p->arena);
	free(p);
}
