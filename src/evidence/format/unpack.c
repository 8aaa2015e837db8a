/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/format/unpack.h"

#include <string.h>

/* Reads a big-endian number of `len` bytes. */
static bool unpack_number(struct unpack *unpack, size_t len, uint64_t *ret)
{
	uint64_t number = 0;

	if ((size_t)(unpack->end - unpack->at) < len)
		return false;
	while (len--)
		number = number << 8 | *unpack->at++;
	*ret = number;
	return true;
}

/* Takes the next `len` bytes as the item's. */
static bool unpack_bytes(struct unpack *unpack, uint64_t len, struct unpack_item *ret)
{
	if (len > (uint64_t)(unpack->end - unpack->at))
		return false;
	ret->bytes = unpack->at;
	ret->len = (size_t)len;
	unpack->at += len;
	return true;
}

/* Reads a number of `width` bytes, and as many bytes as it says plus `more` as the item's. */
static bool unpack_sized(
	struct unpack *unpack, size_t width, size_t more, struct unpack_item *ret)
{
	uint64_t len;

	return unpack_number(unpack, width, &len) && unpack_bytes(unpack, len + more, ret);
}

static bool unpack_signed(struct unpack *unpack, size_t width, struct unpack_item *ret)
{
	uint64_t number;

	if (!unpack_number(unpack, width, &number))
		return false;
	if (number >> (8 * width - 1) & 1) {
		ret->negative = true;
		if (width < 8)
			number |= ~0ull << 8 * width;
	}
	ret->type = UNPACK_INT;
	ret->number = number;
	return true;
}

static bool unpack_unsigned(struct unpack *unpack, size_t width, struct unpack_item *ret)
{
	ret->type = UNPACK_INT;
	return unpack_number(unpack, width, &ret->number);
}

static bool unpack_count(
	struct unpack *unpack, size_t width, enum unpack_type type, struct unpack_item *ret)
{
	uint64_t number;

	if (!unpack_number(unpack, width, &number))
		return false;
	ret->type = type;
	ret->len = (size_t)number;
	return true;
}

/* What stands behind a mark of 0xc0 to 0xdf; `width`: in bytes, of the number there or of all. */
enum unpack_form {
	FORM_NONE,
	FORM_NIL,
	FORM_BOOL,
	FORM_TEXT, /* its length, then bytes: a binary or a string */
	FORM_EXT,  /* its length, a type, then bytes */
	FORM_FIXED,
	FORM_UNSIGNED,
	FORM_SIGNED,
	FORM_ARRAY,
	FORM_MAP
};

static const struct {
	enum unpack_form form;
	uint8_t width;
} unpack_forms[0x20] = {
	[0x00] = {FORM_NIL, 0},
	[0x02] = {FORM_BOOL, 0}, {FORM_BOOL, 0},
	[0x04] = {FORM_TEXT, 1}, {FORM_TEXT, 2}, {FORM_TEXT, 4},
	[0x07] = {FORM_EXT, 1}, {FORM_EXT, 2}, {FORM_EXT, 4},
	[0x0a] = {FORM_FIXED, 4}, {FORM_FIXED, 8},
	[0x0c] = {FORM_UNSIGNED, 1}, {FORM_UNSIGNED, 2}, {FORM_UNSIGNED, 4}, {FORM_UNSIGNED, 8},
	[0x10] = {FORM_SIGNED, 1}, {FORM_SIGNED, 2}, {FORM_SIGNED, 4}, {FORM_SIGNED, 8},
	[0x14] = {FORM_FIXED, 2}, {FORM_FIXED, 3}, {FORM_FIXED, 5}, {FORM_FIXED, 9},
	[0x18] = {FORM_FIXED, 17},
	[0x19] = {FORM_TEXT, 1}, {FORM_TEXT, 2}, {FORM_TEXT, 4},
	[0x1c] = {FORM_ARRAY, 2}, {FORM_ARRAY, 4},
	[0x1e] = {FORM_MAP, 2}, {FORM_MAP, 4},
};

static bool unpack_marked(struct unpack *unpack, uint8_t mark, struct unpack_item *ret)
{
	size_t width = unpack_forms[mark - 0xc0].width;

	switch (unpack_forms[mark - 0xc0].form) {
	case FORM_NIL:
		ret->type = UNPACK_NIL;
		return true;
	case FORM_BOOL:
		ret->type = UNPACK_BOOL;
		ret->number = mark & 1;
		return true;
	case FORM_TEXT:
		ret->type = UNPACK_BYTES;
		return unpack_sized(unpack, width, 0, ret);
	case FORM_EXT:
		return unpack_sized(unpack, width, 1, ret);
	case FORM_FIXED:
		return unpack_bytes(unpack, width, ret);
	case FORM_UNSIGNED:
		return unpack_unsigned(unpack, width, ret);
	case FORM_SIGNED:
		return unpack_signed(unpack, width, ret);
	case FORM_ARRAY:
		return unpack_count(unpack, width, UNPACK_ARRAY, ret);
	case FORM_MAP:
		return unpack_count(unpack, width, UNPACK_MAP, ret);
	default:
		return false;
	}
}

/*
 * Reads what follows a mark. Small numbers and short texts, arrays and maps have their value or
 * length in the mark itself.
 */
static bool unpack_item(struct unpack *unpack, uint8_t mark, struct unpack_item *ret)
{
	if (mark < 0x80 || mark >= 0xe0) {
		ret->type = UNPACK_INT;
		ret->negative = mark >= 0xe0;
		ret->number = (uint64_t)(int8_t)mark;
		return true;
	}
	if (mark >= 0xc0)
		return unpack_marked(unpack, mark, ret);
	if (mark >= 0xa0) {
		ret->type = UNPACK_BYTES;
		return unpack_bytes(unpack, mark & 0x1f, ret);
	}
	ret->type = mark >= 0x90 ? UNPACK_ARRAY : UNPACK_MAP;
	ret->len = mark & 0x0f;
	return true;
}

bool unpack_next(struct unpack *unpack, struct unpack_item *ret)
{
	const uint8_t *start = unpack->at;

	*ret = (struct unpack_item){.type = UNPACK_OTHER};
	if (!unpack->broken && start < unpack->end) {
		unpack->at++;
		if (unpack_item(unpack, *start, ret))
			return true;
	}
	unpack->at = start;
	unpack->broken = true;
	return false;
}

/*
 * Adds how many items must follow this one. Returns false if more must follow than there are bytes,
 * since each takes at least a byte.
 */
static bool unpack_owe(const struct unpack *unpack, const struct unpack_item *item, uint64_t *owed)
{
	if (item->type == UNPACK_ARRAY)
		*owed += item->len;
	else if (item->type == UNPACK_MAP)
		*owed += 2 * (uint64_t)item->len;
	return *owed <= (uint64_t)(unpack->end - unpack->at);
}

bool unpack_skip(struct unpack *unpack, const struct unpack_item *item)
{
	struct unpack_item next = *item;
	uint64_t owed = 0;
	bool good = unpack_owe(unpack, &next, &owed);

	while (good && owed) {
		owed--;
		good = unpack_next(unpack, &next) && unpack_owe(unpack, &next, &owed);
	}
	unpack->broken = unpack->broken || !good;
	return good;
}

bool unpack_is(const struct unpack_item *item, const char *text)
{
	return item->type == UNPACK_BYTES && item->len == strlen(text) &&
	       !memcmp(item->bytes, text, item->len);
}
