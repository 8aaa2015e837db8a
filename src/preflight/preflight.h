/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.h: what a machine lacks for a launch, seen before it. Each check looks at one thing in
 * a process of its own, which has a deadline: a driver or a file system that hangs costs its check,
 * and that is said. Nothing is launched, changed or tuned.
 *
 * What could not be looked at is PREFLIGHT_NONE, with the reason. It is never taken for well.
 */
#ifndef PREFLIGHT_PREFLIGHT_H
#define PREFLIGHT_PREFLIGHT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "evidence/gather/storage-places.h"

/* How well a thing is, the worst last. */
enum preflight_grade {
	PREFLIGHT_OK,
	PREFLIGHT_NONE, /* not looked at, or nothing to look at */
	PREFLIGHT_WARN,
	PREFLIGHT_FAIL,
};

/* One thing that was looked at. Its texts may hold what others wrote: escape them. */
struct preflight_line {
	enum preflight_grade grade;
	bool detail; /* told where all is asked for */
	char *says;
	char *fix;  /* "" none */
	char *from; /* what it was seen in: nvml, mountinfo:/ckpt, a path */
};

/* A place that the job will use, and what for. */
struct preflight_path {
	enum storage_role role;
	const char *path;
};

/* The launch that is meant. All is the caller's. */
struct preflight_wish {
	char *const *argv; /* NULL-ended; NULL: no command was told */
	char *const *env;  /* NULL-ended: the job's environment */
	int ranks;	   /* on this machine; -1 not told */
	int hosts;	   /* -1 not told */
	const char *gpus;  /* a word of the name that each GPU must have; NULL: any */
	bool pcie;	   /* GPUs without NVLink are meant */
	bool unmeasured;   /* nothing is run on the GPUs */
	int deadline_s;	   /* of each check; 0: as long as that check may need */
	double bandwidth;  /* all_reduce_perf must reach so many GB/s; 0: no bound */
	const struct preflight_path *paths;
	size_t nr_paths;
};

/* What was seen. {0} at first; preflight_release() it. */
struct preflight {
	ARRAY(struct preflight_line) lines; /* in the order of the checks */
};

/* Looks. Takes as long as the slowest check, at most its deadline; preflight_release() it. */
void preflight_look(const struct preflight_wish *wish, struct preflight *ret)
	__attribute__((nonnull));

/* Returns how many lines have that grade. */
size_t preflight_count(const struct preflight *preflight, enum preflight_grade grade)
	__attribute__((nonnull));

/* Frees the lines and leaves none. */
void preflight_release(struct preflight *preflight) __attribute__((nonnull));

#endif
