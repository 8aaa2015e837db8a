/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen-layout.h: which part of the screen is whose. From 140 columns the panes stand at the
 * right, from 60x14 below the timeline; from 40x8 one thing at a time (the timeline, or with
 * pane_only the pane); below nothing but one line that says so, in `status`.
 *
 * No part overlaps another or leaves the screen, at any size.
 */
#ifndef VIEWER_SCREEN_LAYOUT_H
#define VIEWER_SCREEN_LAYOUT_H

#include "viewer/term/cells.h"

#define LAYOUT_LEAST_W 40
#define LAYOUT_LEAST_H 8

/* How the screen is shared out. */
enum layout_kind { LAYOUT_TOO_SMALL, LAYOUT_SINGLE, LAYOUT_BELOW, LAYOUT_BESIDE };

/* The parts. */
struct layout {
	enum layout_kind kind;
	struct rect title;    /* the answer, and how sure it is: one line or two */
	struct rect ruler;    /* the second line is for real time, the third for steps */
	struct rect minimap;  /* h 0: not there */
	struct rect rows;     /* label, cells, what it does now */
	struct rect strip;    /* ranks per state over time; h 0: not there */
	struct rect legend;
	struct rect tabs;
	struct rect pane;     /* the chosen one */
	struct rect rest;     /* BESIDE: what is left below the legend; h 0: nothing */
	struct rect status;   /* messages, prompts, else the keys of the moment */
	int label_w, doing_w; /* columns of rows at the left and right, at most (see
			       * layout_fit_rows); cells are between */
};

/* What they are to be shared out for. */
struct layout_wish {
	int w, h;
	size_t nrows; /* how many rows there would be */
	bool pane_only, timeline_only; /* maximised */
	bool steps; /* there are some to be numbered: the ruler has a line for them */
};

/* Shares out a screen of w x h among the parts; what there is no room for is 0 high. */
struct layout layout_of(const struct layout_wish *wish) __attribute__((nonnull));

/* Gives the cells what labels and names of these widths do not need. */
void layout_fit_rows(struct layout *layout, int label, int doing) __attribute__((nonnull));

#endif
