/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortens a declaration to its name. It is read from left to right, and what has been taken of it
 * so far is the name until a blank, "*" or "&" outside of brackets shows that it was a type, which
 * is then dropped. Brackets that follow the name end it, unless "::" leads further in: into what
 * stands in a function. Only the names of operators have such characters themselves.
 */
#include "decode/stacks/shortname.h"

#include <ctype.h>
#include <string.h>

/* A declaration, as far as it is read. */
struct shortening {
	const char *at;
	struct str *into;
	size_t from; /* where the name begins in `into` */
	bool ended;  /* the rest tells no more of the name */
};

/* Skips this text; false if another one stands there. */
static bool take(struct shortening *s, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(s->at, text, len) != 0)
		return false;
	s->at += len;
	return true;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* --- Operators -------------------------------------------------------------------------------- */

/* Returns how long the sign of an operator is, behind "operator"; 0 if it has none. */
static size_t operator_length(const char *at)
{
	/* Of signs that begin alike the longer one is first. */
	static const char *const signs[] = {"()", "[]", "->*", "->", "<=>", "<<=", ">>=", "<<",
		">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=",
		"&=", "|=", "^=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "=", "<", ">",
		",", " new[]", " new", " delete[]", " delete", " co_await", "\"\" "};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t len = strlen(signs[i]);

		if (!strncmp(at, signs[i], len) &&
			(!isalpha((unsigned char)signs[i][len - 1]) || !is_word(at[len])))
			return len;
	}
	return 0;
}

/* True if the word "operator" stands at `at`, in `text`. */
static bool is_operator(const char *text, const char *at)
{
	static const char word[] = "operator";

	return !strncmp(at, word, sizeof(word) - 1) && !is_word(at[sizeof(word) - 1]) &&
	       (at == text || !is_word(at[-1]));
}

/* --- Brackets --------------------------------------------------------------------------------- */

/*
 * Returns what stands behind the bracket that belongs to the one at `at`; NULL there is none. In
 * "<...>" what stands in round brackets is passed over, since "<" and ">" may be operators of an
 * expression there.
 */
static const char *group_end(const char *at)
{
	char opens = *at, closes = opens == '(' ? ')' : opens == '<' ? '>' : opens + 2;
	size_t depth = 0, round = 0;
	const char *start = at;

	while (*at) {
		if (is_operator(start, at)) {
			at += strlen("operator");
			at += operator_length(at);
			continue;
		}
		if (opens == '<' && *at == '(')
			round++;
		else if (opens == '<' && *at == ')' && round)
			round--;
		else if (*at == opens && !round)
			depth++;
		else if (*at == closes && !round && !(opens == '<' && at[-1] == '-') && !--depth)
			return at + 1;
		at++;
	}
	return NULL;
}

static bool skip_group(struct shortening *s)
{
	const char *end = group_end(s->at);

	if (end)
		s->at = end;
	return end;
}

/* --- Parts of a declaration ------------------------------------------------------------------- */

/* Skips a type, up to the parameters of its conversion. */
static bool skip_converted(struct shortening *s)
{
	while (*s->at && *s->at != '(') {
		if (*s->at != '<')
			s->at++;
		else if (!skip_group(s))
			return false;
		if (!strncmp(s->at, "(anonymous namespace)", 21) && !skip_group(s))
			return false;
	}
	return true;
}

static bool shorten_operator(struct shortening *s)
{
	size_t len;

	take(s, "operator");
	len = operator_length(s->at);
	str_add(s->into, "operator");
	if (!len) {
		str_add(s->into, " cast");
		return skip_converted(s);
	}
	str_add_bytes(s->into, s->at, len);
	s->at += len;
	take(s, " "); /* "operator< <int>" */
	return true;
}

/* Skips parameters; behind them is the end, or what stands in this function. */
static bool shorten_parameters(struct shortening *s)
{
	if (!skip_group(s))
		return false;
	while (take(s, " const") || take(s, " volatile") || take(s, " restrict") ||
		take(s, " &&") || take(s, " &"))
		;
	s->ended = strncmp(s->at, "::", 2) != 0;
	return true;
}

/* True at "decltype(auto) f()", "decltype (x + y) f()": all of that is a type. */
static bool is_decltype(const struct shortening *s)
{
	static const char word[] = "decltype";
	size_t len = sizeof(word) - 1;

	return s->into->len - s->from == len && !memcmp(s->into->text + s->from, word, len) &&
	       s->at[*s->at == ' '] == '(';
}

/* Drops what was taken: it is a type, and the name comes behind. */
static bool drop_type(struct shortening *s)
{
	bool expression = is_decltype(s);

	str_cut(s->into, s->from);
	if (!expression || *s->at == ' ')
		s->at++;
	return !expression || skip_group(s);
}

static bool shorten_round(struct shortening *s)
{
	if (take(s, "(anonymous namespace)")) {
		str_add(s->into, "(anonymous)");
		return true;
	}
	if (is_decltype(s))
		return drop_type(s);
	if (s->into->len > s->from)
		return shorten_parameters(s);
	s->at++; /* of "int (*f())[2]" */
	return true;
}

/* Shortens "{lambda(int)#1}", "{unnamed type#2}" to the first word. */
static bool shorten_curly(struct shortening *s)
{
	const char *end = group_end(s->at), *at = s->at;

	if (!end)
		return false;
	do
		str_add_char(s->into, *at++);
	while (is_word(*at));
	str_add_char(s->into, '}');
	s->at = end;
	return true;
}

static bool shorten_next(struct shortening *s, const char *text)
{
	if (is_operator(text, s->at))
		return shorten_operator(s);
	switch (*s->at) {
	case '<':
	case '[':
		return skip_group(s);
	case '(':
		return shorten_round(s);
	case '{':
		return shorten_curly(s);
	case ')':
		s->ended = true;
		return true;
	case ' ':
	case '*':
	case '&':
		return drop_type(s);
	default:
		str_add_char(s->into, *s->at++);
		return true;
	}
}

bool shortname_add(struct str *into, const char *declaration)
{
	struct shortening s = {.at = declaration, .into = into, .from = into->len};
	bool fine = true;

	while (fine && *s.at && !s.ended)
		fine = shorten_next(&s, declaration);
	if (!fine || into->len == s.from) {
		str_cut(into, s.from);
		return false;
	}
	return true;
}
