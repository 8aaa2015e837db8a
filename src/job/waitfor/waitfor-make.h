/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waitfor-make.h: one wait-for graph in the making. For the waitfor*.c only: each of them adds the
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

/* An op that somebody waits in. */
struct waitfor_waited {
	int group;
	uint64_t index;
	int node;
	bool sure; /* some wait for it is sure: it is open */
};

/* A key of the store that somebody waits for. */
struct waitfor_key {
	const char *key;
	size_t wait; /* index of the first wait for it */
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
	ARRAY(struct waitfor_waited) ops;  /* each op once, by group and index */
	ARRAY(struct waitfor_edge) orders; /* between untracked ops: they count only where two
					    * are opposite */
	ARRAY(struct waitfor_key) keys; /* keys of the store, each once, in order */
	int *init_node;            /* per group; JOB_NONE: not made yet, as in all of these */
	int *split_node;           /* per group */
	int *fork_node;            /* per group */
	int *stopped_node;         /* per rank */
	int *caller_node;          /* per thread */
	int *loose_node;           /* two per rank: without and with `perhaps` */
};

/*
 * Adds a node and returns its index. Pointers to nodes are valid only until the next one is added.
 */
int waitfor_add_node(
	struct waitfor_maker *m, enum waitfor_kind kind, struct rank_index rank, int group);
/* Adds an edge, unless from and to are one. */
void waitfor_add_edge(struct waitfor_maker *m, int from, int to);

/* Returns the node of a rank that stopped inside an op; makes it when first asked. */
int waitfor_stopped_node(struct waitfor_maker *m, struct rank_index rank);
/* Returns the node of a group's fork; makes it when first asked. */
int waitfor_fork_node(struct waitfor_maker *m, int group);

/*
 * True if only a dump tells of the rank: it has the order of launches and no streams. A later
 * launch may then wait for any earlier one, by a stream that both have or by one that waits for
 * both: where an earlier one is open, that the later one is open explains nothing.
 */
bool waitfor_hides_streams(const struct waitfor_maker *m, struct rank_index rank);

/* Returns the group of a wait; JOB_NONE where it has none. */
int waitfor_group_of(const struct job *job, const struct wait *wait);
/*
 * True if an op lies at its group's fork or beyond, where one index means different ops to
 * different camps.
 */
bool waitfor_is_forked(const struct waitfor_maker *m, int group, uint64_t index);

/*
 * True if a rank's wait is an edge. Of a rank that is over none is; of one that does other things
 * only waits in which it is held; a wait beside which another thread went on only once it stands.
 */
bool waitfor_follows(const struct waitfor_maker *m, const struct wait *wait);

/*
 * Returns the node for a seat that has not come to its next message (`p2p`) or collective: its
 * rank, or the thread of it that has to come (waitfor-callers.c). Valid once all waits have their
 * nodes.
 */
int waitfor_seat_node(struct waitfor_maker *m, const struct job_member *member, bool p2p);

/*
 * Joins ops, inits and splits that somebody waits in to the ranks that have not come to them
 * (waitfor-missing.c).
 */
void waitfor_join_missing(struct waitfor_maker *m);
/* Likewise joins all forks, once they have their nodes. */
void waitfor_join_forks(struct waitfor_maker *m);
/* Likewise joins one send or receive to its peer. */
void waitfor_join_pair(struct waitfor_maker *m, int node, const struct wait *wait);

/*
 * Joins ops to what ranks launched before them, and messages to what holds up their exchange; then
 * untracked ops that ranks launched in opposite orders (waitfor-launches.c).
 */
void waitfor_join_launches(struct waitfor_maker *m);

/* Makes a node for each key of the store that somebody waits for (waitfor-store.c). */
void waitfor_collect_keys(struct waitfor_maker *m);
/* Returns the node of a key that waitfor_collect_keys() has seen; asked for no other. */
int waitfor_key_node(const struct waitfor_maker *m, const char *key);
/* Joins keys to the ranks that may have to set them. */
void waitfor_join_keys(struct waitfor_maker *m);

/* Joins all waits of a job of which only stacks tell (waitfor-told.c). */
void waitfor_join_told(struct waitfor_maker *m);

#endif
