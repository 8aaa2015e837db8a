/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state-private.h: what a state is made of: for the files that make it up (state*.c) and those that
 * draw it.
 *
 * A key is taken by one of the files below; then state_settle() makes good what follows from it:
 * rows, layout, lines of panes. Drawing asks for the same first, and changes nothing else. Ranks
 * are kept as indexes into job->ranks; state_load() carries them over by world rank.
 */
#ifndef VIEWER_STATE_PRIVATE_H
#define VIEWER_STATE_PRIVATE_H

#include "base/array.h"
#include "viewer/state/state.h"
#include "viewer/timeline/axis.h"
#include "viewer/timeline/folds.h"
#include "viewer/timeline/window.h"

#define STATE_ASIDES 6 /* panes that stand aside at most */
#define STATE_BACK 64 /* places that Esc goes back to */

/* Where one was. */
struct state_place {
	struct rank_index rank; /* NO_RANK: nowhere */
	int64_t when;
	enum pane_number pane;
};

/* The lines of a pane, and what they were made for. */
struct state_lines {
	struct pane_lines lines;
	enum pane_number pane;
	struct pane_place place;
	bool made;
};

/* A pane that stands where there is room: below the chosen one, beside it, below the legend. */
struct state_aside {
	struct rect area; /* the line above it is its heading's */
	struct state_lines lines;
	size_t top;
};

/* A line that is being typed. */
struct state_typing {
	enum state_prompt kind;
	struct str text;
	size_t at;	  /* the cursor, in bytes */
	size_t recalled;  /* so many lines back in history; 0: what was typed */
	struct str typed; /* kept while others are recalled */
	struct state_place before; /* of a search: Esc goes back there */
	struct window window;
	int help_top;
};

/* Lines that were typed, newest first. */
struct state_history {
	char *lines[STATE_HISTORY];
	size_t n;
};

/* The share of that time that a row waited. */
struct state_share {
	struct window window;
	int percent; /* below 0: nothing is known of it */
	bool made;
};

struct strip;
struct minimap;

/* What is searched for, and where it was found last. */
struct state_search {
	struct str text;
	bool *hit;	 /* per rank: its number, host, a group or a frame is what is sought */
	bool hit_made;
	size_t *counts;	 /* per rank: its matches; NULL: not counted, or too many to count */
	bool counted;
	struct rank_index rank; /* where the last match was; NO_RANK */
	ptrdiff_t event; /* -1: the rank itself */
	int64_t when;
};

/* All that a viewer knows. */
struct state {
	struct scene scene; /* scene.job NULL: nothing is loaded */
	struct tracks *tracks;
	struct pyramid *pyramid;
	struct lates *lates;
	struct rows *rows;
	struct state_share *shares; /* by row */
	struct strip *strip; /* what was counted last; NULL: nothing */
	struct minimap *minimap; /* likewise */
	struct folds *folds;
	struct stacktree *tree, *mains;
	struct treelines *tree_lines, *main_lines;
	struct seats_book *seats;
	struct waits *waits; /* made when first asked for */
	int *worlds;	     /* world rank of each rank */
	size_t nranks;
	enum verdict_class class; /* of the first verdict, and its first culprit's world rank */
	int culprit;

	int w, h;
	bool utf8, mouse;
	enum theme theme;
	struct layout layout;
	int label, doing, measured_w;  /* columns that labels and words want, in rows so wide */
	int label_w, cells_w, doing_w; /* what they have */

	struct window bounds, window;
	int64_t when; /* the time cursor */
	int64_t forked; /* when what hangs began to; JOB_UNKNOWN: nothing does */
	bool by_death;	/* somebody died then */
	struct axis_break fork; /* where the axis is broken, if it is */
	bool one_scale;		/* the user wants it unbroken */
	bool at_fork;		/* z has zoomed; it goes back to: */
	struct window unzoomed;
	bool touched; /* a key was pressed */
	bool follow, frozen; /* the end stays in view; no next look is wanted */

	enum rows_by by;
	bool by_chosen, all_expanded;
	bool *tagged, *expanded; /* per rank */
	struct rank_index laned; /* whose row has lanes; NO_RANK */
	struct str filter;
	bool beside; /* two ranks stand alone, and behind them is this filter: */
	struct str unfiltered;
	size_t room; /* rows that can be drawn */
	bool rows_stale;
	ptrdiff_t row;
	struct rank_index rank; /* one of the row */
	bool on_fold;	   /* the row is an open fold, not one of its ranks */
	size_t top;	   /* of rows below the pinned ones, the first that is drawn */

	enum pane_number pane;
	bool pane_closed, maximised, in_pane;
	bool all[PANES_ALL]; /* the longer form */
	size_t line[PANES], line_top[PANES];
	size_t item[PANES_ALL]; /* of panes of very many, the one that the line is of */
	bool to_item;	    /* the line goes to that item, whatever line there was before */
	struct state_lines lines; /* of the pane */
	struct state_lines kept[PANES_ALL]; /* what was last made of those that are not seen */
	struct state_aside asides[STATE_ASIDES];
	size_t nasides;
	struct str pane_search;

	bool help;
	int help_top, help_hit; /* the first line that is seen; the one that was found, -1 */
	struct str help_search;
	struct str jobs; /* the overlay is a list of them, and help_hit the chosen one; "": keys */

	struct state_typing typing;
	struct state_history histories[PROMPT_COMMAND + 1];
	struct state_search search;

	struct state_place marks[STATE_MARKS];
	struct state_place back[STATE_BACK];
	size_t nback;
	size_t opened; /* panes that Enter has opened, one from another */
	struct state_place edges[STATE_BACK]; /* where ] was pressed */
	size_t nedges;
	size_t evidence; /* how often ! was pressed in a row */
	bool measuring;
	int64_t anchor; /* the other end of what is measured */
	int pressed; /* the column of the cells on which the button went down; -1 none */
	bool drawn;  /* it is measured by the mouse: the next press ends it */
	bool centred;	/* the last key was f */

	struct str message;
	enum state_effect effect;
	struct str argument;
};

/* state.c: makes good what follows from a change: rows, layout, window, lines of panes. */
void state_settle(struct state *state);
/* Shows a message in the status line, until the next key. */
void state_tell(struct state *state, const char *format, ...)
	__attribute__((nonnull, format(printf, 2, 3)));
/* Asks the loop for what only the outside can do; of two before it is taken the later one. */
void state_ask(struct state *state, enum state_effect effect, const char *argument);
/* Does what a key asks for, whoever takes it. */
void state_do(struct state *state, enum request request);

/* Each of these takes the requests that are its own; false: not mine. This one moves the cursor. */
bool state_do_move(struct state *state, enum request request);
/* Goes from event to event, to the verdict, to marks. */
bool state_do_event(struct state *state, enum request request);
/* Zooms and pans the window of time. */
bool state_do_window(struct state *state, enum request request);
/* Tags ranks, groups rows, opens and closes folds. */
bool state_do_rows(struct state *state, enum request request);
/* Looks for text. */
bool state_do_find(struct state *state, enum request request);
/* Goes from a rank to the one that it waits for, and back. */
bool state_do_edge(struct state *state, enum request request);
/* Opens, closes and changes panes. */
bool state_do_pane(struct state *state, enum request request);
/* Takes all others: copy, export, colours, help, the end. */
bool state_do_else(struct state *state, enum request request);

/* state-copy.c: copies what is selected, or the whole verdict, to the clipboard. */
void state_copy(struct state *state, bool verdict);

/* state-move.c: chooses a row, or the next one that there is; its first rank is then the rank. */
void state_pick_row(struct state *state, ptrdiff_t row);
/* Sets the time cursor within the job's time; the window follows. */
void state_set_when(struct state *state, int64_t when);
/* Goes to a rank and a time (JOB_UNKNOWN: stays), and remembers from where. */
void state_go(struct state *state, struct rank_index rank, int64_t when);
/* Notes where the user is, for Esc to go back to. */
void state_remember(struct state *state);
/* Goes where he was before the last jump; false: there was none. */
bool state_go_back(struct state *state);
/* Returns where he is, with the pane. */
struct state_place state_here(const struct state *state);
/* Goes to a place that state_here() gave, and remembers nothing. */
void state_restore(struct state *state, const struct state_place *place);

/* state-rows.c: makes rows and their folds anew: after a new look, a filter, another grouping. */
void state_make_rows(struct state *state);
/* Makes `row` the row of `rank`, and scrolls to it. */
void state_find_row(struct state *state);
/* Returns which row is drawn on a line; -1 none. */
ptrdiff_t state_row_at(const struct state *state, int line);
/* Filters rows; "" shows all. False: it is no filter, and was told why. */
bool state_set_filter(struct state *state, const char *filter);

/* state-window.c: shows the whole job. */
void state_fit(struct state *state);
/* Returns which time is in which column. */
struct axis state_axis(const struct state *state);
/* Breaks the axis where that window wants it. */
void state_break(struct state *state);
/* Shows half, or twice, the time, with that moment where it is on screen. */
void state_zoom(struct state *state, int64_t about, bool in);

/*
 * state-lines.c: makes the lines of what is seen of panes, and finds which of them is chosen and on
 * top.
 */
void state_make_lines(struct state *state);
/* Has all lines made anew. */
void state_drop_lines(struct state *state);
/* Has those of the verdict made anew: they say how long is left. */
void state_drop_countdown(struct state *state);

/* state-pane.c: puts a pane up; in a terminal of one thing at a time goes into it. */
void state_choose_pane(struct state *state, enum pane_number pane);
/* True if there is room for a pane, and it is open. */
bool state_shows_pane(const struct state *state);
/* Returns the chosen line; NULL: there is none. */
const struct pane_line *state_line(const struct state *state);
/* Chooses a line, or the last one that there is. */
void state_pick_line(struct state *state, size_t line);

/* Goes where the line's cite points. */
void state_enter_line(struct state *state);
/* Chooses the next line, from the chosen one on or behind it, that has the text; false: none. */
bool state_search_lines(struct state *state, const char *text, bool back, bool from_here);

/* state-search.c: takes a new text to look for; nothing is found yet. */
void state_search_new(struct state *state, const char *text);
/* Goes to the next match. False: nothing is found; nothing changed. */
bool state_search_step(struct state *state, bool back);
/* True if the rank itself is what is sought: its number, host, a group or a frame of it. */
bool state_search_is_hit(struct state *state, struct rank_index rank);
/* True if it may be done with each letter that is typed. */
bool state_search_is_cheap(const struct state *state);

/* state-count.c: returns which match that is of how many, 1 the first; 0: nobody has counted */
size_t state_search_place(
	struct state *state, ptrdiff_t row, size_t k, ptrdiff_t event, size_t *ret_of);
/* Forgets the count: rows or text are others. */
void state_search_uncount(struct state *state);

/* state-verdict.c: goes where the first screen is: to the culprit and the moment of the verdict. */
void state_open(struct state *state);
/* Finds when what hangs began to; JOB_UNKNOWN: nothing hangs. */
void state_find_fork(struct state *state);
/*
 * Returns when the rank entered the n-th op before that moment, n from 1; JOB_UNKNOWN: there are
 * fewer.
 */
int64_t state_entry_before(
	const struct state *state, struct rank_index rank, int64_t when, size_t n);
/* Goes to the culprit; asked again, to the evidence, one piece after another. */
void state_jump_verdict(struct state *state);

/* state-prompt.c: opens a line to be typed, at the bottom. */
void state_prompt_open(struct state *state, enum state_prompt kind);
/* Takes a key while the line is open. */
void state_prompt_key(struct state *state, const char *key);

/* state-command.c: does a line of `:', or says what is wrong with it. */
void state_command(struct state *state, const char *line);
/* Returns the n-th command's name; NULL behind the last. */
const char *state_command_name(size_t n);
/* Returns what the n-th command does; NULL behind the last. */
const char *state_command_help(size_t n);
/* Reads "+12.5s", "-30", "11:08", "03:11:52"; false: not a time. */
bool state_read_time(const struct state *state, const char *text, int64_t *ret);

/* help.c: a line of what the overlay says. A heading has only `left`. */
struct help_line {
	const char *left, *right;
};

/* Signs of the timeline that are no state: the legend takes their names from here. */
enum help_sign {
	HELP_EXCEPTION,
	HELP_KILL,
	HELP_RECOMPILE,
	HELP_LOG,
	HELP_FORK,
	HELP_LOST,
	HELP_ENTERED,
	HELP_ENTERED_FIRST,
	HELP_STEP,
	HELP_STEP_ENDS,
	HELP_OPEN,
	HELP_BLAMED,
	HELP_SIGNS
};
/* Their names, and what they mean. */
extern const struct help_line help_signs[HELP_SIGNS];

/* All lines of the overlay. {0} at first. */
struct help {
	ARRAY(struct help_line) lines;
};

/* Makes the overlay's lines, which point into the state. help_release() it. */
void help_make(struct help *help, const struct state *state);
/* Frees the lines. */
void help_release(struct help *help);

/* state-help.c: puts the overlay up. */
void state_help_open(struct state *state);
/* Takes a click on a line of the screen, or a turn of the wheel, while the overlay is up. */
void state_help_mouse(struct state *state, int y, int turn);
/* Takes a key while the overlay is up. */
void state_help_key(struct state *state, const char *key);
/* Scrolls to the next line that has the text; false: none has. */
bool state_help_search(struct state *state, const char *text, bool back, bool from_here);
/* True if the text is in either column, whatever its case. */
bool help_line_has(const struct help_line *line, const char *text);

#endif
