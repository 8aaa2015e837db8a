/* SPDX-License-Identifier: Apache-2.0 */
#include "words/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "words/escape.h"
#include "words/rank-names.h"

void frames_add_name(struct str *into, const struct job_frame *frame, bool utf8)
{
	if (*frame->function) {
		escape_text(into, frame->function, utf8);
		return;
	}
	escape_text(into, *frame->module ? frame->module : "unknown code", utf8);
	if (frame->offset)
		str_printf(into, "+0x%" PRIx64, frame->offset);
}

/*
 * Appends as much of the end of an escaped path as has room: the name, and folders in front of it.
 */
static void add_tail(struct str *into, const char *path, size_t width)
{
	const char *at = path;

	while (escape_width(at) > width) {
		const char *slash = strchr(at + 1, '/');

		if (!slash)
			break;
		at = slash;
	}
	at += at != path && *at == '/';
	escape_fit(into, at, width);
}

void frames_add_place(struct str *into, const struct job_frame *frame, size_t width, bool utf8)
{
	struct str path = {0}, line = {0};

	if (frame->line)
		str_printf(&line, ":%d", frame->line);
	if (frame->kind == JOB_FRAME_KERNEL) {
		escape_fit(into, "kernel", width);
	} else if (*frame->file) {
		escape_text(&path, frame->file, utf8);
		if (width > line.len)
			add_tail(into, str_text(&path), width - line.len);
		str_add(into, str_text(&line));
	} else if (*frame->function) {
		escape_text(&path, frame->module, utf8);
		escape_fit(into, str_text(&path), width);
	}
	str_release(&path);
	str_release(&line);
}

void frames_add_members(struct str *into, const struct stacktree *tree, uint32_t set, size_t width)
{
	const struct stacktree_set *members = &tree->sets[set];
	size_t nranks = 0, from = into->len;

	while (nranks < members->n && members->at[nranks].i < (int)tree->job->nranks)
		nranks++;
	ranks_fit(into, tree->job, (struct verdict_ranks){members->at, nranks}, width);
	for (size_t i = nranks; i < members->n; i++) {
		int process = members->at[i].i - (int)tree->job->nranks;
		char text[16];

		snprintf(text, sizeof(text), "%sp%u", i ? "," : "",
			tree->job->processes[process].pid);
		if (into->len - from + strlen(text) + (i + 1 < members->n ? 4 : 0) > width) {
			str_add(into, into->len > from ? ",..." : "...");
			return;
		}
		str_add(into, text);
	}
}

/* Counts one stack in. */
static void add_stack(struct frames_motion *motion, const struct job_stack *stack)
{
	motion->stacks++;
	motion->moved += stack->moved == JOB_YES;
	motion->still += stack->moved == JOB_NO;
	if (stack->samples > motion->samples)
		motion->samples = stack->samples;
	if (!motion->first)
		motion->first = stack;
	if (!motion->mover && stack->moved == JOB_YES && stack->still < stack->nframes)
		motion->mover = stack;
}

struct frames_motion *frames_motions(const struct stacktree *tree)
{
	struct frames_motion *motions = alloc_zeroed(tree->nclasses + 1, sizeof(*motions));
	size_t *class_of = alloc_zeroed(tree->nnodes, sizeof(*class_of));

	for (size_t i = 0; i < tree->nclasses; i++)
		for (size_t k = 0; k < tree->classes[i].nleaves; k++)
			class_of[tree->classes[i].leaves[k]] = i;
	for (size_t i = 0; i < tree->nstacks; i++)
		add_stack(&motions[class_of[tree->ends[i]]], &tree->job->stacks[tree->stacks[i]]);
	free(class_of);
	return motions;
}

/* Returns the innermost of the frames that stayed the same which is not plumbing; NULL none. */
static const struct job_frame *last_still(
	const struct stacktree *tree, const struct job_stack *stack)
{
	for (size_t i = stack->nframes - stack->still; i < stack->nframes; i++)
		if (!tree->job->frames[stack->frames[i]].plumbing)
			return &tree->job->frames[stack->frames[i]];
	return NULL;
}

/* Appends "still in 3 samples", "ran, inside load_batch", "1 of 3 ran". */
static void add_motion(struct str *into, const struct stacktree *tree,
	const struct frames_motion *motion, bool utf8)
{
	const struct job_frame *inside;

	if (motion->moved && motion->moved < motion->stacks)
		str_printf(into, "%zu of %zu ran", motion->moved, motion->stacks);
	else if (motion->moved)
		str_add(into, "ran");
	else if (motion->still == motion->stacks && motion->stacks)
		str_printf(into, "still in %u samples", motion->samples);
	else if (motion->samples < 2)
		str_add(into, "one sample");
	else
		str_add(into, "same in all samples");
	if (!motion->moved)
		return;
	inside = motion->mover ? last_still(tree, motion->mover) : NULL;
	if (inside) {
		str_add(into, ", inside ");
		frames_add_name(into, inside, utf8);
	} else if (!motion->mover) {
		str_add(into, ", in the same frames");
	}
}

/*
 * Appends "; in futex; holds the GIL; 99 % CPU"; the latter is of the `span` ns that were looked
 * at.
 */
static void add_doing(struct str *into, const struct job_stack *stack, int64_t span)
{
	if (stack->state == 'T' || stack->state == 't')
		str_add(into, "; stopped (T)");
	else if (stack->state == 'D')
		str_add(into, "; uninterruptible (D)");
	if (*stack->syscall)
		str_printf(into, "; in %s", stack->syscall);
	if (stack->holds_gil == JOB_YES)
		str_add(into, "; holds the GIL");
	if (stack->waits_gil)
		str_add(into, "; waits for the GIL");
	if (stack->cpu_delta > 0 && span > 0 && stack->cpu_delta > span / 50)
		str_printf(into, "; %" PRId64 " %% CPU",
			(int64_t)((double)stack->cpu_delta * 100 / (double)span));
}

const char *frames_add_class(struct str *into, const struct stacktree *tree,
	const struct stacktree_class *class, const struct frames_motion *motion, int64_t span,
	bool utf8)
{
	if (class->threads > tree->sets[class->set].n)
		str_printf(into, "%u threads, ", class->threads);
	if (class->none)
		str_add(into, "no stack");
	else
		add_motion(into, tree, motion, utf8);
	if (!motion->first)
		return "";
	add_doing(into, motion->first, span);
	return motion->stacks == 1 ? motion->first->cite : "";
}

void frames_add_summary(struct str *into, const struct stacktree *tree, bool all_threads,
	const struct disturbed *disturbed)
{
	char text[CLOCK_TEXT_SIZE];

	str_printf(into, "%zu stack%s of %s, %zu class%s", tree->nstacks,
		tree->nstacks == 1 ? "" : "s", all_threads ? "all threads" : "main threads",
		tree->nclasses, tree->nclasses == 1 ? "" : "es");
	if (!disturbed->live)
		return;
	str_printf(into, "; %u sample%s", disturbed->samples, disturbed->samples == 1 ? "" : "s");
	if (disturbed->samples > 1)
		str_printf(into, " in %s", clock_format(disturbed->span, text));
}
