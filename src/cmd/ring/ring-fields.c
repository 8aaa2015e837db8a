/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ring/ring-fields.h"

#include <string.h>

struct ring_field *field_add(
	struct ring_fields *into, const char *name, enum ring_form form, uint64_t value)
{
	struct ring_field *field = arena_new(into->arena, struct ring_field);

	*field = (struct ring_field){.name = name, .form = form, .value = value};
	*(into->last ? &into->last->next : &into->first) = field;
	into->last = field;
	into->nr++;
	return field;
}

struct ring_field *field_add_text(struct ring_fields *into, const char *name, const char *text)
{
	struct ring_field *field = field_add(into, name, text ? RING_FORM_TEXT : RING_FORM_NONE, 0);

	field->text = text;
	return field;
}

struct ring_field *field_add_name(
	struct ring_fields *into, const char *name, const char *text, uint64_t value)
{
	struct ring_field *field =
		field_add(into, name, text ? RING_FORM_NAME : RING_FORM_UINT, value);

	field->text = text;
	return field;
}

/* Adds an empty object or array. */
static struct ring_fields *add_fields(
	struct ring_fields *into, const char *name, enum ring_form form)
{
	struct ring_field *field = field_add(into, name, form, 0);

	field->in = arena_new(into->arena, struct ring_fields);
	field->in->arena = into->arena;
	return field->in;
}

struct ring_fields *field_add_object(struct ring_fields *into, const char *name)
{
	return add_fields(into, name, RING_FORM_OBJECT);
}

struct ring_fields *field_add_array(struct ring_fields *into, const char *name)
{
	return add_fields(into, name, RING_FORM_ARRAY);
}
