/* SPDX-License-Identifier: Apache-2.0 */
/* treelines.h: a stack tree as lines of the stacks pane: made once a look, however often drawn. */
#ifndef VIEWER_TREELINES_H
#define VIEWER_TREELINES_H

#include "verdict/activities/activities.h"
#include "words/branches.h"
#include "words/frames.h"

struct treelines {
	const struct stacktree *tree;
	struct branches branches;
	struct frames_motion *motions; /* of its classes */
	uint32_t *of_node;	       /* the branch that each node is drawn in */
};

/* Makes the lines. Never NULL; the tree must outlive it. Linear in the tree and its stacks. */
struct treelines *treelines_new(const struct stacktree *tree) __attribute__((nonnull));
/* Frees them; NULL is fine. */
void treelines_free(struct treelines *lines);

/*
 * Returns where the rank's own program stands: the node of the innermost frame that is not a
 * library's, on the stack that its posture (NULL: none is known) or else its main thread has; where
 * no frame is known to be the program's, the stack's end, and *ret_known is false. JOB_NONE: it has
 * no stack in the tree.
 */
int treelines_own(const struct treelines *lines, struct rank_index rank,
	const struct posture *posture, bool *ret_known) __attribute__((nonnull(1, 4)));

#endif
