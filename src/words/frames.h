/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames, members of the stack tree and how stacks moved, in words. Text from outside is escaped
 * here (escape.h).
 */
#ifndef WORDS_FRAMES_H
#define WORDS_FRAMES_H

#include "base/str.h"
#include "job/stacktree/stacktree.h"
#include "words/summary.h"

/* Appends what the frame is called: its function, else module and address. */
void frames_add_name(struct str *into, const struct job_frame *frame, bool utf8);

/*
 * Appends where the frame is, in at most `width` columns: "train.py:88" with as much of its folders
 * as fits, "libc.so.6", "kernel"; nothing where nothing is known.
 */
void frames_add_place(struct str *into, const struct job_frame *frame, size_t width, bool utf8);

/*
 * Appends a set of a tree's members in at most `width` columns: "0-2,4-7", and "p4711" for a
 * process of no rank.
 */
void frames_add_members(
	struct str *into, const struct stacktree *tree, uint32_t set, size_t width);

/* How the stacks of one class moved between samples. */
struct frames_motion {
	unsigned samples; /* of the stack that has the most */
	size_t stacks;
	size_t moved; /* how many are known to have run, or to have changed their frames */
	size_t still; /* how many are known not to have run */
	const struct job_stack *first; /* the first stack of the class */
	const struct job_stack *mover; /* the first of which frames differ; NULL none */
};

/* Returns how each class of the tree moved, by its index. The caller frees it. */
struct frames_motion *frames_motions(const struct stacktree *tree);

/*
 * Appends what a class of stacks does: "2 threads, still in 3 samples; in futex; holds the GIL".
 * All samples span `span` ns. Returns the cite; "" where several stacks tell of it.
 */
const char *frames_add_class(struct str *into, const struct stacktree *tree,
	const struct stacktree_class *class, const struct frames_motion *motion, int64_t span,
	bool utf8);

/* Appends "8 stacks of main threads, 2 classes; 3 samples in 2.2 s". */
void frames_add_summary(struct str *into, const struct stacktree *tree, bool all_threads,
	const struct disturbed *disturbed);

#endif
