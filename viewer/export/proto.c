/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/export/proto.h"

#include "words/escape.h"

/* Wire types, as the encoding numbers them. */
enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

/* Appends seven bits a byte, the lowest first. */
static void add_varint(struct str *into, uint64_t value)
{
	while (value >= 0x80) {
		str_add_char(into, (char)(unsigned char)(value | 0x80));
		value >>= 7;
	}
	str_add_char(into, (char)value);
}

/* Appends what stands before a field's value. */
static void add_tag(struct str *into, unsigned field, enum wire wire)
{
	add_varint(into, (uint64_t)field << 3 | (unsigned)wire);
}

void proto_uint(struct str *into, unsigned field, uint64_t value)
{
	add_tag(into, field, WIRE_VARINT);
	add_varint(into, value);
}

void proto_fixed64(struct str *into, unsigned field, uint64_t value)
{
	add_tag(into, field, WIRE_FIXED64);
	for (int i = 0; i < 8; i++)
		str_add_char(into, (char)(unsigned char)(value >> 8 * i));
}

void proto_message(struct str *into, unsigned field, const struct str *message)
{
	add_tag(into, field, WIRE_BYTES);
	add_varint(into, message->len);
	str_add_bytes(into, message->text, message->len);
}

void proto_text(struct str *into, unsigned field, const char *text)
{
	struct str clean = {0};

	escape_to_utf8(&clean, text);
	proto_message(into, field, &clean);
	str_release(&clean);
}
