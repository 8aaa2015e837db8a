/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waitfor.h: the wait-for graph: who waits for whom, followed to where it ends. Its edges:
 *
 *  rank  --> what it waits in, if a host thread is held there (or softly, see below)
 *  op    --> the seats that have not entered it, by their own word; or only the threads of theirs
 *            that call there (waitfor-callers.c)
 *  op    --> where all have entered it, an earlier one of the group that is open somewhere
 *  op    --> where all known members have entered it, and dumps do not say who else is one: the
 *            few ranks that wait in nothing, if all others wait
 *  op    --> the incomplete op that one of its members launched before it; a P2P call likewise,
 *            for both of its sides, what is before it on the same stream
 *  fork  --> the seats that have not come to where the others went different ways, if their
 *            hosts drive it
 *  op    --> members that died or are frozen, where all have entered it
 *  op    --> members that began it and are in no call, if their hosts drive it
 *  init  --> the seats that have not begun it; of a bootstrap group the one that gives the id
 *  split --> the seats of the old group that have begun fewer splits
 *  P2P   --> the peer that has not made the matching call; where it has, a message of the same
 *            exchange (what was launched with either side) that lacks its peer
 *  lock  --> the rank that has it
 *  key   --> the few ranks that wait in nothing, where all others wait for that key
 *  told  --> where only stacks tell: the ranks that are elsewhere, or those of them that ended
 *
 * A receive that is ahead (waits.h) is an edge where it closes no circle: it is a guess that
 * explains why a rank does not come, and no known wait.
 *
 * An op waits for everybody, so following any edge leads to a reason. The ends are sinks: ranks
 * that wait for nothing, and ops where nobody known is missing. Strongly connected parts with no
 * way out are cycles: nothing in them can ever move.
 *
 * A rank whose streams wait while no thread of it is held may be inside a synchronisation that
 * nobody hooks. Its edge is soft: followed unless the caller says that the rank stands on its own.
 *
 * Where a rank launched much before, its launches are joined by blocks that are nodes, too
 * (waitfor-earlier.c): they say what an edge to each launch would say.
 *
 * Op nodes are chained by index (what waits in #9 also waits for those that #7 waits for), so edges
 * grow with seats and waits, never with ranks squared.
 */
#ifndef JOB_WAITFOR_H
#define JOB_WAITFOR_H

#include "job/waitfor/waits.h"

/* How far a rank's own state explains that it is not where others wait for it. */
enum waitfor_stand {
	WAITFOR_FOLLOW, /* nothing explains it: all its waits are followed */
	WAITFOR_STANDS, /* it does something else (compiles, ...): only held waits are followed */
	WAITFOR_FINAL,  /* it is over (died of its own, ...): nothing is followed */
};

/* Facts that the caller knows better than the graph. */
struct waitfor_given {
	const enum waitfor_stand *stands; /* per rank */
	const bool *stopped;              /* per rank: dead or frozen: it holds ops that all are
					   * in */
	const uint64_t *forked;   /* per group: index of a fork that explains waits; 0 none */
	const int64_t *threshold; /* per group: ns from which a wait there stands */
	const int64_t *threshold_p2p; /* per group: ns for its messages */
	const int64_t *threshold_init; /* per group: ns for its init */
	int64_t threshold_store;  /* ns for keys of the store */
	int64_t threshold_told;   /* ns for operations of which only stacks tell */
	int64_t threshold_else;   /* ns for other waits without a group */
};

enum waitfor_kind {
	WAITFOR_RANK,
	WAITFOR_THREAD, /* a thread of a rank, for which others wait */
	WAITFOR_STOPPED, /* a rank that died or froze inside an op where all are */
	WAITFOR_OP,
	WAITFOR_INIT,
	WAITFOR_SPLIT, /* the split of a group into others */
	WAITFOR_PAIR, /* one P2P call */
	WAITFOR_FORK, /* the group went different ways */
	WAITFOR_STORE, /* a key of the store */
	WAITFOR_SYNC, /* a synchronisation, a close or another call of one rank */
	WAITFOR_LOCK, /* the lock of a file, for which one rank waits */
	WAITFOR_EARLIER, /* several ops and messages that one rank launched: all of them */
};

struct waitfor_node {
	enum waitfor_kind kind;
	struct rank_index rank; /* RANK, THREAD, STOPPED, SYNC, LOCK */
	int group;       /* OP, INIT, SPLIT, FORK; JOB_NONE else */
	uint64_t index;  /* OP */
	int wait;        /* PAIR, STORE, SYNC, LOCK: index into waits (of a key: the first) */
	bool unknown;    /* there are members without evidence: they may be the missing ones */
	bool absent;     /* OP, INIT, SPLIT, FORK, PAIR: a seat is missing by its own word */
	bool loose;      /* THREAD: that it waits for what its rank waits in is a guess: it may
			  * close no circle */
	bool perhaps;    /* THREAD: that guess leads on no wait surely, either */
	bool guessed;    /* OP: the missing seats are guessed: ranks that wait in nothing, or
			    several of which not all need be waited for */
	size_t late;     /* STORE, where only stacks tell: so many may be missing there, those to
			    whom an edge leads among them */
	int part;        /* its strongly connected part: lower numbers are nearer to the sinks */
	int64_t reached; /* the longest standing wait that leads here, 0 of none the age is known;
			    JOB_UNKNOWN none */
	bool unsure;     /* only guesses lead that wait here */
};

struct waitfor_part {
	size_t n;     /* nodes in it */
	bool way_out; /* an edge leads to another part */
};

struct waitfor {
	const struct job *job;
	const struct waits *waits;
	struct waitfor_node *nodes;
	size_t nnodes;
	int *edges;         /* targets of edges, ordered by source */
	size_t *first_edge; /* per node, and one beyond: where its edges begin */
	struct waitfor_part *parts;
	size_t nparts;
	int *node_of_wait; /* per wait; JOB_NONE: leads nowhere */
	size_t *waits_at;   /* indexes of waits, those that lead to one node together, in order */
	size_t *first_wait; /* per node, and one beyond: where its own begin in `waits_at` */
};

/* Runs the statement behind it for each `place` in `waits_at` whose wait leads to that node. */
#define waitfor_each_wait(graph, node, place)                                                      \
	for (size_t place = (graph)->first_wait[node]; place < (graph)->first_wait[(node) + 1];    \
		place++)

/*
 * Builds the graph; never NULL. It points to job and waits, which must outlive it; `given` is read
 * here only. Nodes 0 to nranks - 1 are the ranks.
 */
struct waitfor *waitfor_new(
	const struct job *job, const struct waits *waits, const struct waitfor_given *given);
/* Frees the graph, neither the job nor the waits. Takes NULL. */
void waitfor_free(struct waitfor *graph);

/* Returns the age, ns, beyond which such a wait is a hang. */
int64_t waitfor_threshold(
	const struct job *job, const struct wait *wait, const struct waitfor_given *given);

/* True if a wait is long enough to blame somebody for it. */
bool waitfor_stands(
	const struct job *job, const struct wait *wait, const struct waitfor_given *given);

/* Returns the first place of that node whose wait is of that rank, or of one behind it. */
size_t waitfor_first_of(const struct waitfor *graph, size_t node, struct rank_index rank);

/*
 * True if only a guess says that the rank is waited for, or that it waits: who waits for a message
 * that was begun is not seen, and whoever that is may keep others in its turn. `node`: the one by
 * which the rank is a sink.
 */
bool waitfor_is_guess(const struct waitfor *graph, struct rank_index rank, int node);

/*
 * Returns how many of the wanted ranks are kept only by a guess: each may be one more that does not
 * come. `wanted`: per rank.
 */
size_t waitfor_count_guessed(const struct waitfor *graph, const bool *wanted);

/*
 * Marks every rank, victims[rank], that waits for one of the marked nodes, directly or not; also by
 * a message of which nobody knows whether its peer came, since that blames nobody. Only standing
 * waits count. `marked`: per node. Ranks that are marked themselves are no victims.
 */
void waitfor_victims(const struct waitfor *graph, const struct waitfor_given *given,
	const bool *marked, bool *victims);

#endif
