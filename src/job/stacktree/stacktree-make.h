/* SPDX-License-Identifier: Apache-2.0 */
/* stacktree-make.h: a tree while it grows: for the files that make it. */
#ifndef JOB_STACKTREE_MAKE_H
#define JOB_STACKTREE_MAKE_H

#include "base/arena.h"
#include "base/array.h"
#include "job/stacktree/stacktree.h"

/* In paths, behind all frames: why a stack has no outermost frames, or none at all. */
#define PATH_CUT  0x80000000u
#define PATH_NONE 0xc0000000u
#define PATH_KIND 0xc0000000u

/* A path that at least one stack takes. */
struct path {
	size_t from; /* in `steps` */
	uint32_t len;
	uint32_t number; /* in the order of their finding */
	uint64_t hash;
	int node; /* where it ends */
};

struct planting {
	struct stacktree tree; /* first: it is what the caller holds */
	struct arena arena;    /* of all that it points to */
	ARRAY(uint32_t) steps;
	ARRAY(struct path) paths;
	uint32_t *slots; /* 1 + path, 0 free; open addressing */
	size_t nslots;
	ARRAY(const char *) cuts; /* words of PATH_CUT and PATH_NONE, each once */
	ARRAY(uint32_t) stacks;
	ARRAY(struct rank_index) members; /* of each stack */
	ARRAY(uint32_t) ways; /* the path of each stack */
	struct stacktree_node *nodes;
	int *heads; /* of each node: the one in its chain whose set is collected */
};

/* stacktree-paths.c: notes the job's stack of that number, and the path that it takes. */
void stacktree_add_stack(struct planting *p, size_t i, const struct stacktree_options *options);

/* stacktree-sets.c: who passes each node and who ends in it, when all nodes are there. */
void stacktree_gather_sets(struct planting *p);

#endif
