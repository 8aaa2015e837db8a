/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.h: what the library that a rank waits in looks like from outside: on stacks, in the last
 * words of ranks, and when its patience ends. One file a backend, backend-NAME.c; what differs
 * between their operations is a row of lists/backend.def.
 *
 * A list of texts ends with NULL; one that is NULL has none.
 */
#ifndef VERDICT_BACKEND_H
#define VERDICT_BACKEND_H

#include "verdict/limits.h"
#include "verdict/activities.h"
#include "verdict/profile.h"

struct backend {
	const char *name; /* as lists/backend.def has it; NULL: it makes no groups of its own */

	/* Its frames: which tell that a rank waits, and what in. */
	const struct activity_line *lines;
	size_t nlines;
	/* Those that say it better where they stand further out: INIT for the store within it. */
	const struct activity_line *better;
	size_t nbetter;
	/* The functions that programs call: the outermost names the call. */
	const struct stackfacts_place *calls;
	size_t ncalls;
	/* Who stands in the store within one of these waits for an id that rank 0 gives. */
	const struct stackfacts_place *ids;
	size_t nids;
	/* What stands before the names of its calls: they are compared without. */
	const char *const *prefixes;

	/* Patterns of modules: a frame of these without a name may be a wait for others; */
	const char *const *hides;
	/* who runs in these may be waiting all the while; */
	const char *const *spins;
	/* who is in these uses a GPU. */
	const char *const *on_gpu;

	/* Parts of lines by which a rank says that others failed, or that amounts differed. */
	const char *const *echoes;
	const char *const *mismatches;

	/* What ends such a wait, which has an age and a member; NULL: nothing that is known. */
	struct limit (*limit)(const struct job *job, const struct wait *wait);
	/* True if an abort() was only its own end, after the script's; NULL: never. */
	bool (*is_teardown)(const struct profile *p);
};

#define BACKEND_FILE(name) extern const struct backend backend_##name;
#include "lists/backend.def"

/* All of them, NULL behind the last; in the order in which their frames are asked for. */
extern const struct backend *const backends[];

/* The one that makes such groups (`maker` of struct job_group); NULL: none that is known. */
const struct backend *backend_of_maker(const char *maker) __attribute__((nonnull));

/* True if the text fits one of the patterns, or contains one of the parts; both take NULL. */
bool backend_fits(const char *text, const char *const *patterns);
bool backend_says(const char *text, const char *const *parts);

#endif
