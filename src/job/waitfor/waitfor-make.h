/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waitfor-make.h: one wait-for graph in the making. For the waitfor-*.c only: each of them adds the
 * edges of one kind of wait to the nodes that waitfor.c has made.
 */
#ifndef JOB_WAITFOR_MAKE_H
#define JOB_WAITFOR_MAKE_H

#include "base/array.h"
#include "job/waitfor/waitfor.h"

/* One node waits for another. */
struct waitfor_edge {
	int from;
	int to;
};

/* An op somebody waits in, before it has a node. */
struct waitfor_waited {
	int group;
	uint64_t index;
	int node;
	bool sure; /* by some wait: it is open */
};

/* A key of the store that somebody waits for. */
struct waitfor_key {
	const char *key;
	size_t wait; /* the first for it */
	size_t n;    /* how many wait for it */
	int node;
};

struct waitfor_maker {
	const struct job *job;
	const struct waits *waits;
	const struct waitfor_given *given;
	struct waitfor *graph;
	ARRAY(struct waitfor_node) nodes;
	ARRAY(struct waitfor_edge) edges;
	ARRAY(struct waitfor_waited) ops;  /* by group, index; each once */
	ARRAY(struct waitfor_edge) orders; /* of untracked ops: a reason only where they differ */
	ARRAY(struct waitfor_key) keys; /* of the store, each once, in order */
	int *init_node;            /* per group */
	int *split_node;           /* per group */
	int *fork_node;            /* per group */
	int *stopped_node;         /* per rank */
	int *caller_node;          /* per thread */
	int *loose_node;           /* two per rank */
};

/* Adds a node; gives its index: the nodes may move with the next one. */
int waitfor_add_node(
	struct waitfor_maker *m, enum waitfor_kind kind, struct rank_index rank, int group);
/* Adds an edge, unless from and to are one. */
void waitfor_add_edge(struct waitfor_maker *m, int from, int to);

/* The node of a rank that stopped inside an op. Made when first asked. */
int waitfor_stopped_node(struct waitfor_maker *m, struct rank_index rank);
/* The node of a group's fork. Made when first asked. */
int waitfor_fork_node(struct waitfor_maker *m, int group);

/* The group of a wait; JOB_NONE where it is of none. */
int waitfor_group_of(const struct job *job, const struct wait *wait);
/* True if an op lies at its group's fork or beyond, where indexes mean different ops to camps. */
bool waitfor_is_forked(const struct waitfor_maker *m, int group, uint64_t index);

/*
 * True if a rank's wait is an edge: never where it is over; if held where it does other things; not
 * while another of its threads may yet go on.
 */
bool waitfor_follows(const struct waitfor_maker *m, const struct wait *wait);

/*
 * The node for a seat that has not come, to its next message or else collective: its rank, or that
 * thread of it which has to come (waitfor-callers.c). Once all waits have their nodes.
 */
int waitfor_seat_node(struct waitfor_maker *m, const struct job_member *member, bool p2p);

/*
 * Joins the ranks that have not come (waitfor-missing.c): to all waited ops, inits and splits; to
 * one pair.
 */
void waitfor_join_missing(struct waitfor_maker *m);
/* To all forks, once those have their nodes. */
void waitfor_join_forks(struct waitfor_maker *m);
void waitfor_join_pair(struct waitfor_maker *m, int node, const struct wait *wait);

/*
 * Joins what ranks launched before, and what holds up exchanges; then orders that ranks took
 * opposite (waitfor-launches.c).
 */
void waitfor_join_launches(struct waitfor_maker *m);

/* Waits for keys of the store (waitfor-store.c): a node for each, and who may have to set it. */
void waitfor_collect_keys(struct waitfor_maker *m);
int waitfor_key_node(const struct waitfor_maker *m, const char *key);
void waitfor_join_keys(struct waitfor_maker *m);

/* All waits of a job of which only stacks tell (waitfor-told.c). */
void waitfor_join_told(struct waitfor_maker *m);

#endif
