/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames.h: frames, members of the stack tree and how stacks moved, in words. Text from outside
 * goes through escape.h here.
 */
#ifndef WORDS_FRAMES_H
#define WORDS_FRAMES_H

#include "base/str.h"
#include "job/stacktree/stacktree.h"
#include "words/summary.h"

/* Appends what it is called: its function, else module and address. */
void frames_add_name(struct str *into, const struct job_frame *frame, bool utf8);

/*
 * Appends where it is, in at most width columns: "train.py:88" with as much of its folders as fits,
 * "libc.so.6", "kernel"; nothing where nothing is known.
 */
void frames_add_place(struct str *into, const struct job_frame *frame, size_t width, bool utf8);

/* Appends a set of a tree: "0-2,4-7", and "p4711" for a process of no rank. */
void frames_add_members(
	struct str *into, const struct stacktree *tree, uint32_t set, size_t width);

/* How the stacks of one class moved between samples. */
struct frames_motion {
	unsigned samples; /* the most */
	size_t stacks;
	size_t moved; /* of so many it is known that they ran or their frames differ */
	size_t still; /* and of so many that they did not run */
	const struct job_stack *first; /* the first stack of the class */
	const struct job_stack *mover; /* the first whose frames differ; NULL none */
};

/* Returns the motion of each class of the tree; never NULL. free() it. */
struct frames_motion *frames_motions(const struct stacktree *tree);

/*
 * Appends what a class of stacks does: "2 threads, still in 3 samples; in futex; holds the GIL", of
 * samples that lie `span` ns apart in all. Returns its cite; "" where several stacks tell of it.
 */
const char *frames_add_class(struct str *into, const struct stacktree *tree,
	const struct stacktree_class *class, const struct frames_motion *motion, int64_t span,
	bool utf8);

/* Appends "8 stacks of main threads, 2 classes; 3 samples in 2.2 s". */
void frames_add_summary(struct str *into, const struct stacktree *tree, bool all_threads,
	const struct disturbed *disturbed);

#endif
