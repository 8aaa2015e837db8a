/* SPDX-License-Identifier: Apache-2.0 */
/* stacktree-make.h: a tree while it grows. For the stacktree*.c only. */
#ifndef JOB_STACKTREE_MAKE_H
#define JOB_STACKTREE_MAKE_H

#include "base/arena.h"
#include "base/array.h"
#include "job/stacktree/stacktree.h"

/*
 * Steps of a path that are no frames: the rest is the number in `cuts` of why a stack has no
 * outermost frames (CUT), or none at all (NONE). Greater than every frame's number.
 */
#define PATH_CUT  0x80000000u
#define PATH_NONE 0xc0000000u
#define PATH_KIND 0xc0000000u

/* A path that at least one stack takes. */
struct path {
	size_t from; /* where it begins in `steps` */
	uint32_t len;
	uint32_t number; /* in the order of their finding */
	uint64_t hash;
	int node; /* the node where it ends */
};

struct planting {
	struct stacktree tree; /* first: it is what the caller holds */
	struct arena arena;    /* all that the tree points to lies here */
	ARRAY(uint32_t) steps; /* all paths, one behind the other */
	ARRAY(struct path) paths;
	uint32_t *slots; /* 1 + path, 0 free; open addressing */
	size_t nslots;
	ARRAY(const char *) cuts; /* words of PATH_CUT and PATH_NONE, each once */
	ARRAY(uint32_t) stacks; /* their indexes in the job, ascending */
	ARRAY(struct rank_index) members; /* per stack: its member */
	ARRAY(uint32_t) ways; /* per stack: the number of its path */
	struct stacktree_node *nodes;
	int *heads; /* per node: the node in its chain whose set is collected */
};

/* Adds the job's stack of that number with the path that it takes (stacktree-paths.c). */
void stacktree_add_stack(struct planting *p, size_t i, const struct stacktree_options *options);

/* Finds who passes each node and who ends in it, once all nodes are there (stacktree-sets.c). */
void stacktree_gather_sets(struct planting *p);

#endif
