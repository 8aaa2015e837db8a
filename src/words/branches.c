/* SPDX-License-Identifier: Apache-2.0 */
#include "words/branches.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "words/escape.h"
#include "words/frames.h"

/* True if all who pass the node's parent pass this node: it is next in a chain, and no fork. */
static bool is_alone(const struct stacktree *tree, int node)
{
	const struct stacktree_node *parent = &tree->nodes[tree->nodes[node].parent];

	return parent->child == node && tree->nodes[node].next == JOB_NONE && !parent->ends;
}

/*
 * Returns the last node of the recursion that begins here: the same place, again and again, in a
 * chain.
 */
static int last_same(const struct stacktree *tree, int at, unsigned *ret_times)
{
	const struct stacktree_node *nodes = tree->nodes;
	int child = nodes[at].child;

	for (*ret_times = 1; child != JOB_NONE && is_alone(tree, child); ++*ret_times) {
		if (nodes[at].kind != STACKTREE_FRAME || nodes[child].kind != STACKTREE_FRAME ||
			nodes[child].frame != nodes[at].frame)
			break;
		at = child;
		child = nodes[at].child;
	}
	return at;
}

/*
 * Returns the node behind this one in the order of the page: its child, its next, or an ancestor's
 * next; JOB_NONE behind the last.
 */
static int next_node(const struct stacktree *tree, int at)
{
	if (tree->nodes[at].child != JOB_NONE)
		return tree->nodes[at].child;
	while (at > 0 && tree->nodes[at].next == JOB_NONE)
		at = tree->nodes[at].parent;
	return at > 0 ? tree->nodes[at].next : JOB_NONE;
}

struct branches branches_of(const struct stacktree *tree)
{
	struct branches branches = {0};
	unsigned *depth;

	if (!tree->nnodes)
		return branches;
	depth = alloc_zeroed(tree->nnodes, sizeof(*depth));
	for (size_t i = 1; i < tree->nnodes; i++) {
		int parent = tree->nodes[i].parent;

		depth[i] = parent > 0 ? depth[parent] + !is_alone(tree, (int)i) : 0;
	}
	for (int at = next_node(tree, 0); at != JOB_NONE; at = next_node(tree, at)) {
		struct branch *branch = array_add(&branches.all);

		branch->node = at;
		branch->depth = depth[at];
		branch->fork = tree->nodes[at].parent <= 0 || !is_alone(tree, at);
		branch->last = at = last_same(tree, at, &branch->times);
	}
	free(depth);
	return branches;
}

void branches_release(struct branches *branches)
{
	array_release(&branches->all);
}

void branches_add_name(struct str *into, const struct stacktree *tree, const struct branch *branch,
	bool utf8)
{
	const struct stacktree_node *node = &tree->nodes[branch->node];
	const struct stacktree_node *last = &tree->nodes[branch->last];
	const struct job_frame *frame;

	if (node->kind != STACKTREE_FRAME) {
		str_add(into, node->kind == STACKTREE_NONE   ? "(no stack: "
			      : strncmp(node->cut, "cut", 3) ? "(cut: "
							     : "(");
		escape_text(into, node->cut, utf8);
		str_add_char(into, ')');
		return;
	}
	frame = &tree->job->frames[node->frame];
	frames_add_name(into, frame, utf8);
	if (frame->guessed)
		str_add(into, " (guessed)");
	if (branch->times > 1)
		str_printf(into, " (%u times)", branch->times);
	if (last->died && last->ends)
		str_add(into, " (died here)");
}
