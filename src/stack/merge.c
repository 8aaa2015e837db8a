/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From 3.11 on one call of the evaluation loop evaluates many Python frames: a run. Something that
 * belongs to that call lies in its native frame on the C stack: the run's anchor. So the native
 * frame that evaluates a run is the frame i with sp[i] <= anchor < sp[i + 1]. That needs no symbol,
 * and proves itself: runs and native frames must be in the same order.
 *
 * Up to 3.10 each Python frame is a call of its own. There must be as many of them as native frames
 * of the evaluation loop, which are told by the address of its function.
 *
 * A native walk that was cut short has no frames for the outer runs. Those runs follow behind its
 * last frame, since their addresses say only that they are further out.
 */
#include "stack/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"

#define MERGE_NOWHERE SIZE_MAX /* no native frame holds the anchor */

/* Python frames of one thread that one native frame evaluates. */
struct merge_run {
	const struct python_thread *thread;
	size_t first, nr; /* its frames: thread->frames[first ... first + nr - 1] */
	uint64_t anchor; /* 0: none */
	/* index of the native frame; native->nframes: it is further out than the walk came */
	size_t native;
};

struct merge_runs {
	ARRAY(struct merge_run) all; /* innermost first */
};

/* Adds a thread's frames as runs: each ends at a frame with an anchor, or at the outermost one. */
static void merge_runs_of(struct merge_runs *runs, const struct python_thread *thread)
{
	size_t first = 0;

	for (size_t i = 0; i < thread->nframes; i++) {
		if (!thread->frames[i].anchor && i + 1 < thread->nframes)
			continue;
		*array_add(&runs->all) = (struct merge_run){
			.thread = thread,
			.first = first,
			.nr = i + 1 - first,
			.anchor = thread->frames[i].anchor,
		};
		first = i + 1;
	}
}

static int compare_anchors(const void *va, const void *vb)
{
	const struct merge_run *a = va, *b = vb;

	return (a->anchor > b->anchor) - (a->anchor < b->anchor);
}

/*
 * Returns the native frame whose part of the stack holds an address; nframes for one beyond the end
 * of a walk that was cut; MERGE_NOWHERE for any other.
 */
static size_t merge_native_of(const struct unwind_stack *native, uint64_t anchor)
{
	for (size_t i = 0; i + 1 < native->nframes; i++)
		if (native->frames[i].sp <= anchor && anchor < native->frames[i + 1].sp)
			return i;
	if (native->end != UNWIND_OUTERMOST && anchor >= native->frames[native->nframes - 1].sp)
		return native->nframes;
	return MERGE_NOWHERE;
}

/* Gives each run its native frame. True if all have one, in their order. */
static bool merge_by_address(const struct unwind_stack *native, struct merge_runs *runs)
{
	for (size_t i = 0; i < runs->all.nr; i++) {
		struct merge_run *run = &runs->all.items[i];
		const struct merge_run *before = i ? run - 1 : NULL;

		run->native = run->anchor ? merge_native_of(native, run->anchor) : MERGE_NOWHERE;
		if (run->native == MERGE_NOWHERE)
			return false;
		if (before && run->native < before->native)
			return false;
		if (before && run->native == before->native && run->native < native->nframes)
			return false;
	}
	return true;
}

/* True if a native frame is the evaluation loop. */
static bool merge_is_eval(
	const struct unwind_stack *native, size_t frame, const struct python_place *place)
{
	uint64_t pc = unwind_lookup_pc(native, frame);

	return (pc >= place->eval_start && pc < place->eval_end) ||
	       (pc >= place->cold_start && pc < place->cold_end);
}

/*
 * Gives each run, which is one frame here, its native frame. True if there are as many as native
 * frames of the evaluation loop.
 */
static bool merge_by_order(const struct unwind_stack *native, struct merge_runs *runs,
	const struct python_place *place)
{
	size_t run = 0;

	if (!place || native->end != UNWIND_OUTERMOST)
		return false;
	for (size_t i = 0; i < native->nframes; i++) {
		if (!merge_is_eval(native, i, place))
			continue;
		if (run == runs->all.nr)
			return false;
		runs->all.items[run++].native = i;
	}
	return run == runs->all.nr;
}

/* Replaces the runs by such of one frame each. */
static void merge_runs_split(struct merge_runs *runs)
{
	struct merge_runs split = {0};

	for (size_t i = 0; i < runs->all.nr; i++)
		for (size_t k = 0; k < runs->all.items[i].nr; k++)
			*array_add(&split.all) = (struct merge_run){
				.thread = runs->all.items[i].thread,
				.first = runs->all.items[i].first + k,
				.nr = 1,
			};
	array_release(&runs->all);
	*runs = split;
}

/*
 * Gives each run its native frame, by address where there are anchors, else by order. False if they
 * do not fit together. `nthreads` is how many interpreters have frames here.
 */
static bool merge_find_places(const struct unwind_stack *native, struct merge_runs *runs,
	size_t nthreads, const struct python_place *place)
{
	bool anchors = false;

	if (!native->nframes || !runs->all.nr)
		return true;
	for (size_t i = 0; i < runs->all.nr; i++) {
		anchors = anchors || runs->all.items[i].anchor;
		if (runs->all.items[i].thread->cut && !anchors)
			return false;
	}
	if (anchors) {
		if (nthreads > 1)
			array_sort(&runs->all, compare_anchors);
		return merge_by_address(native, runs);
	}
	if (nthreads > 1)
		return false;
	merge_runs_split(runs);
	return merge_by_order(native, runs, place);
}

/* Appends the frames of a run. */
static void merge_add_run(struct merged_stack *ret, const struct merge_run *run)
{
	for (size_t k = run->first; k < run->first + run->nr; k++)
		ret->frames[ret->nframes++] = (struct merged_frame){
			.python = &run->thread->frames[k],
			.index = k,
		};
}

/* Appends the native frame number i. */
static void merge_add_native(struct merged_stack *ret, const struct unwind_stack *native, size_t i)
{
	ret->frames[ret->nframes++] = (struct merged_frame){
		.native = &native->frames[i],
		.index = i,
	};
}

/*
 * Writes all frames in their order. A native frame that evaluates a run is replaced by the run.
 * Where the two are not merged, all runs come first.
 */
static void merge_write(
	const struct unwind_stack *native, const struct merge_runs *runs, struct merged_stack *ret)
{
	size_t run = 0;

	while (!ret->merged && run < runs->all.nr)
		merge_add_run(ret, &runs->all.items[run++]);
	for (size_t i = 0; i < native->nframes; i++) {
		if (run < runs->all.nr && runs->all.items[run].native == i)
			merge_add_run(ret, &runs->all.items[run++]);
		else
			merge_add_native(ret, native, i);
	}
	while (run < runs->all.nr)
		merge_add_run(ret, &runs->all.items[run++]);
}

void merge_stacks_of_all(const struct unwind_stack *native,
	const struct python_thread *const *python, size_t nr, const struct python_place *place,
	struct merged_stack *ret)
{
	struct merge_runs runs = {0};
	size_t nframes = native->nframes, nthreads = 0;

	for (size_t i = 0; i < nr; i++) {
		nframes += python[i]->nframes;
		nthreads += python[i]->nframes != 0;
		merge_runs_of(&runs, python[i]);
	}
	*ret = (struct merged_stack){0};
	ret->frames = alloc_zeroed(nframes ? nframes : 1, sizeof(*ret->frames));
	ret->merged = merge_find_places(native, &runs, nthreads, place);
	merge_write(native, &runs, ret);
	array_release(&runs.all);
}

void merge_stacks(const struct unwind_stack *native, const struct python_thread *python,
	const struct python_place *place, struct merged_stack *ret)
{
	merge_stacks_of_all(native, &python, python ? 1 : 0, place, ret);
}

void merged_stack_release(struct merged_stack *stack)
{
	if (!stack)
		return;
	free(stack->frames);
	*stack = (struct merged_stack){0};
}
