/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text is read word by word, once, and of its words only those that redact-find.c has found, or
 * that may stand in an address or a trace. At each word: is it a key by itself; is it the name of a
 * secret, and what stands behind it, or beside it in a table? At each "://": who logs in there?
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

#define NEAR        512 /* bytes */
#define LOGIN_MOST  (NEAR + 2 * NESTED_MOST + 6) /* "://" in strings in strings, and NEAR */
#define BLANKS_MOST 64  /* between a name and its value where they stand in columns, */
#define OPTION_MOST 8   /* and between an option and its value: words may explain it */
#define DOTS_LEAST  3
#define DEEP_MOST   16 /* pluses before what a shell within shells runs */
#define NESTED_MOST 15 /* backslashes before a quote: strings in strings in strings */
#define SHORT_KEY   8  /* what is shorter behind "token=" is none */
#define LONG_KEY    16 /* behind "token:", where text may follow */

struct text {
	char *at;
	size_t len;
};

/* A value [from, to) that follows a name. */
struct value {
	size_t from, to;
	char between;     /* '=', ':', '.' or ' ' */
	bool quoted;      /* it stands in quotes, */
	bool name_quoted; /* or its name does */
};

static char text_at(const struct text *text, size_t at)
{
	return at < text->len ? text->at[at] : '\0';
}

/*
 * Returns the text up to not far behind a place. The beginning of a value shows what it is, and a
 * text may be all beginnings, whose ends lie far away.
 */
static struct text text_near(const struct text *text, size_t at)
{
	return (struct text){text->at, text->len - at < NEAR ? text->len : at + NEAR};
}

static void hide(const struct text *text, size_t from, size_t to)
{
	memset(text->at + from, REDACT_STAR, to - from);
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* Returns how many backslashes stand at a place, as far as they may be a quote's. */
static size_t slashes_at(const struct text *text, size_t at)
{
	size_t nr = 0;

	while (nr <= NESTED_MOST && text_at(text, at + nr) == '\\')
		nr++;
	return nr;
}

/*
 * Returns how many bytes a quote at a place has; 0 if there is none. With each string around it it
 * has twice as many backslashes, and one more.
 */
static size_t quote_at(const struct text *text, size_t at)
{
	char c = text_at(text, at);
	size_t nr;

	if (c != '\\')
		return is_quote(c);
	nr = slashes_at(text, at);
	return !(nr & (nr + 1)) && is_quote(text_at(text, at + nr)) ? nr + 1 : 0;
}

static size_t skip_blanks(const struct text *text, size_t at)
{
	size_t end = at + BLANKS_MOST;

	while (at < end && (text_at(text, at) == ' ' || text_at(text, at) == '\t'))
		at++;
	return at;
}

/* --- Where a value ends ---------------------------------------------------------------------- */

/* True for a backslash that stands for the end of a line, or for a quote. */
static bool is_escaped_end(const struct text *text, size_t at)
{
	return text_at(text, at) == '\\' && at + 1 < text->len &&
	       strchr("nrt\"'", text->at[at + 1]) != NULL;
}

/*
 * True if a quote or an escaped end of a line, behind so many backslashes, ends a value whose own
 * quotes are of so many bytes. With twice as many it is inside of the value.
 */
static bool ends_quoted(size_t nr, char c, char quote, size_t own)
{
	if (c && strchr("nrt", c))
		return nr && nr <= own / 2;
	return c == quote || (own > 1 && nr && is_quote(c)) ? nr % (2 * own) != 2 * own - 1 : false;
}

/* Returns where a value in quotes ends: at its closing quote, or with the line of a cut text. */
static size_t end_of_quoted(const struct text *text, size_t at, char quote, size_t own)
{
	while (at < text->len && text->at[at] != '\n') {
		size_t nr = 0;

		while (text_at(text, at + nr) == '\\')
			nr++;
		if (ends_quoted(nr, text_at(text, at + nr), quote, own))
			return at + nr - (is_quote(text->at[at + nr]) ? nr % own : nr);
		at += nr;
		/* What stands behind an odd backslash belongs to it. */
		if (at < text->len && text->at[at] != '\n')
			at++;
	}
	return at < text->len ? at : text->len;
}

static size_t end_of_plain(const struct text *text, size_t at)
{
	for (; at < text->len; at++) {
		unsigned char c = (unsigned char)text->at[at];

		if (c <= ' ' || c == 0x7f || strchr("\"'`<>", c) || is_escaped_end(text, at) ||
			(c == '\\' && quote_at(text, at)))
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

/* Counts the dots of "name ...... value", as settings are printed; 0: none, or too few. */
static size_t dots_at(const struct text *text, size_t at)
{
	size_t nr = 0;

	while (nr < BLANKS_MOST && text_at(text, at + nr) == '.')
		nr++;
	return nr >= DOTS_LEAST && text_at(text, at + nr) == ' ' ? nr : 0;
}

/* Skips what assigns, between a name that ends at `at` and its value. False if nothing does. */
static bool find_between(const struct text *text, size_t *at, bool option, struct value *value)
{
	size_t next = *at, quote = quote_at(text, next), blank, dots;

	value->name_quoted = quote != 0;
	next += quote;
	blank = next;
	next = skip_blanks(text, next);
	value->between = text_at(text, next);
	dots = value->between == '.' && next > blank ? dots_at(text, next) : 0;
	if (value->between == '=' || value->between == ':') {
		/* That is a comparison, a scope of C++, or a URL's scheme. */
		if (strchr("=:/", text_at(text, next + 1)) && text_at(text, next + 1))
			return false;
		next += text_at(text, next + 1) == '>' ? 2 : 1;
	} else if (dots) {
		next += dots;
	} else if (option && next - blank <= OPTION_MOST &&
		   (next > blank || (quote && value->between == ','))) {
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
		value->to = end_of_quoted(text, value->from, text->at[at + quote - 1], quote);
	else if (header)
		value->to = end_of_header(text, at);
	else
		value->to = end_of_plain(text, at);
	return value->to > value->from;
}

/* True for a number, a truth value, a structure: no secrets, and JSON needs them whole. */
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

/* True if it looks like a key, and not like words that somebody wrote, or a path. */
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

/* --- Tables ---------------------------------------------------------------------------------- */

/* Returns how many bytes the bar between two cells has: '|', or one of Unicode's boxes. */
static size_t bar_at(const struct text *text, size_t at)
{
	if (text_at(text, at) == '|')
		return 1;
	return text_at(text, at) == '\xe2' && text_at(text, at + 1) == '\x94' &&
	       (text_at(text, at + 2) == '\x82' || text_at(text, at + 2) == '\x83') ? 3 : 0;
}

static bool is_line_end(const struct text *text, size_t at)
{
	return at >= text->len || strchr("\r\n", text->at[at]) || is_escaped_end(text, at) ||
	       quote_at(text, at);
}

/* True if a cell that begins at `from` is the first of its line, behind a bar or without. */
static bool begins_row(const struct text *text, size_t from)
{
	size_t at = from, least;

	while (at && from - at < BLANKS_MOST && text->at[at - 1] == ' ')
		at--;
	if (!at || text->at[at - 1] == '\n')
		return true;
	at -= bar_at(text, at - 1) ? 1 : at >= 3 && bar_at(text, at - 3) == 3 ? 3 : 0;
	if (!bar_at(text, at))
		return false;
	/* A log may put something before the line, but that has no bar. */
	for (least = at > NEAR ? at - NEAR : 0; at > least && text->at[at - 1] != '\n'; at--)
		if (bar_at(text, at - 1))
			return false;
	return !at || text->at[at - 1] == '\n';
}

/*
 * Hides the value in "| password | hunter2 |": a row of two cells, the second of one word. A row of
 * more cells is of a table whose columns have names; several words are an explanation.
 */
static size_t take_cell(const struct text *text, size_t from, size_t to)
{
	const struct text near = text_near(text, to);
	size_t at = skip_blanks(text, to), bar = bar_at(text, at), quote;
	struct value value = {.between = ':'};
	enum redact_name is;

	if (!bar)
		return to;
	is = redact_name_of(text->at + from, to - from);
	if (!is || !begins_row(text, from))
		return to;
	at = skip_blanks(&near, at + bar);
	quote = quote_at(&near, at);
	value.from = value.to = at + quote;
	while (value.to < near.len && !strchr(" \t", near.at[value.to]) &&
		!bar_at(&near, value.to) && !is_line_end(&near, value.to))
		value.to++;
	at = skip_blanks(text, value.to + (quote ? quote_at(text, value.to) : 0));
	at = skip_blanks(text, at + bar_at(text, at));
	if (value.to == value.from || !is_line_end(text, at) || !is_secret(text, is, false, &value))
		return to;
	hide(text, value.from, value.to);
	return value.to;
}

/* --- Words ------------------------------------------------------------------------------------ */

/* Hides the value if the word [from, to) is a secret's name. Returns where to read on. */
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
		return take_cell(text, from, to);
	is = redact_name_of(word, to - from);
	near = text_near(text, at);
	if (!is || !find_value(&near, at, is == REDACT_NAME_HEADER, &value))
		return to;
	/* It is another option, unless it is long and has one dash. */
	if (value.between == ' ' && text->at[value.from] == '-' &&
		(value.to - value.from <= 2 || text->at[value.from + 1] == '-'))
		return to;
	if (!is_secret(text, is, option, &value))
		return to;
	(void)find_value(text, at, is == REDACT_NAME_HEADER, &value);
	hide(text, value.from, value.to);
	return value.to;
}

/* Hides the key of "Bearer KEY", wherever it stands. */
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

/* Hides "-----BEGIN ... PRIVATE KEY-----" up to its end, or to that of the text. */
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

/* True if [from, to) are all digits, as a port is. */
static bool is_port(const struct text *text, size_t from, size_t to)
{
	while (from < to && redact_is_digit(text->at[from]))
		from++;
	return from == to;
}

/*
 * Hides the login in a URL whose address begins at `at`. A password may hold characters that should
 * be encoded.
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

/* Returns where the address of a URL begins whose ':' is at `at`; 0: none. JSON: "https:\/\/". */
static size_t address_at(const struct text *text, size_t at)
{
	for (int slashes = 0; slashes < 2; slashes++) {
		at += 1 + slashes_at(text, at + 1);
		if (text_at(text, at) != '/')
			return 0;
	}
	return at + 1;
}

/*
 * Behind these words the path of an address is a key to it: Slack's, Discord's, Teams'.
 * redact-find.c has how they begin.
 */
static const char *const hooks[] = {"services", "webhooks", "webhookb2", "workflows"};

/* Returns how many bytes a slash has, which JSON may write as "\/"; 0 if there is none. */
static size_t slash_at(const struct text *text, size_t at)
{
	size_t nr = slashes_at(text, at);

	return text_at(text, at + nr) == '/' ? nr + 1 : 0;
}

/* Returns how many bytes stand between the word [from, to) and a hook's key; 0: no hook. */
static size_t hook_at(const struct text *text, size_t from, size_t to)
{
	const char *word = text->at + from;
	size_t len = to - from, slash;

	if (text_at(text, to) == ':')
		return len > 6 && !memcmp(word, "bot", 3) && is_port(text, from + 3, to);
	slash = slash_at(text, to);
	for (size_t i = 0; slash && i < sizeof(hooks) / sizeof(hooks[0]); i++)
		if (len == strlen(hooks[i]) && !memcmp(word, hooks[i], len))
			return slash;
	return 0;
}

/* Hides the key of a hook, "/services/T0/B0/KEY" or "bot123:KEY". Returns where it ends. */
static size_t take_hook(const struct text *text, size_t from, size_t to)
{
	const struct text near = text_near(text, to);
	size_t between = hook_at(text, from, to), at = to + between;
	struct value value = {.from = at, .to = at};

	if (!between)
		return to;
	for (;;) {
		size_t slash = slash_at(&near, at);

		if (slash ? is_keylike(text, &value, LONG_KEY)
			  : !redact_is_word(text_at(&near, at)))
			break;
		at += slash ? slash : 1;
		value.to = at;
		if (slash)
			value.from = at;
	}
	if (!is_keylike(text, &value, LONG_KEY))
		return to;
	hide(text, to + between, value.to);
	return value.to;
}

/* --- Commands -------------------------------------------------------------------------------- */

/* Returns how much of curl's option stands before the login; 0 if it is another option. */
static size_t login_option(const struct text *text, size_t at)
{
	static const char *const names[] = {"-u", "-U", "--user", "--proxy-user"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);
		char next = text_at(text, at + len);

		if (at + len < text->len && !memcmp(text->at + at, names[i], len) &&
			(len == 2 || next == ' ' || next == '='))
			return len + (next == '=');
	}
	return 0;
}

/* True for USER:PASSWORD, of one word or in quotes, but not for a URL. */
static bool is_login(const struct text *text, const struct value *value)
{
	size_t len = value->to - value->from;
	const char *at = text->at + value->from, *colon = memchr(at, ':', len);

	return colon && colon > at && colon + 1 < at + len && colon[1] != '/';
}

/* Hides the login of "curl -u USER:PASSWORD". What else is in the line is read as any text. */
static void take_curl(const struct text *text, size_t from, size_t to)
{
	const struct text near = text_near(text, to);

	if (to - from != 4 || memcmp(text->at + from, "curl", 4) != 0)
		return;
	for (size_t at = to; at < near.len && near.at[at] != '\n'; at++) {
		struct value value;
		size_t option = near.at[at] == ' ' ? login_option(&near, at + 1) : 0;

		if (option && find_value(text, skip_blanks(text, at + 1 + option), false, &value) &&
			is_login(text, &value))
			hide(text, value.from, value.to);
	}
}

/* True if a plus at `at` is the last of those before a trace: behind a line's or a label's end. */
static bool is_trace(const struct text *text, size_t at)
{
	size_t first = at;

	if (text_at(text, at + 1) != ' ')
		return false;
	while (first && at - first < DEEP_MOST && text->at[first - 1] == '+')
		first--;
	/* Logs that are kept may have numbers and tabs before their lines. */
	if (!first || text->at[first - 1] == '\n' || text->at[first - 1] == '\t')
		return true;
	return first > 1 && text->at[first - 1] == ' ' && strchr(":]>", text->at[first - 2]) &&
	       text->at[first - 2];
}

/*
 * Hides secrets in what a shell traces ("+ mysql -u root -p..."), from its plus at `at` on. Returns
 * up to where it was read: a line may have many pluses.
 */
static size_t take_trace(const struct text *text, size_t at)
{
	const char *end;

	if (!is_trace(text, at))
		return at;
	end = memchr(text->at + at, '\n', text->len - at);
	if (!end)
		end = text->at + text->len;
	redact_trace(text->at + at + 2, (size_t)(end - text->at) - at - 2);
	return (size_t)(end - text->at);
}

/* --- All of it ------------------------------------------------------------------------------- */

/* Reads the word at `at` and what it says of what follows. Returns where to read on. */
static size_t take_word(const struct text *text, size_t at)
{
	size_t end = at, known, next;

	while (end < text->len && redact_is_word(text->at[end]))
		end++;
	known = redact_known_key(text->at + at, end - at);
	if (known) {
		hide(text, at, at + known);
		return at + known;
	}
	take_curl(text, at, end);
	next = take_name(text, at, end);
	if (next == end)
		next = take_bearer(text, at, end);
	if (next == end)
		next = take_hook(text, at, end);
	return next == end ? take_block(text, at, end) : next;
}

/* How far a text has been read, and where what comes next may stand. */
struct reading {
	struct text text;
	size_t at;
	size_t traced; /* up to here */
	size_t found, login, plus; /* the next of redact_find(), "@" and "+ " */
};

/* Reads all that begins before `end`, byte for byte. */
static void read_to(struct reading *reading, size_t end)
{
	const struct text *text = &reading->text;
	size_t address, at = reading->at;

	while (at < end) {
		if (redact_is_word(text->at[at])) {
			at = take_word(text, at);
		} else if (text->at[at] == ':' && (address = address_at(text, at))) {
			at = take_login(text, address);
		} else {
			if (text->at[at] == '+' && at >= reading->traced)
				reading->traced = take_trace(text, at);
			at++;
		}
	}
	reading->at = at;
}

static size_t find_byte(const struct text *text, size_t from, char c)
{
	const char *found = memchr(text->at + from, c, text->len - from);

	return found ? (size_t)(found - text->at) : text->len;
}

static void find_next(struct reading *reading)
{
	const struct text *text = &reading->text;
	size_t at = reading->at;
	/* Behind what was hidden, a word begins in the midst of one; it was not found before. */
	bool first = !at || (redact_is_word(text->at[at]) && redact_is_word(text->at[at - 1]));

	if (first || reading->found < at)
		reading->found = redact_find(text->at, at, text->len);
	if (!at || reading->login < at)
		reading->login = find_byte(text, at, '@');
	if (!at || reading->plus < at)
		reading->plus = find_byte(text, at, '+');
	while (reading->plus + 1 < text->len && text->at[reading->plus + 1] != ' ')
		reading->plus = find_byte(text, reading->plus + 1, '+');
}

/* Returns where the word at `at` began, but no place before that of the reading. */
static size_t word_begin(const struct reading *reading, size_t at)
{
	while (at > reading->at && redact_is_word(reading->text.at[at - 1]))
		at--;
	return at;
}

void redact_words(char *bytes, size_t len)
{
	struct reading reading = {.text = {bytes, len}};

	while (reading.at < len) {
		size_t next, end;

		find_next(&reading);
		next = reading.found < reading.plus ? reading.found : reading.plus;
		end = next + 1;
		/* The address begins up to LOGIN_MOST bytes before its "@". */
		if (reading.login < len && next + LOGIN_MOST > reading.login) {
			end = reading.login + 1;
			next = end > reading.at + LOGIN_MOST ? end - LOGIN_MOST : reading.at;
		}
		if (next >= len)
			return;
		reading.at = word_begin(&reading, next);
		read_to(&reading, end);
	}
}
