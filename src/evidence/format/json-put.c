/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/format/json-put.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/redact.h"

/* Returns how many bytes the UTF-8 character at text has; 0 if it is none. */
static size_t utf8_len(const unsigned char *text)
{
	size_t len = *text < 0x80 ? 1
		     : (*text & 0xe0) == 0xc0 && *text >= 0xc2 ? 2
		     : (*text & 0xf0) == 0xe0 ? 3
		     : (*text & 0xf8) == 0xf0 && *text <= 0xf4 ? 4
							       : 0;

	for (size_t i = 1; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

struct json_object *json_put_string(const char *text)
{
	char *clean = alloc_text(text);
	struct json_object *string;

	for (unsigned char *at = (unsigned char *)clean; *at;) {
		size_t len = utf8_len(at);

		if (!len)
			*at = '?';
		at += len ? len : 1;
	}
	string = json_object_new_string(clean);
	free(clean);
	return string;
}

void json_put_text(struct json_object *object, const char *key, const char *text)
{
	if (text)
		json_object_object_add(object, key, json_put_string(text));
}

void json_put_value(struct json_object *object, const char *key, const char *value)
{
	char *copy;

	if (!value)
		return;
	copy = alloc_text(value);
	redact_value(copy, strlen(copy));
	json_put_text(object, key, copy);
	free(copy);
}

void json_put_args(struct json_object *object, const char *key, char *const *args)
{
	struct json_object *list;
	struct str all = {0};

	if (!args)
		return;
	list = json_object_new_array();
	for (; *args; args++)
		str_add_bytes(&all, *args, strlen(*args) + 1);
	if (all.len)
		redact_args(all.text, all.len);
	for (size_t at = 0; at < all.len; at += strlen(all.text + at) + 1)
		json_object_array_add(list, json_put_string(all.text + at));
	json_object_object_add(object, key, list);
	str_release(&all);
}

void json_put_int(struct json_object *object, const char *key, int64_t value)
{
	json_object_object_add(object, key, json_object_new_int64(value));
}

void json_put_end(struct json_object *object, struct str *into)
{
	str_add(into, json_object_to_json_string_ext(
			      object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}
