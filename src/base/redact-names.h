/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_REDACT_NAMES_H
#define BASE_REDACT_NAMES_H

/* The parts of redact.h that know words: its own files include this, nobody else. */

#include <stdbool.h>
#include <stddef.h>

/* ASCII only, whatever the locale: the same bytes must be hidden everywhere. */
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

/* Letters, digits and what joins them to names. */
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

enum redact_name {
	REDACT_NAME_NONE,
	REDACT_NAME_STRONG,    /* a secret, wherever a value follows */
	REDACT_NAME_HEADER,    /* of HTTP: the rest of the line is its value */
	REDACT_NAME_KEY,       /* "key" alone: as an option, or before what looks like a key */
	REDACT_NAME_TOKEN,     /* "token" alone: the same */
	REDACT_NAME_ASSIGNED,  /* only before '=', or as an option */
	REDACT_NAME_SIGNATURE, /* only before '=' and a long value */
};

enum redact_name redact_name_of(const char *name, size_t len);

/* How many bytes the key has that the word begins with, known by its first characters; 0 none. */
size_t redact_known_key(const char *word, size_t len);

/*
 * What names of secrets end in, and how keys begin that are known by that: from 0 on, NULL where
 * there are no more.
 */
const char *redact_name_word(size_t i);
const char *redact_key_begin(size_t i);

/*
 * The next place from `from` on, where a word may begin, at which something begins, or stands
 * within a word, that redact_text() must read: the name of a secret, a key, "curl"; len where there
 * is none. Addresses and traces are told by their "@" and "+".
 */
size_t redact_find(const char *bytes, size_t from, size_t len);

/* A line that a shell traces, behind its plus: what the options of known programs hold. */
void redact_trace(char *line, size_t len) __attribute__((nonnull));

#endif
