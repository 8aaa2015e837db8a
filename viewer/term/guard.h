/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h: gives the terminal back, however the process ends, and tells of signals that change it.
 *
 * A program that dies with the terminal in its hands leaves no echo, no cursor and a strange
 * screen. So each signal that would end us (SIGTERM, SIGHUP, a crash) first writes the bytes that
 * undo all of it, sets the modes as they were, and then ends us as it would have: the same signal,
 * the same core, the same report of a sanitizer. All that it does is async-signal-safe. exit() is
 * watched as well. There is one terminal, so there is one guard, which is why its state is the only
 * one of the viewer that no caller owns.
 */
#ifndef VIEWER_GUARD_H
#define VIEWER_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* What signals tell. */
enum guard_note {
	GUARD_RESIZED,	 /* SIGWINCH */
	GUARD_STOP,	 /* SIGTSTP from outside: give the terminal back, then guard_stop() */
	GUARD_CONTINUED, /* SIGCONT: others had the terminal, and may have changed it */
	GUARD_NOTES
};

/*
 * Watches over the terminal behind fd, whose modes are now as they are to be again. Signals that
 * are ignored stay so. 0, or a negative errno.
 */
int guard_begin(int fd);
/* Watches no longer: every signal means again what it did before. */
void guard_end(void);

/* Sets the bytes that undo what was done to the terminal; more than there is room for are none. */
void guard_set_undo(const char *bytes, size_t size) __attribute__((nonnull));

/* Says whether the terminal is in our hands now. While it is not, nothing is given back. */
void guard_hold(bool held);

/* Returns a descriptor that is readable when a note came. */
int guard_fd(void);
/* True if this note came since it was last asked. */
bool guard_take(enum guard_note note);
/* Empties guard_fd(); the notes stay. */
void guard_drain(void);

/* Stops this process, or its whole group as a key would; returns when it goes on. */
void guard_stop(bool group);

#endif
