/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiles.h: what a rank compiles now, and which graphs it has compiled.
 *
 * Compile spans lie in each other: a bracket around all of it, in it a span "graph N/M" per graph
 * (its compile id; the detail is the graph's identity), in that the phases ("aot", "inductor
 * codegen", ...). A program that marks its own compiles gives a name and an identity as it likes.
 */
#ifndef JOB_COMPILES_H
#define JOB_COMPILES_H

#include "job/job.h"

/* The open compile spans of a rank; all NULL where it compiles nothing. */
struct compiling {
	const struct job_span *bracket; /* the outermost: how long it has been compiling */
	const struct job_span *phase;	/* the innermost that is not a graph's; if all are, the
					 * innermost graph's */
	const struct job_span *graph;	/* the innermost that is a graph's */
	const struct job_span *device;	/* open while the compiler waits for the GPU */
	const struct job_span *lock;	/* open while it waits for a lock that another process
					 * holds */
};

/* Returns what the rank compiles now. Points into the job. */
struct compiling compiles_open(const struct job *job, struct rank_index rank);

/*
 * Returns the compile id in the name of a graph's span: "0/1" of "graph 0/1"; NULL for other spans.
 */
const char *compiles_graph_id(const struct job_span *span);

/* A graph that a rank compiled: `id` is its compile id, else the span's name. */
struct compiled_graph {
	const char *id;
	const char *identity;
	const struct job_span *span;
};

struct compiled_graphs {
	struct compiled_graph *at; /* by id, its numbers compared as numbers; of one id only the
				    * latest */
	size_t n;
};

/*
 * Returns the graphs that the rank compiled and whose identity is known. compiles_release() frees
 * the list.
 */
struct compiled_graphs compiles_graphs(const struct job *job, struct rank_index rank);
/* Frees the list; the graphs are the job's. */
void compiles_release(struct compiled_graphs *graphs);

/* The first graph in which two ranks differ: how each compiled it; NULL: it did not. */
struct graph_difference {
	const struct compiled_graph *mine, *theirs;
};

/*
 * True if two ranks compiled different graphs: *ret is the first of them. Ranks that compiled the
 * same graphs under other ids do not differ, nor does a rank of which no graph is known.
 */
bool compiles_differ(const struct compiled_graphs *mine, const struct compiled_graphs *theirs,
	struct graph_difference *ret);

#endif
