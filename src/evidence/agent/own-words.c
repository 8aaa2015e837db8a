/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/agent/own-words.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* The line before a page reads "INQUEST: verdict in 23 lines". */
#define OWN_WORDS_PAGE OWN_WORDS_SAYS "verdict in "
#define OWN_WORDS_MARK 64  /* how far into a line ours may begin, behind marks of launchers */
#define OWN_WORDS_MOST 200 /* lines of a page */

static const char *const own_words_starts[] = {
	OWN_WORDS_VERDICT, OWN_WORDS_SAYS, OWN_WORDS_COMPLAINT};

void own_words_add_page(struct str *into, const char *page)
{
	size_t lines = 0;

	for (const char *at = page; *at; at++)
		lines += *at == '\n';
	str_printf(into, OWN_WORDS_PAGE "%zu lines\n%s", lines, page);
}

/* True if the text begins with `start`. */
static bool own_words_begin(const char *at, size_t len, const char *start)
{
	size_t n = strlen(start);

	return len >= n && !memcmp(at, start, n);
}

/*
 * True if nothing stands before that place in the line, or only a launcher's mark: "[default0]:",
 * "0: ".
 */
static bool own_words_may_begin(const char *line, size_t at)
{
	while (at && line[at - 1] == ' ')
		at--;
	return !at || strchr("]:)", line[at - 1]);
}

/* Returns where our text begins in this line; NULL: nowhere. */
static const char *own_words_in(const char *line, size_t len)
{
	size_t nr = sizeof(own_words_starts) / sizeof(own_words_starts[0]);

	for (size_t at = 0; at < len && at < OWN_WORDS_MARK; at++)
		for (size_t i = 0; i < nr && own_words_may_begin(line, at); i++)
			if (own_words_begin(line + at, len - at, own_words_starts[i]))
				return line + at;
	return NULL;
}

/* Returns how many lines from this one on, itself among them, are ours; 0 if it is the job's. */
static size_t own_words_lines(const char *line, size_t len)
{
	const char *ours = own_words_in(line, len);
	size_t left = ours ? len - (size_t)(ours - line) : 0, lines = 0;

	if (!ours)
		return 0;
	if (!own_words_begin(ours, left, OWN_WORDS_PAGE))
		return 1;
	for (size_t i = strlen(OWN_WORDS_PAGE); i < left && isdigit((unsigned char)ours[i]); i++)
		if (lines < OWN_WORDS_MOST)
			lines = lines * 10 + (size_t)(ours[i] - '0');
	return 1 + (lines < OWN_WORDS_MOST ? lines : OWN_WORDS_MOST);
}

bool own_words_are_in(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(own_words_starts) / sizeof(own_words_starts[0]); i++)
		if (memmem(text, len, own_words_starts[i], strlen(own_words_starts[i])))
			return true;
	return false;
}

/* Returns the length of the line at `at` with its newline, and sets its length without. */
static size_t own_words_line(const char *text, size_t len, size_t at, size_t *ret_len)
{
	const char *newline = memchr(text + at, '\n', len - at);

	*ret_len = newline ? (size_t)(newline - text) - at : len - at;
	return *ret_len + (newline ? 1 : 0);
}

/*
 * Returns the place behind the first verdict if no page's opening line comes before it, as in a
 * text that begins within a page of ours; else 0.
 */
static size_t own_words_torn(const char *text, size_t len)
{
	for (size_t at = 0, whole, line; at < len; at += whole) {
		const char *ours;

		whole = own_words_line(text, len, at, &line);
		ours = own_words_in(text + at, line);
		if (!ours)
			continue;
		line -= (size_t)(ours - (text + at));
		if (own_words_begin(ours, line, OWN_WORDS_PAGE))
			return 0;
		if (own_words_begin(ours, line, OWN_WORDS_VERDICT))
			return at + whole;
	}
	return 0;
}

size_t own_words_drop(char *text, size_t len)
{
	size_t kept = 0, ours = 0;

	for (size_t at = own_words_torn(text, len), whole, line; at < len; at += whole) {
		size_t more;

		whole = own_words_line(text, len, at, &line);
		more = own_words_lines(text + at, line);
		if (more > ours)
			ours = more;
		if (ours) {
			ours--;
			continue;
		}
		memmove(text + kept, text + at, whole);
		kept += whole;
	}
	return kept;
}
