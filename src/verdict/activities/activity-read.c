/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/activities/activity-read.h"

#include "verdict/backends/backend.h"

/* Returns the first line that fits the frame; NULL none. */
static const struct activity_line *find_line(
	const struct job_frame *frame, const struct activity_line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (stackfacts_is_at(frame, &lines[i].place))
			return &lines[i];
	return NULL;
}

const struct activity_line *activity_line_of(const struct job_frame *frame)
{
	const struct activity_line *line = NULL;

	for (size_t i = 0; backends[i] && !line; i++)
		line = find_line(frame, backends[i]->lines, backends[i]->nlines);
	return line ? line : find_line(frame, activity_lines, activity_nlines);
}

/* A line of Python tells more than the C++ that it calls. */
static bool says_more(const struct job *job, const struct job_stack *stack, long before, long at)
{
	return before >= 0 &&
	       stackfacts_frame(job, stack, (size_t)before)->kind == JOB_FRAME_NATIVE &&
	       stackfacts_frame(job, stack, (size_t)at)->kind == JOB_FRAME_PYTHON;
}

/* Takes in one more frame, whose line this is; false: the reading is over. */
static bool read_frame(const struct job *job, const struct job_stack *stack,
	struct activity_reading *r, const struct activity_line *line, long at)
{
	bool further_in = r->program < 0 || at < r->program;

	switch (line->force) {
	case ACTIVITY_DECIDES:
		if (r->line && r->line->force == ACTIVITY_SPANS)
			return true;
		r->line = line;
		r->telling = r->base = at;
		return false;
	case ACTIVITY_SPANS:
		if (!r->line || r->line->force != ACTIVITY_SPANS ||
			r->line->activity != line->activity ||
			says_more(job, stack, r->telling, at))
			r->telling = at;
		r->line = line;
		r->base = at;
		return true;
	default:
		if (!further_in)
			return true;
		if (line->activity == ACTIVITY_LOCK &&
			(!r->line || r->line->force > ACTIVITY_SPANS)) {
			r->locked = true;
			r->lock_base = at;
		}
		r->threads |= line->force == ACTIVITY_THREADS;
		if (!r->line ||
			(r->line->force == ACTIVITY_THREADS && line->activity == ACTIVITY_LOCK)) {
			r->line = line;
			r->telling = r->base = at;
		}
		return true;
	}
}

/*
 * Forgets, at a frame that imports a module, what was read further in: the file of an imported
 * module tells what it is for, and not what is done.
 */
static void leave_import(const struct job_frame *frame, struct activity_reading *r)
{
	static const struct stackfacts_place importer = {
		"_find_and_load", "*importlib._bootstrap*"};

	if (r->line && r->line->force == ACTIVITY_SPANS && stackfacts_is_at(frame, &importer)) {
		r->line = NULL;
		r->telling = r->base = -1;
	}
}

struct activity_reading activity_read(const struct job *job,
	const struct activity_line *const *lines, const struct job_stack *stack)
{
	struct activity_reading r = {.telling = -1,
		.base = -1,
		.program = stackfacts_program(job, stack),
		.lock_base = -1};

	for (size_t i = 0; i < stack->nframes; i++) {
		const struct activity_line *line = lines[stack->frames[i]];

		if (line && !read_frame(job, stack, &r, line, (long)i))
			break;
		leave_import(stackfacts_frame(job, stack, i), &r);
	}
	return r;
}
