/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_DECODE_FRAMES_H
#define DECODE_DECODE_FRAMES_H

/*
 * Frames as the job has them (struct job_frame), of what a walk has found. Innermost first, as they
 * are added. All texts lie in the arena that is given, or are literals.
 */

#include "base/arena.h"
#include "base/array.h"
#include "job/job.h"
#include "stack/maps.h"
#include "stack/merge.h"
#include "stack/module.h"
#include "stack/python-frames.h"
#include "stack/unwind.h"

struct decode_frames {
	ARRAY(struct job_frame) all;
};

/* Adds one; its texts are copied into the arena. */
void frames_add_python(struct decode_frames *into, struct arena *arena,
	const struct python_frame *frame) __attribute__((nonnull));

/*
 * Where a thread sits in the kernel, by the lines of /proc/PID/stack or, without them, by its
 * wchan: the innermost function, or with `all` every one of them. Nothing where nothing is known.
 */
void frames_add_kernel(struct decode_frames *into, struct arena *arena, const char *lines,
	const char *wchan, bool all) __attribute__((nonnull));

/* Both kinds in their places. */
void frames_add_merged(struct decode_frames *into, struct arena *arena,
	const struct stack_maps *maps, const struct unwind_stack *native,
	const struct merged_stack *merged) __attribute__((nonnull));

/*
 * Marks plumbing: frames of the interpreter, where there are Python frames at all; and if the
 * thread `died`, those of our own preload object that it died through (its abort(), the signal that
 * it raises again), which have only libc's further in.
 */
void frames_mark_plumbing(struct decode_frames *frames, bool died) __attribute__((nonnull));

/* The name of a system call of x86-64; "" for a number that is none. */
const char *frames_syscall(int64_t number);

#endif
