/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stackfacts.h: questions about stacks, as rules ask them.
 *
 * PATTERNS match a whole text; "*" stands for any number of any characters. So "futex_*" is what
 * begins so, and "*.py" what ends so. A NULL pattern fits everything.
 */
#ifndef JOB_STACKFACTS_H
#define JOB_STACKFACTS_H

#include "job/job.h"

/* True if the text fits the pattern. */
bool stackfacts_fits(const char *text, const char *pattern) __attribute__((nonnull(1)));

/*
 * A place in code. `function` is compared with the frame's function; `where` with its file (as a
 * whole, or behind any of its slashes: "torch/data*" fits "/env/lib/torch/data/x.py")
 * or, of native frames, with the module's name ("libnccl.so*"), either of which may fit.
 */
struct stackfacts_place {
	const char *function;
	const char *where;
};

/* True if the frame fits the place: its function, and its file or module where that is said. */
bool stackfacts_is_at(const struct job_frame *frame, const struct stackfacts_place *place)
	__attribute__((nonnull));

/* Finds the stacks of a rank, its children's included: [*ret_from, *ret_to) of job->stacks. */
void stackfacts_of_rank(const struct job *job, struct rank_index rank, size_t *ret_from,
	size_t *ret_to) __attribute__((nonnull));

/* Returns the stack of the main thread of the rank's own process; NULL where it has none. */
const struct job_stack *stackfacts_main(const struct job *job, struct rank_index rank)
	__attribute__((nonnull));

/* Returns the stack of that thread of the rank's own process; NULL none. */
const struct job_stack *stackfacts_thread(
	const struct job *job, struct rank_index rank, uint32_t tid) __attribute__((nonnull));

/* Returns how a process' stacks were taken; NULL: not at all. */
const struct job_snapshot *stackfacts_snapshot(const struct job *job, int process)
	__attribute__((nonnull));

/* Returns a frame of a stack, 0 the innermost; NULL beyond the outermost. */
const struct job_frame *stackfacts_frame(
	const struct job *job, const struct job_stack *stack, size_t i) __attribute__((nonnull));

/*
 * Returns the number of the innermost frame, from number `from` on, that is at one of nr places; -1
 * none.
 */
long stackfacts_find(const struct job *job, const struct job_stack *stack, size_t from,
	const struct stackfacts_place *places, size_t nr) __attribute__((nonnull(1, 2)));

/* Returns the number of the innermost Python frame, of any file; -1 none. */
long stackfacts_python(const struct job *job, const struct job_stack *stack)
	__attribute__((nonnull));

/* True if a file is of Python's own library: "/usr/lib/python3.11/threading.py". */
bool stackfacts_is_stdlib(const char *file) __attribute__((nonnull));

/*
 * Returns the number of the innermost Python frame of the program itself, -1 none. Not of the
 * program are the standard library, packages in site-packages or dist-packages, PyTorch wherever it
 * lies, code that a compiler made, and code without file ("<frozen ...>"); but a notebook's cell
 * and "<stdin>" are.
 */
long stackfacts_program(const struct job *job, const struct job_stack *stack)
	__attribute__((nonnull));

#endif
