/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_GATHER_FILES_H
#define CMD_GATHER_FILES_H

/* Gathers what a job left from paths: bundles, folders of them, cores, Flight Recorder dumps. */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/array.h"
#include "cmd/budget.h"
#include "cmd/bundle-groups.h"
#include "evidence/format/exhibit.h"
#include "evidence/gather/remains.h"
#include "words/page.h"

struct gathered {
	struct evidence *into;
	struct budget *budget; /* watched, or NULL: told what is read */
	bool quiet; /* says nothing on stderr: the viewer draws on the terminal */
	size_t bundles, cores, dumps; /* paths that gave evidence */
	size_t logs;		      /* files that did, of what others left */
	struct remains remains;		  /* what lay in the paths, and for what it was taken */
	struct arena arena;
	ARRAY(struct page_file) files;	  /* the same for a report; none where one was given */
	struct bundle_groups groups;      /* the jobs that were left out */
	struct str left_out;   /* the same in words; empty: none was */
};

/*
 * Adds the evidence in all paths. An unreadable one is complained of, and becomes a gap if another
 * can be read. Bundles come first, in whatever order they are given: they tell which ranks the
 * cores are of. Of several jobs the newest is taken. gathered_release() it.
 */
void gather_files(struct gathered *gathered, const char *const *paths, size_t n);

/* Frees all but `into`, which is the caller's. */
void gathered_release(struct gathered *gathered);

#endif
