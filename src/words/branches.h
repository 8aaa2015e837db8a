/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branches.h: a stack tree as lines: a chain of frames stands below one another, a fork indents,
 * and a recursion is one line.
 */
#ifndef WORDS_BRANCHES_H
#define WORDS_BRANCHES_H

#include "base/array.h"
#include "base/str.h"
#include "job/stacktree/stacktree.h"

struct branch {
	int node;	/* the outermost, of a recursion */
	int last;	/* and its innermost */
	unsigned times; /* so often the same frame, at least once */
	unsigned depth; /* forks above it */
	bool fork;	/* not all who pass the line above pass here */
};

struct branches {
	ARRAY(struct branch) all; /* in the order of a page, without the root */
};

/* All lines of a tree; the caller releases. Linear in its nodes. */
struct branches branches_of(const struct stacktree *tree);
/* Frees the lines; the tree is its owner's. */
void branches_release(struct branches *branches);

/* Appends what stands there: "step (3 times)", "recv (died here)", "(no stack: ...)". */
void branches_add_name(struct str *into, const struct stacktree *tree, const struct branch *branch,
	bool utf8);

#endif
