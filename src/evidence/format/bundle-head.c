/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/format/bundle-head.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "evidence/format/unpack.h"

/* The keys of a head, with the fields that they fill. */
static const struct {
	const char *key;
	size_t offset;
	bool text;
} keys[] = {
	{"kind", offsetof(struct bundle_head, kind), true},
	{"host", offsetof(struct bundle_head, host), true},
	{"label", offsetof(struct bundle_head, label), true},
	{"rank", offsetof(struct bundle_head, rank), false},
	{"pid", offsetof(struct bundle_head, pid), false},
	{"start_time", offsetof(struct bundle_head, start_time), false},
	{"when", offsetof(struct bundle_head, when), false},
	{"damaged", offsetof(struct bundle_head, damaged), false},
	{"size", offsetof(struct bundle_head, size), false},
	{"packed", offsetof(struct bundle_head, packed), false},
	{"frames", offsetof(struct bundle_head, frames), false},
};

static void take_text(char **text, const struct unpack_item *value)
{
	free(*text);
	*text = alloc_copy(value->bytes, value->len);
}

/* Stores the value in the field of that key, if the key is known and the type is right. */
static void take(
	struct bundle_head *head, const struct unpack_item *key, const struct unpack_item *value)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		void *field = (char *)head + keys[i].offset;

		if (!unpack_is(key, keys[i].key))
			continue;
		if (keys[i].text && value->type == UNPACK_BYTES)
			take_text(field, value);
		else if (!keys[i].text && value->type == UNPACK_INT)
			*(int64_t *)field = (int64_t)(value->negative ? value->number
								      : value->number & INT64_MAX);
		return;
	}
}

/*
 * Reads the next item. Returns false where it is an array or a map: what those of a forged head say
 * to hold would have to be skipped, or believed.
 */
static bool next_scalar(struct unpack *unpack, struct unpack_item *ret)
{
	return unpack_next(unpack, ret) && ret->type != UNPACK_ARRAY && ret->type != UNPACK_MAP;
}

bool bundle_head_parse(const uint8_t *bytes, size_t size, struct bundle_head *ret)
{
	struct unpack unpack = unpack_of(bytes, size);
	struct unpack_item map, key, value;

	*ret = (struct bundle_head){.rank = -1};
	if (!unpack_next(&unpack, &map) || map.type != UNPACK_MAP || map.len > UINT16_MAX)
		return false;
	for (size_t i = 0; i < map.len; i++) {
		if (!next_scalar(&unpack, &key) || !next_scalar(&unpack, &value))
			return false;
		take(ret, &key, &value);
	}
	return true;
}

void bundle_head_release(struct bundle_head *head)
{
	free(head->kind);
	free(head->host);
	free(head->label);
}
