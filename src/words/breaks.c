/* SPDX-License-Identifier: Apache-2.0 */
#include "words/breaks.h"

#include <ctype.h>
#include <string.h>

#include "words/escape.h"

/* What may stand in front of a word and is no part of it. */
#define BEFORE "([{\"'"
#define DIGITS "0123456789"

/* A word of a text. */
struct word {
	const char *at;
	size_t len;
};

/* Words behind which a number is a name, and counts nothing. */
static const char *const namers[] = {"rank", "ranks", "pid", "pids", "tid", "seat", "seats", "step",
	"batch", "graph", "status", "signal", "thread", "line", "port", "attempt", "operation"};

/* Returns the word that ends at that blank. */
static struct word word_before(const char *text, size_t blank)
{
	size_t from = blank;

	while (from && text[from - 1] != ' ')
		from--;
	while (from < blank && strchr(BEFORE, text[from]))
		from++;
	return (struct word){text + from, blank - from};
}

/* True for a word behind which a number is a name. */
static bool is_namer(struct word word)
{
	for (size_t i = 0; i < sizeof(namers) / sizeof(namers[0]); i++)
		if (strlen(namers[i]) == word.len && !memcmp(namers[i], word.at, word.len))
			return true;
	return false;
}

/* True if the word is a number, a time or a range of them, and nothing else. */
static bool is_number(struct word word)
{
	size_t sign = word.len && strchr("+-~", *word.at) ? 1 : 0;

	return word.len > sign && isdigit((unsigned char)word.at[sign]) &&
	       isdigit((unsigned char)word.at[word.len - 1]) &&
	       strspn(word.at + sign, DIGITS ".,:/-") >= word.len - sign;
}

/* True if the number counts what begins with `next`: "9.3 s", "4 rows"; but not "rank 3 waits". */
static bool counts(const char *text, struct word number, char next)
{
	size_t blank = (size_t)(number.at - text);

	while (blank && strchr(BEFORE, text[blank - 1]))
		blank--;
	if (!is_number(number) || (!isalpha((unsigned char)next) && next != '%'))
		return false;
	return !blank || !is_namer(word_before(text, blank - 1));
}

/* True if what begins at `next` is the name's number: "rank 3", "AllReduce #12", "oom_kill +0". */
static bool is_named(struct word name, const char *next)
{
	if (strchr("#+", *next))
		return isdigit((unsigned char)next[1]);
	return isdigit((unsigned char)*next) && is_namer(name);
}

/*
 * True if the word is an option and `next` begins its value: "-o FILE", "--hosts LIST"; but not "->
 * 61", nor an option behind another.
 */
static bool is_option(struct word word, char next)
{
	return word.len > 1 && *word.at == '-' && !memchr(word.at, '=', word.len) &&
	       isalnum((unsigned char)word.at[word.len - 1]) &&
	       !isdigit((unsigned char)word.at[1]) && next != '-';
}

/* True if what stands before and behind that blank is read as one. */
static bool is_one(const char *text, size_t blank)
{
	struct word before = word_before(text, blank);
	const char *next = text + blank + 1;

	if (!before.len || !*next || *next == ' ')
		return false;
	return is_option(before, *next) || is_named(before, next) || counts(text, before, *next);
}

/* The last places to break at within the room, as bytes; 0: there is none. */
struct places {
	/* clause: behind "; "; part: a blank between two things; blank: any blank */
	size_t clause, part, blank;
	size_t comma; /* behind the last of a list without blanks */
	size_t end; /* how much fits; the text's end if all does */
};

/* Returns where a text may be broken so that its begin fits into `width` columns. */
static struct places places_of(const char *text, size_t width)
{
	struct places places = {0};
	bool quoted = false;
	size_t used = 0;

	for (size_t at = 0, size; text[at]; at += size) {
		if (text[at] == '`')
			quoted = !quoted;
		if (text[at] == ' ') {
			places.blank = at;
			if (!quoted && !is_one(text, at))
				places.part = at;
			if (!quoted && at && text[at - 1] == ';')
				places.clause = at;
		}
		used += escape_columns(escape_decode(text + at, &size));
		if (used > width)
			return places;
		places.end = at + size;
		if (text[at] == ',')
			places.comma = places.end;
	}
	return places;
}

size_t breaks_at(const char *escaped, size_t width)
{
	struct places places = places_of(escaped, width);

	if (!escaped[places.end])
		return places.end;
	return places.clause  ? places.clause
	       : places.part  ? places.part
	       : places.blank ? places.blank
	       : places.comma ? places.comma
			      : places.end;
}

/*
 * True if a cut at `at` would tear a word with a number, or what follows one, so that the rest
 * reads as another.
 */
static bool is_torn(const char *text, size_t at, const struct places *places)
{
	size_t from = at;

	while (from && text[from - 1] != ' ')
		from--;
	for (size_t i = from; text[i] && text[i] != ' '; i++)
		if (isdigit((unsigned char)text[i]))
			return true;
	return places->part != places->blank;
}

void breaks_fit(struct str *into, const char *escaped, size_t width)
{
	static const char dots[] = " ...";
	size_t room = width > strlen(dots) ? width - strlen(dots) : 0;
	struct places places = places_of(escaped, room);
	size_t cut = places.part < room / 2 ? places.blank : places.part;

	if (escape_width(escaped) <= width || cut < room / 2 ||
		!is_torn(escaped, places.end, &places)) {
		escape_fit(into, escaped, width);
		return;
	}
	str_add_bytes(into, escaped, cut);
	str_add(into, dots);
}
