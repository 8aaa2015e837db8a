/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.h: what the library that a rank waits in looks like from outside: on stacks, in the last
 * words of ranks, and when its patience ends. There is one file per backend, backend-NAME.c; what
 * differs between operations of backends is a row of lists/backend.def.
 *
 * A list of texts ends with NULL. A pointer that is NULL is an empty list.
 */
#ifndef VERDICT_BACKEND_H
#define VERDICT_BACKEND_H

#include "verdict/activities/activities.h"
#include "verdict/limits.h"
#include "verdict/profiles/profile.h"

struct backend {
	const char *name; /* as lists/backend.def has it; NULL: it makes no groups of its own */

	/* Frames by which a rank is seen to wait, and in what. */
	const struct activity_line *lines;
	size_t nlines;
	/*
	 * Frames further out that tell more exactly: INIT where the innermost wait is in the store.
	 */
	const struct activity_line *better;
	size_t nbetter;
	/* The functions that programs call: the outermost one on a stack names the call. */
	const struct stackfacts_place *calls;
	size_t ncalls;
	/* Calls within which a wait in the store is one for an id that rank 0 gives. */
	const struct stackfacts_place *ids;
	size_t nids;
	/* Calls that make a process's first group: until they return it has none. */
	const struct stackfacts_place *starts;
	size_t nstarts;
	/* Names of threads that only a process with a group of this backend has. */
	const char *const *threads;
	/* Prefixes of its calls' names; names are compared without them. */
	const char *const *prefixes;

	/* Patterns of modules: a frame of these without a name may be a wait for others; */
	const char *const *hides;
	/* a thread that runs in these may be waiting; */
	const char *const *spins;
	/* a thread in these uses a GPU. */
	const char *const *on_gpu;

	/* Parts of lines that the backend has written, of itself or of others. */
	const char *const *speaks;
	/* Parts of lines by which a rank says that others failed. */
	const char *const *echoes;
	/* Begins of what is told of a rank that ended the job by a call of the backend's. */
	const char *const *aborts;
	/* Parts by which it says that it waited for others until its own patience ended. */
	const char *const *vain;
	/* Parts by which it says that ranks brought different amounts or operations; */
	const char *const *mismatches;
	const char *const *enforces; /* parts that may mean that, or something else */
	/* Frames in which the backend ends a process over what another rank sent. */
	const struct stackfacts_place *rejects;
	size_t nrejects;

	/*
	 * Returns the limit that ends a wait which has an age and a member; NULL: no limit is
	 * known.
	 */
	struct limit (*limit)(const struct job *job, const struct wait *wait);
	/*
	 * True if an abort() came from the backend's own teardown, after the script's end; NULL:
	 * never.
	 */
	bool (*is_teardown)(const struct profile *p);
};

#define BACKEND_FILE(name) extern const struct backend backend_##name;
#include "lists/backend.def"

/* All backends, NULL behind the last, in the order in which their frames are asked for. */
extern const struct backend *const backends[];

/* True if the text fits one of the patterns (stackfacts.h); NULL is an empty list. */
bool backend_fits(const char *text, const char *const *patterns);
/* True if the text contains one of the parts, in upper or lower case; NULL is an empty list. */
bool backend_says(const char *text, const char *const *parts);

#endif
