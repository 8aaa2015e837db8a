/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/format/fields.h"

#include <limits.h>
#include <string.h>

#include "base/str.h"

int fields_append(void *into, const char *bytes, size_t size)
{
	str_add_bytes(into, bytes, size);
	return 0;
}

void fields_put_text(msgpack_packer *packer, const char *text)
{
	msgpack_pack_str_with_body(packer, text, strlen(text));
}

void fields_put_bytes(msgpack_packer *packer, const void *bytes, size_t len)
{
	msgpack_pack_bin_with_body(packer, len ? bytes : "", len);
}

static const void *field_in(const struct field *field, const void *of)
{
	return (const char *)of + field->offset;
}

/* True if the member has a value that is written. */
static bool field_is_told(const struct field *field, const void *of)
{
	const void *at = field_in(field, of);

	switch (field->type) {
	case FIELD_U32:
		return *(const uint32_t *)at != 0;
	case FIELD_U64:
	case FIELD_I64:
		return *(const uint64_t *)at != 0;
	case FIELD_INT:
		return *(const int *)at != 0;
	case FIELD_BOOL:
		return *(const bool *)at;
	case FIELD_TEXT:
		return **(const char *const *)at != '\0';
	case FIELD_NAMED:
		return true;
	}
	return false;
}

static void field_put(msgpack_packer *packer, const struct field *field, const void *at)
{
	fields_put_text(packer, field->key);
	switch (field->type) {
	case FIELD_U32:
		msgpack_pack_uint64(packer, *(const uint32_t *)at);
		break;
	case FIELD_U64:
		msgpack_pack_uint64(packer, *(const uint64_t *)at);
		break;
	case FIELD_I64:
		msgpack_pack_int64(packer, *(const int64_t *)at);
		break;
	case FIELD_INT:
		msgpack_pack_int64(packer, *(const int *)at);
		break;
	case FIELD_BOOL:
		msgpack_pack_true(packer);
		break;
	case FIELD_TEXT:
		fields_put_text(packer, *(const char *const *)at);
		break;
	case FIELD_NAMED:
		fields_put_text(packer, field->names[*(const int *)at]);
		break;
	}
}

size_t fields_count(const struct field *fields, size_t nr, const void *of)
{
	size_t told = 0;

	for (size_t i = 0; i < nr; i++)
		told += field_is_told(&fields[i], of);
	return told;
}

void fields_put(msgpack_packer *packer, const struct field *fields, size_t nr, const void *of)
{
	for (size_t i = 0; i < nr; i++)
		if (field_is_told(&fields[i], of))
			field_put(packer, &fields[i], field_in(&fields[i], of));
}

/* Finds the value among the field's names. */
static bool field_take_name(const struct field *field, const struct unpack_item *value, int *into)
{
	for (int i = 0; i < field->nr; i++) {
		if (unpack_is(value, field->names[i])) {
			*into = i;
			return true;
		}
	}
	return false;
}

/* Reads a number as an int64_t. Returns false if it is none in [low, high]. */
static bool item_within(const struct unpack_item *value, int64_t low, int64_t high, int64_t *ret)
{
	int64_t number = (int64_t)value->number;

	if (value->type != UNPACK_INT || (!value->negative && value->number > INT64_MAX))
		return false;
	*ret = number;
	return number >= low && number <= high;
}

/* Stores the value in the member at `at`. Returns false if it does not fit. */
static bool field_take(const struct field *field, const struct unpack_item *value, void *at,
	struct arena *arena)
{
	int64_t number = 0;

	switch (field->type) {
	case FIELD_U32:
		if (!item_within(value, 0, UINT32_MAX, &number))
			return false;
		*(uint32_t *)at = (uint32_t)number;
		return true;
	case FIELD_U64:
		if (value->type != UNPACK_INT || value->negative)
			return false;
		*(uint64_t *)at = value->number;
		return true;
	case FIELD_I64:
		return item_within(value, INT64_MIN, INT64_MAX, at);
	case FIELD_INT:
		if (!item_within(value, INT_MIN, INT_MAX, &number))
			return false;
		*(int *)at = (int)number;
		return true;
	case FIELD_BOOL:
		*(bool *)at = value->type == UNPACK_BOOL && value->number;
		return value->type == UNPACK_BOOL;
	case FIELD_TEXT:
		if (value->type != UNPACK_BYTES)
			return false;
		*(const char **)at =
			arena_text_max(arena, (const char *)value->bytes, value->len);
		return true;
	case FIELD_NAMED:
		return field_take_name(field, value, at);
	}
	return false;
}

bool fields_take(const struct field *fields, size_t nr, const struct unpack_item *key,
	const struct unpack_item *value, void *into, struct arena *arena)
{
	for (size_t i = 0; i < nr; i++)
		if (unpack_is(key, fields[i].key))
			return field_take(
				&fields[i], value, (char *)into + fields[i].offset, arena);
	return false;
}
