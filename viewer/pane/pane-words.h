/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pane-words.h: what the panes' files share: a line with a key at its left and a cite at its right
 * whose words go on below it where they are too long, and where a cite leads.
 */
#ifndef VIEWER_PANE_WORDS_H
#define VIEWER_PANE_WORDS_H

#include "base/str.h"
#include "viewer/pane/pane.h"
#include "words/page.h"

#define PANE_COLUMN 10 /* where words begin behind a key: as in the text report */
#define PANE_KEY    8  /* columns of a key; one blank stands on each side */
#define PANE_RANKS  17 /* of a key of ranks that is longer: "0-4710,4712-9999" */

/* The right part of a line gets at most this part of it: a third. */
#define PANE_RIGHT 3

/* A pane that is filled: what is shown, where the user is, and where lines go. */
struct pane_fill {
	const struct scene *scene;
	const struct pane_place *place;
	struct pane_lines *into;
};

/* Where Enter leads. */
struct pane_goal {
	struct rank_index rank; /* NO_RANK: nowhere */
	int64_t when; /* JOB_UNKNOWN: to the rank as it is */
};

#define PANE_NOWHERE ((struct pane_goal){NO_RANK, JOB_UNKNOWN})

/* A line to be added, of any length. */
struct pane_words {
	struct str key;	  /* emptied; what stands in front of the words */
	size_t column;	  /* of the words, on each line */
	struct str words; /* emptied */
	const char *cite; /* "" none */
	enum style style; /* of the key */
	struct pane_goal goal;
	size_t most;	  /* lines; 0: as many as it takes */
	size_t item;	  /* 1 + the item that it is of; 0 none */
};

/* Returns an empty line behind a key, in plain style. */
struct pane_words pane_words_of(const char *key);
/* Returns one behind the numbers of ranks, at most PANE_RANKS columns of them. */
struct pane_words pane_words_of_ranks(const struct job *job, struct verdict_ranks ranks);

/* Adds it as one line or several; frees what it holds. Returns the first line's number. */
size_t pane_words_add(const struct pane_fill *fill, struct pane_words *words);

/* Returns the page (words/page.h) of what is shown; page_release() it. */
struct page pane_page(const struct scene *scene);
/* Returns how a tone looks here. */
enum style pane_style(enum page_tone tone);
/* Returns a line of the page, with where it leads. Points into the page. */
struct pane_words pane_words_of_line(const struct scene *scene, const struct page_line *line);
/* Adds a section of the page, of that verdict if it is of one. */
void pane_section_add(const struct pane_fill *fill, struct page *page, enum page_kind kind,
	const struct verdict *verdict);

/* Returns where a cite leads; '*' in it stands for that rank (NO_RANK: for nobody). */
struct pane_goal pane_goal_of_cite(
	const struct scene *scene, const char *cite, struct rank_index rank);

/*
 * Returns where the evidence of a fact is: at the event that its cite names, else at the event of
 * its first rank that it is about (in `group`, of an op), else at that rank.
 */
struct pane_goal pane_goal_of_fact(const struct scene *scene, const struct verdict_fact *fact,
	int group);

/* Returns how many columns are left for text beside so many that are taken; 8 at least. */
size_t pane_room(const struct pane_fill *fill, size_t taken);

/* Returns the ranks of the selected row, at least one; none where no row is selected. */
struct verdict_ranks pane_row_ranks(const struct pane_fill *fill);

/* Appends "+11:08.250": since the beginning of the job's time. */
void pane_add_since(struct str *into, const struct scene *scene, int64_t when);
/* Appends "2026-11-21 03:11:52.250", UTC; "unknown". */
void pane_add_date(struct str *into, int64_t when);
/* Appends the time of day only. */
void pane_add_clock(struct str *into, int64_t when);

/*
 * For a pane of very many lines: sets the window of them, around the item at which the place is, or
 * where it seeks around `here`.
 */
void pane_window(
	struct pane_lines *into, const struct pane_place *place, size_t items, size_t here);
/*
 * Goes through n items from one on, or back, and returns the first that it is; PANE_NO_ITEM: none.
 */
size_t pane_find_item(size_t n, size_t from, bool back, bool (*is_it)(void *context, size_t item),
	void *context);

/*
 * The panes (pane.c has their table). Each adds its lines to the empty `into`. The verdict's page.
 */
void pane_fill_verdict(const struct scene *scene, const struct pane_place *place,
	struct pane_lines *into);
/* Adds the stacks as a tree, after their classes. */
void pane_fill_stacks(const struct scene *scene, const struct pane_place *place,
	struct pane_lines *into);
/* Adds the part of the tree in which ranks differ. */
void pane_fill_differ(const struct scene *scene, const struct pane_place *place,
	struct pane_lines *into);
/* Adds the last words of ranks. */
void pane_fill_lastwords(const struct scene *scene, const struct pane_place *place,
	struct pane_lines *into);
/* Adds the events of the selected rank. */
void pane_fill_events(const struct scene *scene, const struct pane_place *place,
	struct pane_lines *into);
/* Returns the item, from one on or back, whose line has the text; PANE_NO_ITEM. */
size_t pane_find_stacks(const struct scene *scene, const struct pane_place *place,
	const char *text, size_t from, bool back);
/* As pane_find_stacks(), in the events. */
size_t pane_find_events(const struct scene *scene, const struct pane_place *place,
	const char *text, size_t from, bool back);
/* Adds the groups, with who is missing in each. */
void pane_fill_groups(const struct scene *scene, const struct pane_place *place,
	struct pane_lines *into);
/* Adds what was launched, where and with what. */
void pane_fill_receipt(const struct scene *scene, const struct pane_place *place,
	struct pane_lines *into);

#endif
