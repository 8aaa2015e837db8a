/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>

#include "cmd/ring/ring-fields.h"
#include "words/escape.h"

/*
 * Returns a string: numbers that name things would be spoiled by programs that read them as
 * doubles.
 */
static struct json_object *hex(uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, n);
	return json_object_new_string(text);
}

/* Returns a string. Text from the ring may be any bytes; JSON must be UTF-8. */
static struct json_object *text(const char *bytes)
{
	struct str utf8 = {0};
	struct json_object *value;

	escape_to_utf8(&utf8, bytes);
	value = json_object_new_string(str_text(&utf8));
	str_release(&utf8);
	return value;
}

static struct json_object *object(const struct ring_fields *fields);
static struct json_object *array(const struct ring_fields *fields);

/* Returns a field in the JSON type that keeps it whole. */
static struct json_object *value(const struct ring_field *field)
{
	switch (field->form) {
	case RING_FORM_NONE:
		return NULL;
	case RING_FORM_UINT:
		return json_object_new_uint64(field->value);
	case RING_FORM_INT:
		return json_object_new_int64((int64_t)field->value);
	case RING_FORM_HEX:
		return hex(field->value);
	case RING_FORM_BOOL:
		return json_object_new_boolean(field->value != 0);
	case RING_FORM_NAME:
	case RING_FORM_TEXT:
		return text(field->text);
	case RING_FORM_OBJECT:
		return object(field->in);
	case RING_FORM_ARRAY:
		return array(field->in);
	}
	return NULL;
}

static struct json_object *object(const struct ring_fields *fields)
{
	struct json_object *o = json_object_new_object();

	ring_fields_each (field, fields)
		json_object_object_add(o, field->name, value(field));
	return o;
}

static struct json_object *array(const struct ring_fields *fields)
{
	struct json_object *a = json_object_new_array();

	ring_fields_each (field, fields)
		json_object_array_add(a, value(field));
	return a;
}

void ring_dump_json(
	struct str *into, const struct ring_view *view, const struct ring_dump_options *options)
{
	struct arena arena = {0};
	struct json_object *o = object(ring_contents(&arena, view, options->path, true));

	escape_json(into, json_object_to_json_string_ext(o, JSON_C_TO_STRING_NOSLASHESCAPE));
	str_add_char(into, '\n');
	json_object_put(o);
	arena_release(&arena);
}
