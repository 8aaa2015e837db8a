/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/pane/treelines.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"

struct treelines *treelines_new(const struct stacktree *tree)
{
	struct treelines *lines = alloc_zeroed(1, sizeof(*lines));
	size_t at = 0;

	lines->tree = tree;
	lines->branches = branches_of(tree);
	lines->motions = frames_motions(tree);
	lines->of_node = alloc_zeroed(tree->nnodes + 1, sizeof(*lines->of_node));
	/* A recursion is one branch: a chain, from its outermost node to its innermost. */
	for (; at < lines->branches.all.nr; at++) {
		const struct branch *branch = &lines->branches.all.items[at];

		for (int node = branch->last;; node = tree->nodes[node].parent) {
			lines->of_node[node] = (uint32_t)at;
			if (node == branch->node)
				break;
		}
	}
	return lines;
}

void treelines_free(struct treelines *lines)
{
	if (!lines)
		return;
	branches_release(&lines->branches);
	free(lines->motions);
	free(lines->of_node);
	free(lines);
}

/*
 * Returns the first stack of that rank in the tree, by its place there: they are by rank, of none
 * last.
 */
static size_t first_stack(const struct stacktree *tree, struct rank_index rank)
{
	const struct job_stack *stacks = tree->job->stacks;
	const uint32_t *at = tree->stacks;

	return bisect(0, tree->nstacks, i,
		is_rank(stacks[at[i]].rank) && stacks[at[i]].rank.i < rank.i);
}

/* True for the main thread of the rank's own process. */
static bool is_main(const struct job *job, const struct job_stack *stack)
{
	return stack->main && stack->process == job_rank(job, stack->rank)->process;
}

/*
 * Returns the place in the tree's stacks of `wanted`, or where that is NULL of the main thread; -1
 * none.
 */
static ptrdiff_t find_stack(
	const struct stacktree *tree, struct rank_index rank, const struct job_stack *wanted)
{
	const struct job *job = tree->job;

	if (!is_rank(rank))
		return -1;
	for (size_t i = first_stack(tree, rank); i < tree->nstacks; i++) {
		const struct job_stack *stack = &job->stacks[tree->stacks[i]];

		if (!same_rank(stack->rank, rank))
			break;
		if (wanted ? stack == wanted : is_main(job, stack))
			return (ptrdiff_t)i;
	}
	return -1;
}

/* True for a frame of a module that is known. */
static bool is_native(const struct job_frame *frame)
{
	return frame->kind == JOB_FRAME_NATIVE && *frame->module;
}

/*
 * Returns, of a program in C, the innermost frame of the module that the outermost frame is of,
 * which began it. A Python program's own frames the posture knows; -1 where nothing does.
 */
static long native_own(const struct job *job, const struct job_stack *stack)
{
	const struct job_frame *outermost;

	if (!stack->nframes || *stack->cut || stackfacts_python(job, stack) >= 0)
		return -1;
	outermost = stackfacts_frame(job, stack, stack->nframes - 1);
	for (size_t i = 0; is_native(outermost) && i < stack->nframes; i++) {
		const struct job_frame *frame = stackfacts_frame(job, stack, i);

		if (is_native(frame) && !strcmp(frame->module, outermost->module))
			return (long)i;
	}
	return -1;
}

int treelines_own(const struct treelines *lines, struct rank_index rank,
	const struct posture *posture, bool *ret_known)
{
	const struct stacktree *tree = lines->tree;
	const struct job_stack *stack = posture ? posture->stack : NULL;
	ptrdiff_t at = find_stack(tree, rank, stack);
	long own = stack && at >= 0 ? posture->program : -1;
	int node;

	*ret_known = false;
	if (at < 0)
		at = find_stack(tree, rank, NULL);
	if (at < 0)
		return JOB_NONE;
	stack = &tree->job->stacks[tree->stacks[at]];
	if (own < 0)
		own = native_own(tree->job, stack);
	for (node = tree->ends[at]; own >= 0 && node > 0; node = tree->nodes[node].parent)
		if (tree->nodes[node].kind == STACKTREE_FRAME &&
			tree->nodes[node].frame == stack->frames[own]) {
			*ret_known = true;
			return node;
		}
	return tree->ends[at];
}
