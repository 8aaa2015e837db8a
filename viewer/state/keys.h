/* SPDX-License-Identifier: Apache-2.0 */
/* keys.h: names of keys, and what each asks for: the list of requests.def and nothing else. */
#ifndef VIEWER_KEYS_H
#define VIEWER_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* What a key asks for. */
enum request {
	REQUEST_NONE,
#define REQUEST(name, section, keys, help) REQUEST_##name,
#include "viewer/state/requests.def"
#undef REQUEST
	REQUESTS
};

/* Where the help lists it. */
enum request_section {
	SECTION_MOVE,
	SECTION_VIEW,
	SECTION_FIND,
	SECTION_PANE,
	SECTION_ELSE,
	SECTIONS
};

/* A key as input has it: a character ("j", UTF-8), or a name ("Down", "Ctrl-D", "F1"). */
struct key {
	char name[16];
};

/*
 * True if this is the name of a key that a terminal or a script may give: one printable character,
 * "Space", "Enter", "F4", ..., also with "Ctrl-", "Alt-" or "S-" before it.
 */
bool keys_is_name(const char *name) __attribute__((nonnull));

/* True if the name is "resize WxH", which scripts have for a key; and the size. */
bool keys_size(const char *name, int *ret_w, int *ret_h) __attribute__((nonnull));

/* Returns the request of a key; REQUEST_NONE where it means nothing. */
enum request keys_find(const char *name) __attribute__((nonnull));

/* Returns the keys of a request ("j Down"); a literal, as the next three. */
const char *keys_of(enum request request);
/* Returns what the request does, in words. */
const char *keys_help(enum request request);
/* Returns the section of the help that lists it. */
enum request_section keys_section(enum request request);
/* Returns the section's heading. */
const char *keys_section_name(enum request_section section); /* "Moving", ... */

/* Appends the whole table as text, as --keys prints it. */
void keys_print(struct str *into) __attribute__((nonnull));
/* Appends it in mdoc, for the manual; tests compare the page with it. */
void keys_manual(struct str *into) __attribute__((nonnull));

/*
 * Reads a script of keys: one or several per line apart by blanks, names as above; "type TEXT"
 * types the rest of the line; a word with "#" before it begins a comment; "resize WxH" is a key as
 * well. 0 with keys to free(), NULL where there are none; or negative with the number of the bad
 * line in *ret_line.
 */
int keys_parse(const char *script, struct key **ret, size_t *ret_n, size_t *ret_line)
	__attribute__((nonnull));

#endif
