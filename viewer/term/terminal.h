/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.h: the one way to curses. Nobody but terminal*.c includes its headers.
 *
 * However the process ends (a signal, a crash, SIGHUP), the terminal is given back as it was; only
 * SIGKILL leaves it, as with any program. Names of keys are those of keys.h.
 */
#ifndef VIEWER_TERMINAL_H
#define VIEWER_TERMINAL_H

#include "base/complaint.h"
#include "viewer/state/keys.h"
#include "viewer/term/cells.h"

/* How the terminal is wished for. */
struct terminal_wish {
	bool color;    /* false: mono, whatever the terminal can */
	bool mouse;
	enum theme theme;
};

struct terminal;

/* What has come. */
enum terminal_what {
	TERMINAL_KEY,
	TERMINAL_MOUSE,
	TERMINAL_RESIZED,
	TERMINAL_TIMEOUT,
	TERMINAL_GONE, /* it hung up */
};

/* What has come, and with what. */
struct terminal_event {
	enum terminal_what what;
	struct key key;
	int x, y, turn; /* of a click or a turn of the wheel; turn: lines, below 0 up, 0 a click */
	bool zoom; /* with Ctrl */
	bool up; /* the button is let go */
};

/*
 * Takes the terminal. NULL with words: no terminal, TERM unknown, or one that cannot place its
 * cursor.
 */
struct terminal *terminal_open(const struct terminal_wish *wish, struct complaint *why)
	__attribute__((nonnull));
/* Gives the terminal back; NULL is fine. */
void terminal_close(struct terminal *terminal);

/* Tells the size now, in columns and lines. */
void terminal_size(const struct terminal *terminal, int *ret_w, int *ret_h)
	__attribute__((nonnull));
/* Shows cells: only what differs is written. */
void terminal_show(struct terminal *terminal, const struct cells *cells, enum theme theme)
	__attribute__((nonnull));
/* Draws all anew at the next show. */
void terminal_redraw(struct terminal *terminal) __attribute__((nonnull));
/* Waits for input, so many ms at most (-1: for ever). */
struct terminal_event terminal_wait(struct terminal *terminal, int ms) __attribute__((nonnull));
/*
 * Stops the process as Ctrl-Z does, terminal given back; returns when it goes on, and the next
 * event is TERMINAL_RESIZED: its size may be another.
 */
void terminal_suspend(struct terminal *terminal) __attribute__((nonnull));
/* Makes the terminal report the mouse, or not. */
void terminal_set_mouse(struct terminal *terminal, bool on) __attribute__((nonnull));
/* Copies text to the clipboard of whoever sits before the terminal (OSC 52). */
void terminal_copy(struct terminal *terminal, const char *text) __attribute__((nonnull));

/* Returns how many colours there are: 0, 8, 16, 256. */
int terminal_colors(const struct terminal *terminal) __attribute__((nonnull));

#endif
