/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text is read word by word, once. At each word: is it a key by itself; is it the name of a secret,
 * and what stands behind it? At each "://": who logs in there?
 *
 * The same text may be a log line, JSON, JSON inside of JSON's strings, a list as Python prints it.
 * So quotes may stand around names and values, with backslashes before them, and a value ends where
 * any of those would end it. A backslash and what follows are hidden together, or not at all.
 */
#include "base/redact.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/redact-names.h"

#define NEAR	    512 /* bytes */
#define BLANKS_MOST 8
#define SHORT_KEY   8  /* what is shorter behind "token=" is none */
#define LONG_KEY    16 /* behind "token:", where text may follow */

struct text {
	char *at;
	size_t len;
};

/* A value that follows a name: [from, to). */
struct value {
	size_t from, to;
	char between;     /* '=', ':' or ' ' */
	bool quoted;      /* it stands in quotes, */
	bool name_quoted; /* or its name does */
};

/* Letters, digits and what joins them to names. */
static const bool word_bytes[256] = {['0' ... '9'] = true,
	['A' ... 'Z'] = true,
	['a' ... 'z'] = true,
	['_'] = true,
	['-'] = true,
	['.'] = true};

static bool is_word(char c)
{
	return word_bytes[(unsigned char)c];
}

static char text_at(const struct text *text, size_t at)
{
	return at < text->len ? text->at[at] : '\0';
}

/*
 * The text up to not far behind a place: what a value is shows its beginning. A text may be all
 * beginnings, whose ends lie far away.
 */
static struct text text_near(const struct text *text, size_t at)
{
	return (struct text){text->at, text->len - at < NEAR ? text->len : at + NEAR};
}

static void hide(const struct text *text, size_t from, size_t to)
{
	memset(text->at + from, REDACT_STAR, to - from);
}

/* Bytes of a quote at a place, escaped or not; 0 none. */
static size_t quote_at(const struct text *text, size_t at)
{
	char c = text_at(text, at), next = text_at(text, at + 1);

	if (c == '"' || c == '\'')
		return 1;
	return c == '\\' && (next == '"' || next == '\'') ? 2 : 0;
}

static size_t skip_blanks(const struct text *text, size_t at)
{
	size_t end = at + BLANKS_MOST;

	while (at < end && (text_at(text, at) == ' ' || text_at(text, at) == '\t'))
		at++;
	return at;
}

/* --- Where a value ends ---------------------------------------------------------------------- */

/* A backslash that stands for the end of a line, or for a quote. */
static bool is_escaped_end(const struct text *text, size_t at)
{
	return text_at(text, at) == '\\' && at + 1 < text->len &&
	       strchr("nrt\"'", text->at[at + 1]) != NULL;
}

/* Where a value in quotes ends: at its closing quote, or, in a text that is cut, with the line. */
static size_t end_of_quoted(const struct text *text, size_t at, char quote, bool escaped)
{
	for (; at < text->len && text->at[at] != '\n'; at++) {
		if (text->at[at] == quote || (escaped && is_escaped_end(text, at)))
			return at;
		if (text->at[at] == '\\' && at + 1 < text->len && text->at[at + 1] != '\n')
			at++;
	}
	return at < text->len ? at : text->len;
}

static size_t end_of_plain(const struct text *text, size_t at)
{
	for (; at < text->len; at++) {
		unsigned char c = (unsigned char)text->at[at];

		if (c <= ' ' || c == 0x7f || strchr("\"'`<>", c) || is_escaped_end(text, at))
			return at;
		if (c == '\\' && at + 1 < text->len && (unsigned char)text->at[at + 1] > ' ')
			at++;
	}
	return at;
}

static size_t end_of_header(const struct text *text, size_t at)
{
	while (at < text->len && text->at[at] != '\n' && text->at[at] != '\r' && text->at[at] &&
		!quote_at(text, at) && !is_escaped_end(text, at))
		at++;
	return at;
}

/* --- Names and what follows them ------------------------------------------------------------- */

/* Skips what assigns, between a name that ends at `at` and its value. False if nothing does. */
static bool find_between(const struct text *text, size_t *at, bool option, struct value *value)
{
	size_t next = *at, quote = quote_at(text, next), blank;

	value->name_quoted = quote != 0;
	next += quote;
	blank = next;
	next = skip_blanks(text, next);
	value->between = text_at(text, next);
	if (value->between == '=' || value->between == ':') {
		/* A comparison, a scope of C++, a scheme. */
		if (strchr("=:/", text_at(text, next + 1)) && text_at(text, next + 1))
			return false;
		next += text_at(text, next + 1) == '>' ? 2 : 1;
	} else if (option && (next > blank || (quote && value->between == ','))) {
		next += value->between == ',';
		value->between = ' ';
	} else {
		return false;
	}
	*at = skip_blanks(text, next);
	return true;
}

/* Finds the value that begins at `at`, maybe with a quote. */
static bool find_value(const struct text *text, size_t at, bool header, struct value *value)
{
	size_t quote;

	if (strchr("bBuUrR", text_at(text, at)) && text_at(text, at) && quote_at(text, at + 1))
		at++;
	quote = quote_at(text, at);
	value->quoted = quote != 0;
	value->from = at + quote;
	if (quote)
		value->to = end_of_quoted(text, value->from, text->at[at + quote - 1], quote == 2);
	else if (header)
		value->to = end_of_header(text, at);
	else
		value->to = end_of_plain(text, at);
	return value->to > value->from;
}

/* A number, a truth value, a structure: none of these is a secret, and JSON needs them whole. */
static bool is_harmless(const struct text *text, const struct value *value, bool numbers)
{
	static const char *const words[] = {"true", "false", "none", "null", "yes", "no"};
	const char *at = text->at + value->from;
	size_t len = value->to - value->from, digits = 0;

	if (value->quoted && !numbers)
		return false;
	while (len && !value->quoted && strchr(",;)]}", at[len - 1]))
		len--;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (len == strlen(words[i]) && !strncasecmp(at, words[i], len))
			return true;
	while (digits < len && (redact_is_digit(at[digits]) || strchr(".-+", at[digits])))
		digits++;
	if (digits == len && (numbers || value->name_quoted))
		return true;
	return !value->quoted && strchr("{[(", *at);
}

/* True if it may be a key by its look, other than words that somebody wrote, or a path. */
static bool is_keylike(const struct text *text, const struct value *value, size_t least)
{
	size_t digits = 0, letters = 0, pieces = 0;

	for (size_t i = value->from; i < value->to; i++) {
		digits += redact_is_digit(text->at[i]) != 0;
		letters += redact_is_letter(text->at[i]) != 0;
		pieces += text->at[i] == '/' || text->at[i] == ':';
	}
	if (pieces && !redact_is_key(text->at + value->from, value->to - value->from))
		return false;
	return value->to - value->from >= least && digits && letters;
}

static bool is_secret(
	const struct text *text, enum redact_name is, bool option, const struct value *value)
{
	bool assigned = value->between == '=' || option;

	switch (is) {
	case REDACT_NAME_STRONG:
		return !is_harmless(text, value, !assigned);
	case REDACT_NAME_HEADER:
		return true;
	case REDACT_NAME_KEY:
	case REDACT_NAME_TOKEN:
		if (option)
			return !is_harmless(text, value, true);
		return is_keylike(text, value, assigned ? SHORT_KEY : LONG_KEY);
	case REDACT_NAME_ASSIGNED:
		return assigned && !is_harmless(text, value, true);
	case REDACT_NAME_SIGNATURE:
		return assigned && is_keylike(text, value, LONG_KEY);
	default:
		return false;
	}
}

/* The word [from, to) is the name of a secret? Then its value is hidden. Where to read on. */
static size_t take_name(const struct text *text, size_t from, size_t to)
{
	const char *word = text->at + from;
	bool option = word[0] == '-';
	struct value value = {0};
	enum redact_name is;
	struct text near;
	size_t at = to;

	/* Most words assign nothing: that is seen sooner than what they mean. */
	if (!find_between(text, &at, option, &value))
		return to;
	is = redact_name_of(word, to - from);
	near = text_near(text, at);
	if (!is || !find_value(&near, at, is == REDACT_NAME_HEADER, &value))
		return to;
	if (value.between == ' ' && text->at[value.from] == '-')
		return to;
	if (!is_secret(text, is, option, &value))
		return to;
	(void)find_value(text, at, is == REDACT_NAME_HEADER, &value);
	hide(text, value.from, value.to);
	return value.to;
}

/* "Bearer KEY", wherever it stands. */
static size_t take_bearer(const struct text *text, size_t from, size_t to)
{
	struct value value = {.from = skip_blanks(text, to)};
	const struct text near = text_near(text, to);

	if (to - from != 6 || strncasecmp(text->at + from, "bearer", 6) || value.from == to)
		return to;
	value.to = end_of_plain(&near, value.from);
	if (!is_keylike(text, &value, LONG_KEY))
		return to;
	value.to = end_of_plain(text, value.from);
	hide(text, value.from, value.to);
	return value.to;
}

/* --- Blocks and addresses -------------------------------------------------------------------- */

/* "-----BEGIN ... PRIVATE KEY-----" to its end, or to that of the text. */
static size_t take_block(const struct text *text, size_t from, size_t to)
{
	static const char begin[] = "-----BEGIN", end[] = "-----END", what[] = "PRIVATE KEY";
	const char *found;
	size_t line = to, close;

	if (to - from != sizeof(begin) - 1 || memcmp(text->at + from, begin, to - from))
		return to;
	while (line < text->len && line < to + 40 && text->at[line] != '\n')
		line++;
	if (!memmem(text->at + to, line - to, what, sizeof(what) - 1))
		return to;
	found = memmem(text->at + to, text->len - to, end, sizeof(end) - 1);
	close = found ? (size_t)(found - text->at) : text->len;
	/* Lines stay lines, JSON's strings stay strings. */
	for (size_t i = to; i < close; i++) {
		if (is_escaped_end(text, i) && text->at[i + 1] == 'n')
			i++;
		else if (text->at[i] != '\n' && text->at[i] != '"')
			text->at[i] = REDACT_STAR;
	}
	return close;
}

/* True if [from, to) are digits: a port. */
static bool is_port(const struct text *text, size_t from, size_t to)
{
	while (from < to && redact_is_digit(text->at[from]))
		from++;
	return from == to;
}

/*
 * Finds the login in a URL whose address begins at `at`. A password may hold what should be
 * encoded.
 */
static size_t take_login(const struct text *text, size_t at)
{
	const struct text near = text_near(text, at);
	size_t end = end_of_plain(&near, at), slash = at, colon, login = at;

	while (slash < end && !strchr("/?#", text->at[slash]))
		slash++;
	for (size_t i = at; i < slash; i++)
		if (text->at[i] == '@')
			login = i;
	for (colon = at; colon < slash && text->at[colon] != ':';)
		colon++;
	if (login == at && colon < slash && text->at[at] != '[' && !is_port(text, colon + 1, slash))
		for (size_t i = slash; i < end; i++)
			if (text->at[i] == '@')
				login = i;
	hide(text, at, login);
	return login;
}

/* --- All of it ------------------------------------------------------------------------------- */

/* The word from `at` on, and what it says of what follows. Where to read on. */
static size_t take_word(const struct text *text, size_t at)
{
	size_t end = at, known, next;

	while (end < text->len && is_word(text->at[end]))
		end++;
	known = redact_known_key(text->at + at, end - at);
	if (known) {
		hide(text, at, at + known);
		return at + known;
	}
	next = take_name(text, at, end);
	if (next == end)
		next = take_bearer(text, at, end);
	return next == end ? take_block(text, at, end) : next;
}

void redact_text(char *bytes, size_t len)
{
	const struct text text = {bytes, len};

	for (size_t at = 0; at < len;) {
		if (is_word(bytes[at]))
			at = take_word(&text, at);
		else if (bytes[at] == ':' && len - at > 3 && bytes[at + 1] == '/' &&
			 bytes[at + 2] == '/')
			at = take_login(&text, at + 3);
		else
			at++;
	}
}
