/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/json-tree.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* At most so many characters of a number are read; no dump writes a longer one. */
#define JSON_NUMBER 64

/* A document that is being read. */
struct json_tree {
	struct value_stack *stack;
	const uint8_t *bytes;
	const uint8_t *at;
	const uint8_t *end;
	struct str text;           /* the text of a string with escapes */
	char closing[VALUE_DEPTH]; /* for each open container the bracket that ends it */
};

/* Tells damage: cut, if the word at json->at goes on to the end, else no JSON. Always false. */
static bool json_nonsense(struct json_tree *json)
{
	size_t at = (size_t)(json->at - json->bytes);
	size_t len = (size_t)(json->end - json->bytes);
	const uint8_t *word = json->at;

	while (word < json->end && (isalnum(*word) || memchr("+-.", *word, 3)))
		word++;
	if (word == json->end)
		return value_damage(json->stack, len, "cut at byte %zu", len);
	return value_damage(json->stack, at, "no JSON at byte %zu", at);
}

static bool json_skip_space(struct json_tree *json)
{
	while (json->at < json->end && memchr(" \t\r\n", *json->at, 4))
		json->at++;
	return json->at < json->end;
}

static bool json_push(struct json_tree *json, enum value_type type, int64_t number)
{
	*value_push(json->stack) = (struct value){.type = (uint8_t)type, .number = number};
	return true;
}

/* Reads the four digits at json->at. */
static bool json_hex(struct json_tree *json, uint32_t *ret)
{
	uint32_t code = 0;

	for (int i = 0; i < 4; i++, json->at++) {
		int c = json->at < json->end ? *json->at : 0;

		if (!isxdigit(c))
			return json_nonsense(json);
		code = code << 4 | (uint32_t)(isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	*ret = code;
	return true;
}

static void json_add_utf8(struct str *text, uint32_t code)
{
	static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
	int len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	str_add_char(text, (char)(len == 1 ? code : first[len] | code >> (6 * (len - 1))));
	for (int i = len - 2; i >= 0; i--)
		str_add_char(text, (char)(0x80 | (code >> (6 * i) & 0x3f)));
}

/*
 * Reads what follows "\u": one code, or the two of a pair. Half a pair stands as it is, as in
 * Python.
 */
static bool json_unicode(struct json_tree *json)
{
	uint32_t high, low;

	if (!json_hex(json, &high))
		return false;
	if (high >> 10 == 0xd800 >> 10 && json->end - json->at >= 6 && json->at[0] == '\\' &&
		json->at[1] == 'u') {
		const uint8_t *behind = json->at;

		json->at += 2;
		if (!json_hex(json, &low))
			return false;
		if (low >> 10 == 0xdc00 >> 10)
			high = 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff));
		else
			json->at = behind;
	}
	json_add_utf8(&json->text, high);
	return true;
}

static bool json_escape(struct json_tree *json)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (json->at == json->end)
		return json_nonsense(json);
	if (*json->at == 'u') {
		json->at++;
		return json_unicode(json);
	}
	found = *json->at ? strchr(from, *json->at) : NULL;
	if (!found)
		return json_nonsense(json);
	str_add_char(&json->text, to[found - from]);
	json->at++;
	return true;
}

/* Reads a string from behind its quote. One without escapes is not copied. */
static bool json_string(struct json_tree *json)
{
	const uint8_t *begin = json->at;
	bool escaped = false;

	str_cut(&json->text, 0);
	for (;;) {
		while (json->at < json->end && *json->at != '"' && *json->at != '\\')
			json->at++;
		if (json->at == json->end)
			return json_nonsense(json);
		if (escaped || *json->at == '\\')
			str_add_bytes(&json->text, begin, (size_t)(json->at - begin));
		if (*json->at++ == '"')
			break;
		escaped = true;
		if (!json_escape(json))
			return false;
		begin = json->at;
	}
	*value_push(json->stack) =
		escaped ? value_text(json->stack, (const uint8_t *)str_text(&json->text),
				  (uint32_t)json->text.len)
			: value_text(json->stack, begin, (uint32_t)(json->at - 1 - begin));
	return true;
}

/*
 * Reads a number. An integer that fits into 64 bits stays one; a larger one, or a fraction, is a
 * real.
 */
static bool json_number(struct json_tree *json)
{
	size_t len = 0, left = (size_t)(json->end - json->at);
	char text[JSON_NUMBER + 1];
	char *end;
	long long number;

	while (len < left && len < JSON_NUMBER && strchr("+-.eE0123456789", json->at[len]) &&
		json->at[len])
		len++;
	memcpy(text, json->at, len);
	text[len] = '\0';
	errno = 0;
	number = strtoll(text, &end, 10);
	if (!errno && len && !*end) {
		json->at += len;
		return json_push(json, VALUE_INT, number);
	}
	*value_push(json->stack) = (struct value){.type = VALUE_REAL, .real = strtod(text, &end)};
	if (!len || *end) {
		json->stack->items.nr--;
		json->at += end - text;
		return json_nonsense(json);
	}
	json->at += len;
	return true;
}

/* Reads a word of JSON or of Python's, else a number. */
static bool json_word(struct json_tree *json)
{
	static const struct {
		const char *text;
		enum value_type type;
		double value;
	} words[] = {
		{"null", VALUE_NONE, 0},
		{"true", VALUE_BOOL, 1},
		{"false", VALUE_BOOL, 0},
		{"NaN", VALUE_REAL, NAN},
		{"Infinity", VALUE_REAL, INFINITY},
		{"-Infinity", VALUE_REAL, -INFINITY},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t len = strlen(words[i].text);

		if ((size_t)(json->end - json->at) < len ||
			memcmp(json->at, words[i].text, len) != 0)
			continue;
		json->at += len;
		if (words[i].type != VALUE_REAL)
			return json_push(json, words[i].type, words[i].value != 0);
		*value_push(json->stack) =
			(struct value){.type = VALUE_REAL, .real = words[i].value};
		return true;
	}
	return json_number(json);
}

static bool json_open(struct json_tree *json)
{
	bool list = *json->at == '[';
	size_t at = (size_t)(json->at - json->bytes);

	(void)json_push(json, list ? VALUE_LIST : VALUE_DICT, 0);
	if (!value_open(json->stack))
		return value_damage(
			json->stack, at, "nested deeper than %d at byte %zu", VALUE_DEPTH, at);
	json->closing[json->stack->nplaces - 1] = list ? ']' : '}';
	json->at++;
	return true;
}

static bool json_close(struct json_tree *json)
{
	enum value_type type = *json->at == ']' ? VALUE_LIST : VALUE_DICT;

	if (json->closing[json->stack->nplaces - 1] != *json->at || !value_close(json->stack, type))
		return json_nonsense(json);
	json->at++;
	return true;
}

/* Reads the next value; of a container only its opening bracket. */
static bool json_value(struct json_tree *json)
{
	if (!json_skip_space(json))
		return json_nonsense(json);
	switch (*json->at) {
	case '{':
	case '[':
		return json_open(json);
	case '"':
		json->at++;
		return json_string(json);
	default:
		return json_word(json);
	}
}

/* Reads the key of a dict's item, and its colon. */
static bool json_key(struct json_tree *json)
{
	if (!json_skip_space(json) || *json->at != '"')
		return json_nonsense(json);
	json->at++;
	if (!json_string(json))
		return false;
	if (!json_skip_space(json) || *json->at != ':')
		return json_nonsense(json);
	json->at++;
	return true;
}

/* Reads on in the innermost container: an item, its end, or a comma and an item. */
static bool json_item(struct json_tree *json)
{
	struct value_stack *stack = json->stack;
	char closing = json->closing[stack->nplaces - 1];

	if (!json_skip_space(json))
		return json_nonsense(json);
	if (*json->at == ']' || *json->at == '}')
		return json_close(json);
	if (value_above(stack)) {
		if (*json->at != ',')
			return json_nonsense(json);
		json->at++;
	}
	return (closing == ']' || json_key(json)) && json_value(json);
}

/* False, with damage told, if the values take more memory than the document's bytes warrant. */
static bool json_is_light(struct json_tree *json)
{
	size_t len = (size_t)(json->end - json->bytes), at = (size_t)(json->at - json->bytes);

	if (value_is_heavy(json->stack, len, json->text.room))
		return value_damage(json->stack, at,
			"says more than its %zu bytes can hold at byte %zu", len, at);
	return true;
}

void json_tree_read(const uint8_t *bytes, size_t len, struct value_stack *stack)
{
	struct json_tree json = {.stack = stack, .bytes = bytes, .at = bytes, .end = bytes + len};
	bool fine = json_value(&json);

	while (fine && stack->nplaces)
		fine = json_item(&json) && json_is_light(&json);
	if (fine && json_skip_space(&json)) {
		size_t at = (size_t)(json.at - bytes);

		(void)value_damage(stack, at, "%zu bytes behind its end at byte %zu", len - at, at);
	}
	value_salvage(stack);
	str_release(&json.text);
}
