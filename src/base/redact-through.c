/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text is read as it stands, and as it is shown: without the escapes of terminals, which colour
 * a part of a word, and without those of JSON, "pass\u0077ord=". What is a secret in what is shown
 * is hidden where it stands.
 */
#include "base/redact.h"

#include <ctype.h>
#include <string.h>

#include "base/ansi.h"
#include "base/redact-names.h"
#include "base/str.h"

#define NOTHING	     (-1)
#define ROUNDS	     4
#define SLASHES_MOST 15 /* before an escape of JSON's: strings in strings in strings */

/*
 * Returns how many bytes at a place, where there are some, are shown as one character, which it
 * sets, or as nothing: then it sets NOTHING.
 */
typedef size_t shown(const char *at, size_t len, int *ret_c);

static int digit_of(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static size_t shown_json(const char *at, size_t len, int *ret_c)
{
	size_t n = 0;

	*ret_c = *at;
	while (n < len && n < SLASHES_MOST && at[n] == '\\')
		n++;
	if (n && n < len && (at[n] == 'b' || at[n] == 'f')) {
		*ret_c = at[n] == 'b' ? '\b' : '\f';
		return n + 1;
	}
	if (!n || len - n < 5 || memcmp(at + n, "u00", 3) != 0 ||
		!isxdigit((unsigned char)at[n + 3]) || !isxdigit((unsigned char)at[n + 4]))
		return 1;
	*ret_c = digit_of(at[n + 3]) << 4 | digit_of(at[n + 4]);
	return n + 5;
}

/* True for what a terminal does not show, and what parts no words. */
static bool is_hidden(char c)
{
	return c && (unsigned char)c < ' ' && !strchr("\t\r\n", c);
}

static size_t shown_terminal(const char *at, size_t len, int *ret_c)
{
	size_t escape = escape_length(at, len);

	*ret_c = escape || is_hidden(*at) ? NOTHING : *at;
	return escape ? escape : 1;
}

static bool has_json(const char *text, size_t len)
{
	return memmem(text, len, "\\u00", 4) || memmem(text, len, "\\b", 2) ||
	       memmem(text, len, "\\f", 2);
}

static bool has_terminal(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (is_hidden(text[i]))
			return true;
	return false;
}

/* A way in which what is shown differs from what stands there. */
struct layer {
	bool (*has)(const char *text, size_t len);
	shown *next;
};

/* What is taken away first comes first: JSON may hold escapes of terminals, they hold none. */
static const struct layer layers[] = {{has_json, shown_json}, {has_terminal, shown_terminal}};

#define LAYERS (sizeof(layers) / sizeof(layers[0]))

static void redact_from(char *text, size_t len, size_t layer);

/*
 * Hides what is a secret in a text as it is shown without a layer, and those behind it. Returns
 * true if there was any.
 */
static bool redact_without(char *text, size_t len, size_t layer)
{
	struct str copy = {0};
	size_t at, nr = 0;
	bool any = false;
	int c;

	str_room(&copy, len);
	for (at = 0; at < len;) {
		at += layers[layer].next(text + at, len - at, &c);
		if (c != NOTHING)
			str_add_char(&copy, (char)c);
	}
	redact_from(copy.text, copy.len, layer + 1);
	for (at = 0; at < len;) {
		size_t more = layers[layer].next(text + at, len - at, &c);

		if (c != NOTHING && copy.text[nr++] == REDACT_STAR && c != REDACT_STAR) {
			memset(text + at, REDACT_STAR, more);
			any = true;
		}
		at += more;
	}
	str_release(&copy);
	return any;
}

/* What was hidden may have shown where something else is: that is looked for anew. */
static void redact_from(char *text, size_t len, size_t layer)
{
	bool any = true;

	for (int round = 0; any && round < ROUNDS; round++) {
		any = false;
		redact_words(text, len);
		for (size_t i = layer; i < LAYERS; i++)
			if (layers[i].has(text, len))
				any |= redact_without(text, len, i);
	}
}

void redact_text(char *text, size_t len)
{
	redact_from(text, len, 0);
}
