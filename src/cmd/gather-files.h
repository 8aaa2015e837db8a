/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_GATHER_FILES_H
#define CMD_GATHER_FILES_H

/* Gathers what a job left from paths: bundles, folders of them, cores, Flight Recorder dumps. */

#include <stdbool.h>
#include <stddef.h>

#include "cmd/bundle-groups.h"
#include "evidence/format/exhibit.h"

struct gathered {
	struct evidence *into;
	bool quiet; /* nothing is said on stderr: a terminal is drawn on */
	size_t bundles, cores, dumps; /* paths that gave such */
	struct bundle_groups groups;      /* the jobs that were there, and were left out */
	struct str left_out;   /* the same in words; empty: none was */
};

/*
 * Adds what is in all paths; one that cannot be read is complained of, and is a gap as long as
 * another can. Bundles come first, whatever the order: they tell whose the cores are. If they are
 * of several jobs, the newest is taken. gathered_release() it.
 */
void gather_files(struct gathered *gathered, const char *const *paths, size_t n);

/* Frees all but `into`, which is the caller's. */
void gathered_release(struct gathered *gathered);

#endif
