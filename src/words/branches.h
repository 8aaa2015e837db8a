/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack tree as lines: a chain of frames stands below one another, a fork indents, and a
 * recursion is one line.
 */
#ifndef WORDS_BRANCHES_H
#define WORDS_BRANCHES_H

#include "base/array.h"
#include "base/str.h"
#include "job/stacktree/stacktree.h"

/* A line of the tree. */
struct branch {
	int node;	/* its node; of a recursion the outermost */
	int last;	/* the innermost node of the recursion; else the same */
	unsigned times; /* how often the same frame stands there, at least once */
	unsigned depth; /* how many forks are above it */
	bool fork;	/* true if not all who pass the line above pass here */
};

/* The lines of a tree. branches_release() it. */
struct branches {
	ARRAY(struct branch) all; /* in the order of a page, without the root */
};

/* Returns all lines of a tree, in time linear in its nodes. The caller calls branches_release(). */
struct branches branches_of(const struct stacktree *tree);
/* Frees the lines; the tree stays its owner's. */
void branches_release(struct branches *branches);

/* Appends what the line says: "step (3 times)", "recv (died here)", "(no stack: ...)". */
void branches_add_name(struct str *into, const struct stacktree *tree, const struct branch *branch,
	bool utf8);

#endif
