/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_GATHER_FILES_H
#define CMD_GATHER_FILES_H

/*
 * Gathers what a job left from paths: bundles, folders of them, cores, Flight Recorder dumps, logs.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/array.h"
#include "cmd/budget.h"
#include "cmd/bundle-groups.h"
#include "evidence/format/exhibit.h"
#include "evidence/gather/remains/remains.h"
#include "words/page.h"

/* What was found in the paths. */
struct gathered {
	struct evidence *into;
	struct budget *budget; /* it watches, and is told what is read; or NULL */
	bool quiet; /* true to say nothing on stderr, as for the viewer, which draws on the
		     * terminal */
	size_t bundles, cores, dumps; /* how many paths gave evidence of each kind */
	size_t logs;		      /* how many files did, of what others left */
	struct remains remains;		  /* the files that lay in the paths, and what they were
					   * taken for */
	struct arena arena;
	ARRAY(struct page_file) files;	  /* the same for a report; none where only one was
					   * given, and taken */
	struct bundle_groups groups;      /* the jobs, of which one is taken */
	struct str left_out;   /* the others in words; empty: there are none */
};

/*
 * Adds the evidence in all paths. A path that cannot be read is complained of, and is a gap if
 * another one can be read. Bundles are read first, in whatever order they are given, since they
 * tell which ranks the cores are of. Of several jobs the newest is taken. The caller calls
 * gathered_release().
 */
void gather_files(struct gathered *gathered, const char *const *paths, size_t n);

/* Frees all but `into`, which is the caller's. */
void gathered_release(struct gathered *gathered);

#endif
