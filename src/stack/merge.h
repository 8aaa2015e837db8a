/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_MERGE_H
#define STACK_MERGE_H

/*
 * Native and Python frames of one thread as one stack: each run of Python frames stands where the
 * native frame is that evaluates it, in its place. By address from 3.11 on, by order before.
 * Nothing is guessed: if they do not fit together, `merged` is false and the Python frames stand in
 * front (innermost) of all native ones.
 */

#include <stdbool.h>
#include <stddef.h>

#include "stack/python-frames.h"
#include "stack/unwind.h"

struct merged_frame {
	const struct unwind_frame *native; /* exactly one of these two is not NULL; borrowed */
	const struct python_frame *python;
	size_t index; /* its place in the stack that it comes from */
};

struct merged_stack {
	struct merged_frame *frames; /* innermost first */
	size_t nframes;
	bool merged; /* false: all Python frames come first, since their places are not known */
};

/*
 * Merges the native and Python frames of one thread into `ret`, to be released by
 * merged_stack_release(). `python` is NULL for a thread without Python frames; `place` may be NULL,
 * and is needed up to 3.10 only. The frames are borrowed from both stacks. Frames of the
 * interpreter itself (calls of eval, vectorcall, ...) stay in; reports leave them out by
 * merge_is_plumbing().
 */
void merge_stacks(const struct unwind_stack *native, const struct python_thread *python,
	const struct python_place *place, struct merged_stack *ret) __attribute__((nonnull(1, 4)));

/*
 * Merges likewise for a thread that `nr` interpreters know: each has its own frames on the one
 * native stack. They stand innermost first as far as addresses tell.
 */
void merge_stacks_of_all(const struct unwind_stack *native,
	const struct python_thread *const *python, size_t nr, const struct python_place *place,
	struct merged_stack *ret) __attribute__((nonnull(1, 5)));

/* True if a function is, by its name, the interpreter's plumbing between two Python frames. */
bool merge_is_plumbing(const char *function) __attribute__((nonnull));

/* Leaves the empty stack. Takes NULL. */
void merged_stack_release(struct merged_stack *stack);

#endif
