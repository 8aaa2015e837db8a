/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pane.h: what stands below (or beside) the timeline. A pane makes lines; one piece of code draws,
 * scrolls, searches and selects them all, and Enter goes where the line's cite points. A new pane
 * is one file and one line in `panes` (pane.c).
 */
#ifndef VIEWER_PANE_H
#define VIEWER_PANE_H

#include "base/arena.h"
#include "base/array.h"
#include "job/stacktree/stacktree.h"
#include "viewer/state/rows.h"
#include "viewer/term/style.h"

struct seats_book;
struct treelines;

/* One line of a pane. */
struct pane_line {
	const char *text;  /* from outside or not: escaped where it is drawn */
	const char *right; /* at the right edge: the cite, "" none */
	enum style style;
	size_t strong;	   /* so many first bytes carry the style; 0: all */
	struct rank_index rank; /* Enter goes to its row; NO_RANK */
	int64_t when;	   /* and to this time; JOB_UNKNOWN */
	size_t item;	   /* of a pane of very many: which of them it is of; PANE_NO_ITEM */
};

#define PANE_NO_ITEM SIZE_MAX

/* Everything that can be shown; const for panes. */
struct scene {
	const struct job *job;
	const struct verdicts *verdicts;
	const struct tracks *tracks;
	const struct pyramid *pyramid;
	const struct rows *rows;
	const struct stacktree *tree;  /* of all threads; NULL: no stacks */
	const struct stacktree *mains; /* of the ranks' main threads only; NULL likewise */
	const struct treelines *tree_lines, *main_lines; /* both as lines; NULL: not made */
	struct seats_book *seats; /* roll calls that were made: not const, but the same always */
	const char *origin;	/* "live job sft-41", "sft-41.inq": where it comes from */
	size_t others;		/* jobs that are there as well, and not shown */
	const char *left_out;	/* which, and how to see them; NULL where there is none */
	bool live;
	int64_t now; /* realtime: for countdowns; of a bundle, when it was gathered */
};

/* Where the user is: what a pane may depend on. */
struct pane_place {
	struct rank_index rank; /* first of the selected row; NO_RANK */
	ptrdiff_t row; /* its number among the rows; -1 none is selected */
	int64_t when;	/* the time cursor */
	int width, height; /* columns that lines have, and lines that are seen at once */
	size_t item;	/* of a pane of very many, the one that the user is at; PANE_NO_ITEM */
	bool seek;	/* not there is looked, but at what belongs to rank and time */
	bool all;	/* the pane's longer form: all threads, all fields */
};

/* What a pane has made. pane_lines_release() it. */
struct pane_lines {
	struct arena arena; /* of texts */
	ARRAY(struct pane_line) all;
	const char *heading; /* what they are where they stand aside; NULL: the pane's name */
	ptrdiff_t here;	    /* the line that belongs to the time cursor; -1 none */
	size_t items;	    /* of a pane of very many, how many; 0: all lines are here, */
	size_t from, to;    /* else those of items [from, to) */
};

/* A kind of pane. */
struct pane {
	const char *name; /* "verdict" */
	/* Adds lines to the empty `into`. */
	void (*fill)(const struct scene *scene, const struct pane_place *place,
		struct pane_lines *into);
	bool timed;  /* its lines depend on the time cursor */
	bool by_row; /* its lines depend on the selected rank and row */
	bool by_height; /* and on how many of them are seen at once */
	/*
	 * For a pane whose items may be very many (else NULL): lines are made of those around one
	 * of them only, at a cost that does not depend on their number. This finds the first item
	 * from that one on (or back) that the text is in; PANE_NO_ITEM: none.
	 */
	size_t (*find)(const struct scene *scene, const struct pane_place *place, const char *text,
		size_t from, bool back);
	const char *items; /* what they are called */
};

/* The panes. The first have tabs; the others stand where there is room for them. */
enum pane_number {
	PANE_VERDICT,
	PANE_STACKS,
	PANE_EVENTS,
	PANE_GROUPS,
	PANE_RECEIPT,
	PANES,
	PANE_DIFFER = PANES,
	PANE_LASTWORDS,
	PANES_ALL
};

extern const struct pane panes[PANES_ALL];

/* Adds a line at the end; it is the pane's, and is valid until the next is added. */
struct pane_line *pane_add(struct pane_lines *into, enum style style, const char *format, ...)
	__attribute__((nonnull, format(printf, 3, 4), returns_nonnull));
/* Frees the lines and their texts. */
void pane_lines_release(struct pane_lines *lines) __attribute__((nonnull));

#endif
