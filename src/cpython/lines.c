/* SPDX-License-Identifier: Apache-2.0 */
#include "cpython/lines.h"

#define PYTHON_NO_LINE (-128) /* of 3.10: these instructions have none, the count goes on */

/*
 * Returns a line as found; 0 if it is none. Lines are ints in CPython: what leaves their range is
 * no line.
 */
static uint32_t python_line_given(int64_t line)
{
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

/*
 * Reads a table of 3.8 or 3.9: pairs (bytes of code, lines), each of which tells where the next
 * line begins.
 */
static uint32_t python_line_lnotab(const uint8_t *table, size_t len, int64_t line, int64_t at)
{
	int64_t address = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		address += table[i];
		if (address > at)
			break;
		line += (int8_t)table[i + 1];
	}
	return python_line_given(line);
}

/*
 * Reads a table of 3.10: pairs (bytes of code, lines), each of which tells the line of these bytes
 * themselves.
 */
static uint32_t python_line_ranges(const uint8_t *table, size_t len, int64_t line, int64_t at)
{
	int64_t end = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		int delta = (int8_t)table[i + 1];

		end += table[i];
		if (delta != PYTHON_NO_LINE)
			line += delta;
		if (at * 2 < end)
			return delta == PYTHON_NO_LINE ? 0 : python_line_given(line);
	}
	return 0;
}

/* A place in a table of locations. */
struct python_cursor {
	const uint8_t *next, *end;
};

/*
 * Reads a number of six bits a byte, the lowest first; 0x40 says that more follow. Bits beyond the
 * 32nd are dropped.
 */
static uint32_t cursor_varint(struct python_cursor *cursor)
{
	uint32_t value = 0;

	for (unsigned shift = 0; cursor->next < cursor->end; shift += 6) {
		uint8_t byte = *cursor->next++;

		if (shift < 32)
			value |= (uint32_t)(byte & 0x3f) << shift;
		if (!(byte & 0x40))
			break;
	}
	return value;
}

/* Reads a signed number, whose sign is the lowest bit. */
static int64_t cursor_signed(struct python_cursor *cursor)
{
	uint32_t value = cursor_varint(cursor);

	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* The kinds of entries. Kinds 0 to 9 give columns on the same line. */
enum {
	LOCATION_ONE_LINE = 10, /* and 11 and 12: that many lines more, two bytes of columns */
	LOCATION_LINE = 13,
	LOCATION_LONG = 14, /* line, end line, two columns */
	LOCATION_NONE = 15,
};

/*
 * Reads a table of 3.11 or later: entries of a first byte (bit 7, kind, instructions - 1) and what
 * the kind says. What does not belong to a line is skipped, up to the next byte with bit 7, by
 * which entries begin.
 */
static uint32_t python_line_locations(const uint8_t *table, size_t len, int64_t line, int64_t at)
{
	struct python_cursor cursor = {table, len ? table + len : table};
	int64_t end = 0;

	while (cursor.next < cursor.end) {
		uint8_t byte = *cursor.next++;
		unsigned kind = byte >> 3 & 15;

		if (!(byte & 0x80))
			continue;
		end += (byte & 7) + 1;
		if (kind == LOCATION_LINE || kind == LOCATION_LONG)
			line += cursor_signed(&cursor);
		else if (kind >= LOCATION_ONE_LINE && kind < LOCATION_LINE)
			line += kind - LOCATION_ONE_LINE;
		if (at < end)
			return kind == LOCATION_NONE ? 0 : python_line_given(line);
	}
	return 0;
}

uint32_t python_line(
	enum python_lines how, const uint8_t *table, size_t len, uint32_t first_line, int64_t at)
{
	if (at < 0)
		return python_line_given(first_line);
	if (at > UINT32_MAX)
		return 0;
	switch (how) {
	case PYTHON_LINES_LNOTAB:
		return python_line_lnotab(table, len, first_line, at);
	case PYTHON_LINES_RANGES:
		return python_line_ranges(table, len, first_line, at);
	case PYTHON_LINES_LOCATIONS:
		return python_line_locations(table, len, first_line, at);
	}
	return 0;
}
