/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nearly all stacks of a job are the same few. So each becomes a path (numbers of frames, outermost
 * first), and equal paths are found by their hash.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/stacktree/stacktree-make.h"

/* Returns the number of a reason for a cut, each kept once. */
static uint32_t cut_number(struct planting *p, const char *words)
{
	for (size_t i = 0; i < p->cuts.nr; i++)
		if (!strcmp(p->cuts.items[i], words))
			return (uint32_t)i;
	*array_add(&p->cuts) = words;
	return (uint32_t)p->cuts.nr - 1;
}

/*
 * Returns how many frames there are from the innermost one up to where the tree begins. What is
 * further out than the outermost Python frame is how the interpreter came to run, the same in every
 * rank.
 */
static size_t find_beginning(const struct planting *p, const struct job_stack *stack)
{
	const struct job_frame *frames = p->tree.job->frames;
	size_t n = stack->nframes;

	while (n && frames[stack->frames[n - 1]].kind != JOB_FRAME_PYTHON)
		n--;
	return n ? n : stack->nframes;
}

/* Appends the steps of a stack, the outermost first; returns how many. */
static uint32_t add_steps(
	struct planting *p, const struct job_stack *stack, const struct stacktree_options *options)
{
	const struct job_frame *frames = p->tree.job->frames;
	size_t n = stack->nframes, from = p->steps.nr;

	if (!n)
		*array_add(&p->steps) = PATH_NONE | cut_number(p, stack->cut);
	else if (*stack->cut && !stack->rooted)
		*array_add(&p->steps) = PATH_CUT | cut_number(p, stack->cut);
	else if (!options->plumbing)
		n = find_beginning(p, stack);
	p->tree.hidden += stack->nframes - n;
	for (size_t i = n; i--;) {
		if (frames[stack->frames[i]].plumbing && !options->plumbing)
			p->tree.hidden++;
		else
			*array_add(&p->steps) = stack->frames[i];
	}
	/* A thread that ran has shown only its Python frames: it stands somewhere further in. */
	if (n && *stack->cut && stack->rooted && frames[stack->frames[0]].kind == JOB_FRAME_PYTHON)
		*array_add(&p->steps) = PATH_CUT | cut_number(p, stack->cut);
	return (uint32_t)(p->steps.nr - from);
}

static uint64_t hash_steps(const uint32_t *steps, uint32_t len)
{
	uint64_t hash = len;

	for (uint32_t i = 0; i < len; i++) {
		hash = (hash ^ steps[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 32;
	}
	return hash;
}

/* Returns the slot of an equal path, or the free slot where this one belongs. */
static uint32_t *find_slot(const struct planting *p, const struct path *path)
{
	size_t at = path->hash & (p->nslots - 1);

	for (; p->slots[at]; at = (at + 1) & (p->nslots - 1)) {
		const struct path *other = &p->paths.items[p->slots[at] - 1];

		if (other->hash == path->hash && other->len == path->len &&
			!memcmp(p->steps.items + other->from, p->steps.items + path->from,
				path->len * sizeof(uint32_t)))
			break;
	}
	return &p->slots[at];
}

static void grow_slots(struct planting *p)
{
	free(p->slots);
	p->nslots = p->nslots ? p->nslots * 2 : 1024;
	p->slots = alloc_zeroed(p->nslots, sizeof(*p->slots));
	for (size_t i = 0; i < p->paths.nr; i++)
		*find_slot(p, &p->paths.items[i]) = (uint32_t)i + 1;
}

/* A path that is known already takes its steps back. */
void stacktree_add_stack(struct planting *p, size_t i, const struct stacktree_options *options)
{
	const struct job_stack *stack = &p->tree.job->stacks[i];
	struct path path = {.from = p->steps.nr, .node = JOB_NONE};
	uint32_t *slot;

	if (p->paths.nr * 2 >= p->nslots)
		grow_slots(p);
	path.len = add_steps(p, stack, options);
	path.hash = hash_steps(p->steps.items + path.from, path.len);
	slot = find_slot(p, &path);
	if (*slot) {
		p->steps.nr = path.from;
	} else {
		path.number = (uint32_t)p->paths.nr;
		*array_add(&p->paths) = path;
		*slot = (uint32_t)p->paths.nr;
	}
	*array_add(&p->stacks) = (uint32_t)i;
	*array_add(&p->ways) = *slot - 1;
	*array_add(&p->members) = is_rank(stack->rank)
					  ? stack->rank
					  : rank_index((int)p->tree.job->nranks + stack->process);
}
