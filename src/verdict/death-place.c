/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in its code a rank died: by the stack that its own handler wrote down, or that a core file
 * has, of the thread that got the signal. How abort() goes about it is of no interest.
 */
#include <string.h>

#include "job/stacktree/stackfacts.h"
#include "verdict/death-place.h"

#define PLACE_FRAMES 2	/* the innermost ones; behind them the program's own line */
#define PLACE_LENGTH 80 /* so much is read on one line and the next */

/* Functions through which a signal is raised. */
static const struct stackfacts_place raising[] = {
	{"*pthread_kill*", "libc*"},
	{"*pthread_kill*", "libpthread*"},
	{"raise", NULL},
	{"gsignal", NULL},
	{"__GI_raise", NULL},
	{"abort", "libc*"},
	{"__GI_abort", "libc*"},
	{"abort", "libinquest-probe*"},
	{"__libc_message*", "libc*"},
	{"malloc_printerr", "libc*"},
	{"__assert_fail*", "libc*"},
	{"__*fortify_fail*", "libc*"},
	{"__stack_chk_fail*", "libc*"},
	{"*", "libstdc++*"}, /* std::terminate and its way there, mostly without names */
	{"*", "libgcc_s*"},
	{"*restore_rt", NULL},
};

static const struct job_stack *death_stack(const struct inquiry *q, int rank)
{
	const struct job_signal *fatal = q->profiles[rank].fatal;
	const struct job_stack *stack =
		fatal && fatal->tid ? stackfacts_thread(q->job, rank, fatal->tid) : NULL;

	if (stack && (stack->how == JOB_STACK_CORE || stack->how == JOB_STACK_FATAL))
		return stack;
	return NULL;
}

bool death_has_place(const struct inquiry *q, int rank)
{
	return death_stack(q, rank) != NULL;
}

static bool frame_is_told(const struct job_frame *frame)
{
	if (frame->plumbing || frame->kind == JOB_FRAME_KERNEL ||
		(!frame->function[0] && !frame->file[0] && !frame->module[0]))
		return false;
	for (size_t i = 0; i < sizeof(raising) / sizeof(raising[0]); i++)
		if (frame->kind == JOB_FRAME_NATIVE && stackfacts_is_at(frame, &raising[i]))
			return false;
	return true;
}

/* "step (train.py:40)", "ncclAllReduce (libnccl.so.2)" */
static const char *frame_text(struct inquiry *q, const struct job_frame *frame)
{
	const char *slash = strrchr(frame->file, '/');
	const char *file = slash ? slash + 1 : frame->file;
	const char *function = frame->function[0] ? frame->function : "?";

	if (*file && frame->line > 0)
		return arena_printf(q->arena, "%s (%s:%d)", function, file, frame->line);
	if (frame->module[0])
		return arena_printf(q->arena, "%s (%s)", function, frame->module);
	return *file ? arena_printf(q->arena, "%s (%s)", function, file) : function;
}

/* So many frames that are told, from the innermost; *ret_last: the number of the last of them. */
static const char *innermost(
	struct inquiry *q, const struct job_stack *stack, int most, size_t *ret_last)
{
	const char *text = "";
	int told = 0;

	for (size_t i = 0; i < stack->nframes && told < most; i++) {
		const struct job_frame *frame = stackfacts_frame(q->job, stack, i);

		if (!frame_is_told(frame))
			continue;
		text = arena_printf(
			q->arena, "%s%s%s", text, told ? " < " : "", frame_text(q, frame));
		told++;
		*ret_last = i;
	}
	return told ? text : NULL;
}

const char *death_place(struct inquiry *q, int rank, const char **ret_cite)
{
	const struct job_stack *stack = death_stack(q, rank);
	const char *text, *mine = "";
	size_t last = 0;
	long program;

	if (!stack)
		return NULL;
	program = stackfacts_program(q->job, stack);
	if (program >= 0)
		mine = frame_text(q, stackfacts_frame(q->job, stack, (size_t)program));
	text = innermost(q, stack, PLACE_FRAMES, &last);
	/* The program's line must be read, whatever the names of libraries. */
	if (text && strlen(text) + strlen(mine) > PLACE_LENGTH)
		text = innermost(q, stack, 1, &last);
	if (!text)
		return NULL;
	if (program > (long)last)
		text = arena_printf(q->arena, "%s < ... < %s", text, mine);
	*ret_cite = stack->cite;
	return text;
}
