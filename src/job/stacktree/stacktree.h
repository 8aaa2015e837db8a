/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacktree.h: the stacks of all ranks as one tree, its root at the outermost frames. Ranks whose
 * stacks begin alike share nodes; the tree forks where one rank is somewhere else.
 *
 *	0-7		  <module> train.py:12
 *	0-7		  step train.py:88
 *	3		    load data.py:7
 *	0-2,4-7	  all_reduce comm.py:60
 *
 * Stacks of equal rank sets are one CLASS. Classes and branches come with the odd one out first:
 * the one with the fewest members, then with the lowest; a branch of a rank that died comes before
 * all others. Classes whose stacks are not whole come behind the whole ones, and those without any
 * stack last: not to be readable is not to be odd.
 *
 * A MEMBER is an index into job->ranks; a process of no rank is nranks + its index.
 */
#ifndef JOB_STACKTREE_H
#define JOB_STACKTREE_H

#include "job/job.h"

struct stacktree_options {
	bool all;      /* all threads, children's included; else only the main threads of ranks'
		        * processes */
	bool plumbing; /* keep the interpreter's own frames, and those by which it was started */
};

enum stacktree_kind {
	STACKTREE_ROOT,
	STACKTREE_FRAME,
	/*
	 * As a child of the root: below it are stacks whose outermost frames are unknown.
	 * Elsewhere: here end threads that ran, whose innermost frames are unknown.
	 */
	STACKTREE_CUT,
	STACKTREE_NONE, /* here end threads without a stack: `cut` says why */
};

struct stacktree_node {
	int parent; /* JOB_NONE: the root, node 0 */
	int child;  /* its first child; JOB_NONE none */
	int next;   /* the parent's next child; JOB_NONE none */
	enum stacktree_kind kind;
	uint32_t frame;	  /* FRAME: index into job->frames */
	const char *cut;  /* CUT and NONE: why; "" in others */
	uint32_t set;	  /* who passes here: an index into sets */
	uint32_t threads; /* how many threads pass here */
	uint32_t ends;	  /* how many of these threads have their innermost frame here */
	uint32_t end_set; /* whose threads these are: an index into sets; meaningless if `ends`
			   * is 0 */
	bool died;	  /* a thread that died of a signal passes here */
};

/* Members, ascending, each once. No two sets of a tree are equal. */
struct stacktree_set {
	const struct rank_index *at;
	size_t n;
};

struct stacktree_class {
	uint32_t set;
	bool whole;	   /* both ends of its stacks are known */
	bool none;	   /* its threads have no stack */
	const int *leaves; /* nodes in which its stacks end */
	size_t nleaves;
	uint32_t threads;
};

struct stacktree {
	const struct job *job;
	const struct stacktree_node *nodes; /* parents before children */
	size_t nnodes;
	const struct stacktree_set *sets;
	size_t nsets;
	const struct stacktree_class *classes;
	size_t nclasses;
	const uint32_t *stacks; /* the stacks in the tree, as indexes into job->stacks, ascending */
	const int *ends;	/* per stack: the node where it ends */
	size_t nstacks;
	size_t hidden; /* frames of plumbing that were left out */
};

/*
 * Makes the tree of a job's stacks; never NULL, even without stacks. It points into the job;
 * stacktree_free() it before the job.
 */
struct stacktree *stacktree_new(const struct job *job, const struct stacktree_options *options)
	__attribute__((nonnull));

/*
 * Puts the frames on the way to a node into ret, innermost first, as many as there is room for;
 * returns how many there are.
 */
size_t stacktree_path(const struct stacktree *tree, int node, uint32_t *ret, size_t room)
	__attribute__((nonnull(1)));

/* Frees the tree; NULL is fine. */
void stacktree_free(struct stacktree *tree);

#endif
