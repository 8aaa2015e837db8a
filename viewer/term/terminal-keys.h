/* SPDX-License-Identifier: Apache-2.0 */
/* terminal-keys.h: what was pressed, of a terminal's bytes. The other file that knows curses. */
#ifndef VIEWER_TERMINAL_KEYS_H
#define VIEWER_TERMINAL_KEYS_H

#include "viewer/term/terminal.h"

#define TERMINAL_ESCAPE_MS 25 /* what follows ESC within this is one key */

/* Tells curses of the keys that descriptions of terminals leave out. Once a screen. */
void terminal_define_keys(void);

/* Reads the next key or click that is there already; false: none. fd is where keys come from. */
bool terminal_read(int fd, struct terminal_event *event) __attribute__((nonnull));

#endif
