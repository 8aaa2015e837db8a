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

/*
 * Reads an item that is no short one: its mark, 0xc0 to 0xdf, tells what it is and how its length
 * is written.
 */
static bool unpack_marked(struct unpack *unpack, uint8_t mark, struct unpack_item *ret)
{
	switch (mark) {
	case 0xc0:
		ret->type = UNPACK_NIL;
		return true;
	case 0xc2:
	case 0xc3:
		ret->type = UNPACK_BOOL;
		ret->number = mark & 1;
		return true;
	case 0xc4:
	case 0xc5:
	case 0xc6:
		ret->type = UNPACK_BYTES;
		return unpack_sized(unpack, (size_t)1 << (mark - 0xc4), 0, ret);
	case 0xc7:
	case 0xc8:
	case 0xc9:
		return unpack_sized(unpack, (size_t)1 << (mark - 0xc7), 1, ret);
	case 0xca:
	case 0xcb:
		return unpack_bytes(unpack, (size_t)4 << (mark - 0xca), ret);
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xcf:
		return unpack_unsigned(unpack, (size_t)1 << (mark - 0xcc), ret);
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		return unpack_signed(unpack, (size_t)1 << (mark - 0xd0), ret);
	case 0xd4:
	case 0xd5:
	case 0xd6:
	case 0xd7:
	case 0xd8:
		return unpack_bytes(unpack, ((size_t)1 << (mark - 0xd4)) + 1, ret);
	case 0xd9:
	case 0xda:
	case 0xdb:
		ret->type = UNPACK_BYTES;
		return unpack_sized(unpack, (size_t)1 << (mark - 0xd9), 0, ret);
	case 0xdc:
	case 0xdd:
		return unpack_count(unpack, (size_t)2 << (mark - 0xdc), UNPACK_ARRAY, ret);
	case 0xde:
	case 0xdf:
		return unpack_count(unpack, (size_t)2 << (mark - 0xde), UNPACK_MAP, ret);
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
