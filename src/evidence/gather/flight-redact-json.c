/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redacts token by token, and is never at a loss: what stands between two strings and makes no
 * sense is hidden, and a string is a name if a colon follows. So a dump that is cut, or glued
 * together, has no place where secrets would pass.
 */
#include <ctype.h>
#include <string.h>

#include "base/redact.h"
#include "evidence/gather/flight-redact.h"

/* In containers deeper than this nothing is read, and no text is kept. */
#define DEPTH 64

/* Where the redaction is, and in what. */
struct json {
	uint8_t *bytes;
	size_t len, at;
	size_t depth; /* of open containers */
	bool dict[DEPTH]; /* by depth: an object, no list */
	bool keep[DEPTH]; /* by depth: a list that stands under a name that is read, so its texts
			   * are kept */
	bool known;	  /* true if the next value stands under a name that is read */
};

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* -- strings ----------------------------------------------------------------------------------- */

/* Returns how many bytes the escape at a backslash has; 0 where it is none. */
static size_t escape_len(const uint8_t *at, size_t left)
{
	if (left < 2 || !at[1] || !strchr("\"\\/bfnrtu", at[1]))
		return 0;
	if (at[1] != 'u')
		return 2;
	for (size_t i = 2; i < 6; i++)
		if (i >= left || !isxdigit(at[i]))
			return 0;
	return 6;
}

/* Returns where the string ends that begins here, and sets whether all its escapes are valid. */
static size_t string_end(const struct json *json, size_t at, bool *ret_sound)
{
	*ret_sound = true;
	while (at < json->len && json->bytes[at] != '"') {
		size_t step = 1;

		if (json->bytes[at] == '\\') {
			step = escape_len(json->bytes + at, json->len - at);
			*ret_sound = *ret_sound && step;
			step = step ? step : 2;
		}
		at += step;
	}
	return at < json->len ? at : json->len;
}

/* Hides a string. Escapes stay what they are, valid or not, and so does the character at fault. */
static void hide_string(uint8_t *at, const uint8_t *end)
{
	while (at < end) {
		size_t left = (size_t)(end - at), step = *at == '\\' ? escape_len(at, left) : 1;

		if (step == 6)
			memset(at + 2, '0', 4);
		else if (step == 2)
			at[1] = at[1] == '"' || at[1] == '\\' ? at[1] : 'n';
		else if (step == 1)
			*at = REDACT_STAR;
		at += step ? step : left < 2 ? left : 2;
	}
}

/* True if a colon comes next. */
static bool is_name(const struct json *json, size_t at)
{
	while (at < json->len && is_blank(json->bytes[at]))
		at++;
	return at < json->len && json->bytes[at] == ':';
}

/* Takes a string: a name, or a value that is kept (without secrets) or hidden. A number is kept. */
static void take_string(struct json *json)
{
	size_t from = json->at + 1, end;
	uint8_t *text = json->bytes + from;
	bool sound, named, keep;

	end = string_end(json, from, &sound);
	json->at = end < json->len ? end + 1 : end;
	named = end < json->len && is_name(json, json->at);
	keep = named || json->known ||
	       (json->depth && json->depth <= DEPTH && json->keep[json->depth - 1]);
	if (named)
		json->known = flight_redact_knows(text, end - from);
	else
		json->known = false;
	if (keep && sound && json->depth <= DEPTH)
		redact_text((char *)text, end - from);
	else if (!flight_redact_is_number(text, end - from))
		hide_string(text, text + (end - from));
}

/* -- all else ---------------------------------------------------------------------------------- */

/* Enters an object or a list. */
static void open_container(struct json *json, bool dict)
{
	bool keep = json->known || (json->depth && json->depth <= DEPTH &&
					   !json->dict[json->depth - 1] &&
					   json->keep[json->depth - 1]);

	if (json->depth < DEPTH) {
		json->dict[json->depth] = dict;
		json->keep[json->depth] = !dict && keep;
	}
	json->depth++;
	json->known = false;
}

/*
 * Returns how many bytes of a bare word mean something: a number, or true, false, null and their
 * kin.
 */
static size_t meant(const uint8_t *word, size_t len)
{
	static const char *const words[] = {
		"null", "true", "false", "NaN", "Infinity", "-Infinity"};
	size_t digits = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (len >= strlen(words[i]) && !memcmp(word, words[i], strlen(words[i])))
			return strlen(words[i]);
	while (digits < len && digits < 64 && word[digits] &&
		strchr("+-.eE0123456789", word[digits]))
		digits++;
	return digits;
}

/*
 * Hides a word that means nothing. Letters stay letters, so that a reader can tell a cut word from
 * a wrong one.
 */
static void take_word(struct json *json)
{
	size_t from = json->at, end = from;

	while (end < json->len && !is_blank(json->bytes[end]) &&
		(!json->bytes[end] || !strchr("\"{}[]:,", json->bytes[end])))
		end++;
	from += meant(json->bytes + from, end - from);
	for (; from < end; from++) {
		uint8_t *c = &json->bytes[from];

		*c = isalnum(*c) || memchr("+-.", *c, 3) ? 'x' : REDACT_STAR;
	}
	json->at = end;
	json->known = false;
}

void flight_redact_json(uint8_t *bytes, size_t len)
{
	struct json json = {.bytes = bytes, .len = len};

	while (json.at < len) {
		uint8_t c = bytes[json.at];

		if (c == '"') {
			take_string(&json);
			continue;
		}
		if (!is_blank(c) && (!c || !strchr("{}[]:,", c))) {
			take_word(&json);
			continue;
		}
		if (c == '{' || c == '[')
			open_container(&json, c == '{');
		else if ((c == '}' || c == ']') && json.depth)
			json.depth--;
		if (c == '}' || c == ']' || c == ',')
			json.known = false;
		json.at++;
	}
}
