/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_REDACT_NAMES_H
#define BASE_REDACT_NAMES_H

/*
 * redact-names.h: what the files of redact.h tell each other about words; nobody else includes it.
 */

#include <stdbool.h>
#include <stddef.h>

/* These know ASCII only, whatever the locale: the same bytes must be hidden everywhere. */
static inline bool redact_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool redact_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool redact_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool redact_is_letter(char c)
{
	return redact_is_upper(c) || redact_is_lower(c);
}

static inline bool redact_is_alnum(char c)
{
	return redact_is_letter(c) || redact_is_digit(c);
}

static inline char redact_lowered(char c)
{
	return redact_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

/* True for what names are made of: letters, digits and what joins them. */
static inline bool redact_is_word(char c)
{
	static const bool bytes[256] = {['0' ... '9'] = true,
		['A' ... 'Z'] = true,
		['a' ... 'z'] = true,
		['_'] = true,
		['-'] = true,
		['.'] = true};

	return bytes[(unsigned char)c];
}

/* What a name says of the value that follows it. */
enum redact_name {
	REDACT_NAME_NONE,
	REDACT_NAME_STRONG,    /* a secret, wherever a value follows */
	REDACT_NAME_HEADER,    /* of HTTP: the rest of the line is its value */
	REDACT_NAME_KEY,       /* "key" alone: as an option, or before what looks like a key */
	REDACT_NAME_TOKEN,     /* "token" alone: the same */
	REDACT_NAME_ASSIGNED,  /* only before '=', or as an option */
	REDACT_NAME_SIGNATURE, /* only before '=' and a long value */
};

/* Returns what a name, leading dashes of an option included, says of its value. */
enum redact_name redact_name_of(const char *name, size_t len);

/*
 * Returns the length of the key that the word begins with, if it is a key that its first characters
 * give away; else 0.
 */
size_t redact_known_key(const char *word, size_t len);

/*
 * Return the i-th of what names of secrets end in, and of the beginnings by which keys are known; i
 * counts from 0, and NULL means there are no more.
 */
const char *redact_name_word(size_t i);
const char *redact_key_begin(size_t i);

/*
 * Returns the next place that redact_text() must read, from `from` on, where a word may begin:
 * there the name of a secret, a key or "curl" begins, or a name stands within a word. Returns len
 * if there is none. Addresses and traces are not looked for here: their "@" and "+" tell them.
 */
size_t redact_find(const char *bytes, size_t from, size_t len);

/* Hides secrets in a text as it stands: redact_text() asks it of the text as it is shown, too. */
void redact_words(char *text, size_t len);

/*
 * Hides, in a line that a shell traces (behind its plus), what the options of known programs hold.
 */
void redact_trace(char *line, size_t len) __attribute__((nonnull));

#endif
