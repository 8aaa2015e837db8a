/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h: where the user is: cursor, window of time, pane, marks, search, prompt. Keys become
 * state here, and nowhere else; draw.h makes cells of it. No terminal, no clock, no file.
 */
#ifndef VIEWER_STATE_H
#define VIEWER_STATE_H

#include "viewer/pane/pane.h"
#include "viewer/screen-layout.h"
#include "viewer/state/keys.h"

#define STATE_MARKS   26
#define STATE_HISTORY 32 /* lines of the prompt that are remembered */

/* What is typed on the last line. */
enum state_prompt { PROMPT_NONE, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_COMMAND, PROMPT_MARK_SET,
	PROMPT_MARK_JUMP };

/* Effects that only the outside can have; the loop does it and sets it back to nothing. */
enum state_effect {
	EFFECT_NONE,
	EFFECT_QUIT,
	EFFECT_SUSPEND,
	EFFECT_REDRAW,
	EFFECT_EXPORT, /* `argument`: the file, "" a new name */
	EFFECT_COPY,   /* `argument`: the text */
	EFFECT_MOUSE,  /* `argument`: "on" or "off" */
	EFFECT_JOB,    /* `argument`: which, "" to be told which there are */
};

struct state;

/*
 * Makes the state of the first screen: verdict up, culprit selected, first fork centred. Never
 * NULL.
 */
struct state *state_new(void);
/* Frees it; NULL is fine. */
void state_free(struct state *state);

/* Takes size, signs, colours and what was typed from another, which is freed next. */
void state_be_like(struct state *state, struct state *old) __attribute__((nonnull));

/*
 * Takes a new sealed job (or the first): what the user looks at stays what it was, by world rank
 * and time; following, the end stays in view. All of them must outlive the state or the next call.
 */
void state_load(struct state *state, const struct job *job, const struct verdicts *verdicts,
	const char *origin, bool live, int64_t now) __attribute__((nonnull));

/* Puts up a list of jobs, a line each: what :jobs wants to show it, a tab, what it is. */
void state_list_jobs(struct state *state, const char *list) __attribute__((nonnull));

/*
 * Says that so many jobs are there as well and not shown: the words outlive the state or the next
 * load.
 */
void state_set_others(struct state *state, size_t others, const char *left_out)
	__attribute__((nonnull(1)));

/* True if the user wants no next look now: the loop asks for none. */
bool state_is_frozen(const struct state *state) __attribute__((nonnull));

/* Sets the time between two looks: countdowns go on. */
void state_set_now(struct state *state, int64_t now) __attribute__((nonnull));

/* Sets the size of the screen, in cells. */
void state_resize(struct state *state, int w, int h) __attribute__((nonnull));

/* Takes one key. */
void state_key(struct state *state, const char *key) __attribute__((nonnull));
/*
 * Takes a click on a cell, or a turn of the wheel there (turn, in rows: negative is up; 0 a click).
 */
void state_mouse(struct state *state, int x, int y, int turn, bool zoom) __attribute__((nonnull));
/*
 * Takes that the button is let go there: what was drawn over cells of a row is measured, as with v.
 */
void state_mouse_up(struct state *state, int x) __attribute__((nonnull));

/* Returns what is asked of the outside, and its argument (valid until the next key). Taken once. */
enum state_effect state_effect(struct state *state, const char **ret_argument)
	__attribute__((nonnull));

/* Shows a message in the status line until the next key: from the outside, of what it did. */
void state_say(struct state *state, const char *text) __attribute__((nonnull));

/*
 * Returns what there is to be shown, for documents of the whole of it; to *ret_forked since when
 * the job could not go on, JOB_UNKNOWN. Valid until the next load.
 */
const struct scene *state_scene(const struct state *state, int64_t *ret_forked)
	__attribute__((nonnull));

/* Sets colours for a dark or a light ground. */
void state_set_theme(struct state *state, enum theme theme) __attribute__((nonnull));
/* Returns the theme that is in use. */
enum theme state_theme(const struct state *state) __attribute__((nonnull));
/* Sets whether signs are UTF-8; false: glyphs are ASCII. */
void state_set_utf8(struct state *state, bool utf8) __attribute__((nonnull));

#endif
