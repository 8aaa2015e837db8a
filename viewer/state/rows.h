/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h: which ranks share a row. Ranks that do not fit are folded: those that are equal in what
 * the verdict and the evidence say of them are one class ("0-2,4-7"). Eight ranks are eight rows;
 * ten thousand are a handful. Culprits come first and are never folded with anybody else.
 */
#ifndef VIEWER_ROWS_H
#define VIEWER_ROWS_H

#include "base/str.h"
#include "viewer/timeline/pyramid.h"

/* What ranks are folded by. */
enum rows_by { ROWS_BY_CLASS, ROWS_BY_HOST, ROWS_BY_GROUP, ROWS_FLAT, ROWS_BYS };

/* A row. */
struct row {
	const struct rank_index *ranks; /* ascending, at least one */
	size_t n;
	const char *label; /* "0-2,4-7", "node7", "dp: 0-3"; escaped */
	const char *words; /* what it does now, what matters most first; from outside: escape it */
	struct rank_index worst; /* the rank of it that does that */
	bool loses;	/* something that was recorded of one of them is gone */
	bool culprit;	/* all of it are culprits of the first verdict */
	bool victim; /* all of it are its victims */
	bool open;	/* a fold that was expanded: its ranks follow as rows with `depth` 1 */
	uint8_t depth;
	bool tagged;	/* pinned to the top */
	bool laned;	/* a rank whose lanes follow, with `depth` 1: */
	bool is_lane;	/* only its calls of one group are in it: */
	int group;	/* that one; JOB_NONE: what is of no group */
};

/* How rows are wished for. */
struct rows_wish {
	enum rows_by by;
	bool by_chosen;		/* the user chose; else what fits */
	size_t room;		/* rows that can be drawn: the deepest grouping that fits */
	const char *filter;	/* "" none: "rank:0-7,512", "host:node7", "@node7", "state:waiting",
				   "group:dp", a word; "!" before inverts. "" matches all */
	const bool *tagged;	/* per rank */
	const bool *expanded;	/* per rank: the fold whose first rank this is, is open */
	bool all_expanded; /* every fold is open */
	const struct rank_index *laned; /* whose row has a lane for each of its groups; NULL */
};

/* All rows, from the top on. */
struct rows {
	const struct row *at;
	size_t n;	/* rows, drawn or to be scrolled to */
	size_t ranks;	/* ranks they stand for */
	size_t hidden;	/* ranks that the filter leaves out */
	enum rows_by by; /* what it came to */
};

/* Makes the rows. Never NULL; rows_free() it before the tracks. */
struct rows *rows_new(const struct tracks *tracks, const struct verdicts *verdicts,
	const struct rows_wish *wish) __attribute__((nonnull));
/* Frees them; NULL is fine. */
void rows_free(struct rows *rows);

/* Returns the row that shows this rank; -1: none does. */
ptrdiff_t rows_of_rank(const struct rows *rows, struct rank_index rank) __attribute__((nonnull));

/* Returns how many lanes that rank would have: one for each group, one for what is of none. */
size_t rows_count_lanes(const struct track *track) __attribute__((nonnull));

/* True if the text is a filter; else says why not. */
bool rows_filter_is_valid(const char *filter, struct str *why) __attribute__((nonnull));

/* Returns "class", "host", "group", "flat". */
const char *rows_by_name(enum rows_by by);

#endif
