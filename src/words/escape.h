/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text from outside (log lines, thread names, loader names, host names) on its way to a person. It
 * may hold anything: escape sequences that repaint a terminal, bidirectional controls that turn a
 * sentence round, invalid UTF-8. None of that is ever written raw; what cannot be shown is shown as
 * \xNN or \u{N}, so that nothing is hidden either.
 *
 * Columns are counted as a terminal does: 2 for East Asian wide characters and most emoji, 0 for
 * combining marks.
 */
#ifndef WORDS_ESCAPE_H
#define WORDS_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Reads one character of a UTF-8 string and returns its code point. *ret_size is the number of
 * bytes that it takes (at least 1, never beyond the NUL). Overlong forms, surrogates and whatever
 * else is no character give -1 and size 1.
 */
int32_t escape_decode(const char *text, size_t *ret_size);

/*
 * True if the character may go to a terminal or into a log as it is: no control, no bidirectional
 * mark, nothing unseen.
 */
bool escape_is_plain(int32_t code);

/* Returns how many columns the character takes: 0, 1 or 2. */
unsigned escape_columns(int32_t code);

/* Returns how many columns a text takes that was escaped before. */
size_t escape_width(const char *text);

/* Appends text, escaped. Without `utf8` everything beyond ASCII is escaped as well. */
void escape_text(struct str *into, const char *text, bool utf8);

/*
 * Appends an escaped text, cut to at most `width` columns; a cut one ends in "..." (or in nothing,
 * where `width` is below 4). Never cuts a character in two. Returns the columns written.
 */
size_t escape_fit(struct str *into, const char *escaped, size_t width);

/* Appends one cell of a table: text, escaped, cut to width columns, filled up to two more. */
void escape_cell(struct str *into, const char *text, size_t width, bool utf8);

/* Appends text as valid UTF-8: every byte that belongs to no character becomes U+FFFD. */
void escape_to_utf8(struct str *into, const char *text);

/*
 * Appends finished JSON so that a terminal is safe as well: characters that are not plain become
 * \uNNNN, which JSON reads back as the same. The JSON must be valid UTF-8.
 */
void escape_json(struct str *into, const char *json);

#endif
