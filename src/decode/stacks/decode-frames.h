/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_DECODE_FRAMES_H
#define DECODE_DECODE_FRAMES_H

/*
 * Turns what a walk has found into the job's frames (struct job_frame). They are innermost first,
 * in the order of their adding. All texts lie in the arena that is given, or are literals.
 */

#include "base/arena.h"
#include "base/array.h"
#include "job/job.h"
#include "stack/maps.h"
#include "stack/merge.h"
#include "stack/module.h"
#include "stack/python-frames.h"
#include "stack/unwind.h"

/* The frames of one stack. */
struct decode_frames {
	ARRAY(struct job_frame) all;
};

/* Adds a Python frame; its texts are copied into the arena. */
void frames_add_python(struct decode_frames *into, struct arena *arena,
	const struct python_frame *frame) __attribute__((nonnull));

/*
 * Adds where a thread sits in the kernel, by the lines of /proc/PID/stack or, without them, by its
 * wchan: the innermost function, or with `all` every one of them. Adds nothing if neither is known.
 */
void frames_add_kernel(struct decode_frames *into, struct arena *arena, const char *lines,
	const char *wchan, bool all) __attribute__((nonnull));

/* Adds native and Python frames, each in its place. */
void frames_add_merged(struct decode_frames *into, struct arena *arena,
	const struct stack_maps *maps, const struct unwind_stack *native,
	const struct merged_stack *merged) __attribute__((nonnull));

/*
 * Marks plumbing: frames of the interpreter, if there are Python frames at all; and if the thread
 * `died`, those of our own preload object that it died through (its abort(), the signal that it
 * raises again), which have only libc's further in.
 */
void frames_mark_plumbing(struct decode_frames *frames, bool died) __attribute__((nonnull));

/* Returns the name of a system call of x86-64; "" if the number is of none. */
const char *frames_syscall(int64_t number);

#endif
