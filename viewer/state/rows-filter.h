/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows-filter.h: which ranks a filter leaves. A filter is words with blanks between, all of which
 * must hold; "!" before one inverts it:
 *
 *	rank:0-7,512	world ranks
 *	host:node7	"@node7" is the same; "node*" takes all of these
 *	state:waiting	what it does now, by the legend's names (blanks left out)
 *	group:dp	has a seat in a group of that name; "dp*"
 *	op:#45		entered an operation that is called so, at any time
 *	frame:stall	has it on a stack: a function, file or module
 *	doing:codegen	stands in what it does now
 *	anything else	stands in what it does now, its state, its host, a group of it or a frame
 *			on its stacks; where nobody has it now, in an event that it had
 */
#ifndef VIEWER_ROWS_FILTER_H
#define VIEWER_ROWS_FILTER_H

#include "base/str.h"
#include "viewer/timeline/track.h"

/*
 * Clears keep[rank] of each rank that the filter leaves out. A text that is no filter leaves all.
 */
void rows_filter_apply(const struct tracks *tracks, const char *filter, bool *keep)
	__attribute__((nonnull));

/* Sets found[rank] of each rank that has the text on a stack. */
void rows_filter_frames(const struct job *job, const char *text, bool *found)
	__attribute__((nonnull));

#endif
