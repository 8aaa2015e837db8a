/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/screen-layout.h"

/* From so many columns or lines on. */
#define TITLE_H	  10 /* the title has a second line */
#define BELOW_W	  60
#define BELOW_H	  14
#define BESIDE_W  140
#define STRIP_H	  16 /* of the screen: the strip has a line */
#define UTC_H	  24 /* the ruler has real time as well */
#define MINIMAP_H 28
#define STEPS_H	  30 /* the ruler has steps */
#define TALL_H	  40 /* the strip has more */

/* Returns one line of an area. */
static struct rect line(struct rect area, int y)
{
	return (struct rect){area.x, y, area.w, 1};
}

/* Takes h lines from the top of an area, as many as there are. */
static struct rect take(struct rect *area, int h)
{
	struct rect taken = *area;

	taken.h = h < area->h ? h : area->h;
	area->y += taken.h;
	area->h -= taken.h;
	return taken;
}

/* Returns how many lines the ruler has. */
static int ruler_lines(const struct layout_wish *wish)
{
	return wish->h < UTC_H ? 1 : wish->h >= STEPS_H && wish->steps ? 3 : 2;
}

/* Returns how many lines the strip has. */
static int strip_lines(int h)
{
	return h < STRIP_H ? 0 : h < TALL_H ? 1 : h < 2 * TALL_H ? 4 : 8;
}

/*
 * Shares out a row: what it shows at its left and right, where the labels and names are that long.
 */
static void share_row(struct layout *layout)
{
	int w = layout->rows.w;

	layout->label_w = w < 60 ? 10 : w < 70 ? 14 : w / 5 < 32 ? w / 5 : 32;
	layout->doing_w = w < 60 ? 14 : w < 72 ? w / 3 : w / 3 + 12;
	if (layout->doing_w > 72)
		layout->doing_w = 72;
}

/*
 * Fills an area with the ruler, rows and what belongs to them; `most` lines of rows, the rest stays
 * in it.
 */
static void lay_timeline(struct layout *layout, struct rect *area, const struct layout_wish *wish,
	int most)
{
	layout->ruler = take(area, ruler_lines(wish));
	layout->minimap = take(area, wish->h >= MINIMAP_H);
	layout->rows = take(area, most);
	layout->strip = take(area, strip_lines(wish->h));
	layout->legend = take(area, 1);
	share_row(layout);
}

/*
 * Returns the lines for so many rows that have all of an area: what ruler, strip and legend leave
 * at most.
 */
static int rows_alone(struct rect area, const struct layout_wish *wish, size_t nrows)
{
	int most = area.h - ruler_lines(wish) - (wish->h >= MINIMAP_H) - strip_lines(wish->h) - 1;

	if (most < 1)
		return 0;
	return nrows < (size_t)most ? nrows < 1 ? 1 : (int)nrows : most;
}

/*
 * Returns the lines of rows above a pane: all of them while the pane keeps two fifths of the lines.
 */
static int rows_above(struct rect area, const struct layout_wish *wish)
{
	int both = rows_alone(area, wish, SIZE_MAX) - 1; /* the tabs */
	int most = both - (both * 2 + 4) / 5;

	if (most < 1)
		most = 1;
	return wish->nrows < (size_t)most ? wish->nrows < 1 ? 1 : (int)wish->nrows : most;
}

/* Lays the timeline at the left, and the panes at the right. */
static void lay_beside(struct layout *layout, struct rect area, const struct layout_wish *wish)
{
	int right = area.w * 2 / 5 < 100 ? area.w * 2 / 5 : 100;
	struct rect left = {area.x, area.y, area.w - right - 1, area.h};
	struct rect panes = {left.x + left.w + 1, area.y, right, area.h};

	lay_timeline(layout, &left, wish, rows_alone(left, wish, wish->nrows));
	layout->tabs = take(&panes, 1);
	layout->pane = panes;
	layout->rest = left;
}

/* Returns how a screen of that size is shared out. */
static enum layout_kind kind_of(int w, int h)
{
	if (w < LAYOUT_LEAST_W || h < LAYOUT_LEAST_H)
		return LAYOUT_TOO_SMALL;
	if (w >= BESIDE_W)
		return LAYOUT_BESIDE;
	return w >= BELOW_W && h >= BELOW_H ? LAYOUT_BELOW : LAYOUT_SINGLE;
}

struct layout layout_of(const struct layout_wish *wish)
{
	int w = wish->w, h = wish->h;
	struct layout layout = {.kind = kind_of(w, h)};
	struct rect area = {0, 0, w, h};

	layout.status = line(area, h > 0 ? h - 1 : 0);
	if (layout.kind == LAYOUT_TOO_SMALL) {
		layout.status = (struct rect){0, 0, w, 1};
		return layout;
	}
	layout.title = take(&area, h < TITLE_H ? 1 : 2);
	area.h--;
	if (wish->pane_only) {
		layout.tabs = take(&area, 1);
		layout.pane = area;
	} else if (wish->timeline_only || layout.kind == LAYOUT_SINGLE) {
		/* The tabs are the way to the panes. */
		layout.tabs = line(area, area.y + --area.h);
		lay_timeline(&layout, &area, wish, rows_alone(area, wish, wish->nrows));
	} else if (layout.kind == LAYOUT_BELOW) {
		lay_timeline(&layout, &area, wish, rows_above(area, wish));
		layout.tabs = take(&area, 1);
		layout.pane = area;
	} else {
		lay_beside(&layout, area, wish);
	}
	return layout;
}

void layout_fit_rows(struct layout *layout, int label, int doing)
{
	if (label < layout->label_w)
		layout->label_w = label < 0 ? 0 : label;
	if (doing < layout->doing_w)
		layout->doing_w = doing < 0 ? 0 : doing;
}
