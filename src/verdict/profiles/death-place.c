/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in its code a rank died: by the stack of the thread that got the signal, which its own
 * handler wrote down or a core file has. How abort() goes about it is of no interest.
 */
#include <string.h>

#include "job/stacktree/stackfacts.h"
#include "verdict/profiles/death-place.h"

#define PLACE_FRAMES 2	/* the innermost ones; behind them the program's own line */

/* Functions through which a signal is raised. */
static const struct stackfacts_place raising[] = {
	{"*pthread_kill*", "libc*"},
	{"*pthread_kill*", "libpthread*"},
	{"raise", NULL},
	{"kill", "libc*"},
	{"tgkill", "libc*"},
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

bool death_has_place(const struct inquiry *q, struct rank_index rank)
{
	return q->profiles[rank.i].death_stack != NULL;
}

/* True if the frame tells where the rank died: it is named, and not part of raising a signal. */
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

/*
 * Finds the innermost frames that are told, at most PLACE_FRAMES; ret_last: their numbers. Returns
 * how many.
 */
static size_t innermost(const struct inquiry *q, const struct job_stack *stack,
	const struct job_frame **into, size_t *ret_last)
{
	size_t told = 0;

	for (size_t i = 0; i < stack->nframes && told < PLACE_FRAMES; i++) {
		const struct job_frame *frame = stackfacts_frame(q->job, stack, i);

		if (!frame_is_told(frame))
			continue;
		into[told] = frame;
		ret_last[told++] = i;
	}
	return told;
}

const struct verdict_thing *death_place(
	struct inquiry *q, struct rank_index rank, const char **ret_cite)
{
	const struct job_stack *stack = q->profiles[rank.i].death_stack;
	const struct job_frame **frames =
		arena_new_many(q->arena, const struct job_frame *, PLACE_FRAMES + 1);
	size_t last[PLACE_FRAMES], n, within = 0;
	long program;

	n = stack ? innermost(q, stack, frames, last) : 0;
	if (!n)
		return NULL;
	program = stackfacts_program(q->job, stack);
	frames[n] = program < 0 ? NULL : stackfacts_frame(q->job, stack, (size_t)program);
	while (within < n && program > (long)last[within])
		within++;
	*ret_cite = stack->cite;
	return draft_thing(q, (struct verdict_thing){.kind = THING_FRAMES,
				      .frames = frames,
				      .n = n,
				      .index = within});
}
