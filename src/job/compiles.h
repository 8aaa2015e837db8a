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
	const struct job_span *phase;	/* the innermost that is no graph's, else the innermost */
	const struct job_span *graph;	/* the innermost that is a graph's */
	const struct job_span *device;	/* in it the compiler waits for the GPU */
	const struct job_span *lock;	/* in it it waits for a lock that another process holds */
};

/* What of that the rank is in now. */
struct compiling compiles_open(const struct job *job, struct rank_index rank);

/* The compile id in the name of a graph's span: "0/1" of "graph 0/1"; NULL for any other. */
const char *compiles_graph_id(const struct job_span *span);

/* A graph that a rank compiled: `id` is its compile id, else the span's name. */
struct compiled_graph {
	const char *id;
	const char *identity;
	const struct job_span *span;
};

struct compiled_graphs {
	struct compiled_graph *at; /* by id: numbers as numbers; one id once, the latest */
	size_t n;
};

/* The graphs of that rank whose identity is known. compiles_release() frees it. */
struct compiled_graphs compiles_graphs(const struct job *job, struct rank_index rank);
/* Frees the list; the graphs are the job's. */
void compiles_release(struct compiled_graphs *graphs);

/* The first graph in which two ranks differ: the span of each there; NULL: not compiled. */
struct graph_difference {
	const struct compiled_graph *mine, *theirs;
};

/*
 * True if they differ; `ret` tells where first. Ranks that compiled the same graphs under other
 * ids do not differ; with no graph known on one side nothing does.
 */
bool compiles_differ(const struct compiled_graphs *mine, const struct compiled_graphs *theirs,
	struct graph_difference *ret);

#endif
