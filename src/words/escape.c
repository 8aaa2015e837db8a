/* SPDX-License-Identifier: Apache-2.0 */
#include "words/escape.h"

#include <string.h>

/* Code points, in order. */
struct range {
	int32_t first, last;
};

/* Characters that change what stands around them, or that show nothing where something is. */
static const struct range unseen[] = {
	{0x0000, 0x001f},                   /* C0: escape sequences begin here */
	{0x007f, 0x009f},                   /* DEL and C1: so do 8-bit ones */
	{0x00ad, 0x00ad},                   /* soft hyphen */
	{0x034f, 0x034f},                   /* combining grapheme joiner */
	{0x061c, 0x061c},                   /* Arabic letter mark */
	{0x115f, 0x1160},                   /* Hangul fillers */
	{0x17b4, 0x17b5},                   /* Khmer vowels that are inherent */
	{0x180b, 0x180f},                   /* Mongolian variation selectors */
	{0x200b, 0x200f}, /* zero width, left-to-right and right-to-left marks */
	{0x2028, 0x202e}, /* line separators, bidirectional embeddings and overrides */
	{0x2060, 0x206f}, /* word joiner, bidirectional isolates */
	{0x2800, 0x2800}, /* a braille pattern of no dot */
	{0x3164, 0x3164}, /* Hangul filler */
	{0xd800, 0xdfff}, /* surrogates */
	{0xe000, 0xf8ff}, /* private use: fonts may show anything */
	{0xfe00, 0xfe0f}, /* variation selectors */
	{0xfeff, 0xfeff}, /* byte order mark */
	{0xffa0, 0xffa0}, /* Hangul filler of half width */
	{0xfff0, 0xfffb}, /* specials */
	{0xfffe, 0xffff},
	{0x1bca0, 0x1bca3}, /* shorthand format controls */
	{0x1d173, 0x1d17a}, /* musical format controls */
	{0xe0000, 0x10ffff}, /* tags, variation selectors, private planes */
};

/* Characters that take no column. */
static const struct range combining[] = {
	{0x0300, 0x036f},
	{0x0483, 0x0489},
	{0x0591, 0x05bd},
	{0x0610, 0x061a},
	{0x064b, 0x065f},
	{0x0900, 0x0902},
	{0x093c, 0x093c},
	{0x0941, 0x0948},
	{0x094d, 0x094d},
	{0x0e31, 0x0e31},
	{0x0e34, 0x0e3a},
	{0x0e47, 0x0e4e},
	{0x1ab0, 0x1aff},
	{0x1dc0, 0x1dff},
	{0x20d0, 0x20ff},
	{0x302a, 0x302d},
	{0x3099, 0x309a},
	{0xfe20, 0xfe2f},
};

/* Characters that take two columns. */
static const struct range wide[] = {
	{0x1100, 0x115f},
	{0x231a, 0x231b},
	{0x23e9, 0x23ec},
	{0x2614, 0x2615},
	{0x26a1, 0x26a1},
	{0x2705, 0x2705},
	{0x274c, 0x274c},
	{0x2e80, 0x303e},
	{0x3041, 0x33ff},
	{0x3400, 0x4dbf},
	{0x4e00, 0x9fff},
	{0xa000, 0xa4cf},
	{0xa960, 0xa97f},
	{0xac00, 0xd7a3},
	{0xf900, 0xfaff},
	{0xfe30, 0xfe6f},
	{0xff00, 0xff60},
	{0xffe0, 0xffe6},
	{0x1f004, 0x1f004},
	{0x1f0cf, 0x1f0cf},
	{0x1f18e, 0x1f19a},
	{0x1f200, 0x1f320},
	{0x1f32d, 0x1f64f},
	{0x1f680, 0x1f6ff},
	{0x1f7e0, 0x1f7eb},
	{0x1f900, 0x1f9ff},
	{0x1fa70, 0x1faff},
	{0x20000, 0x3fffd},
};

/* True if the code point is in one of the ranges, which ascend. */
static bool is_in(const struct range *ranges, size_t nr, int32_t code)
{
	for (size_t i = 0; i < nr && ranges[i].first <= code; i++)
		if (code <= ranges[i].last)
			return true;
	return false;
}

#define IS_IN(ranges, code) is_in((ranges), sizeof(ranges) / sizeof((ranges)[0]), (code))

/*
 * Returns how many bytes follow a lead byte; sets its own bits, and the least code that may need so
 * many bytes. 0: it is no lead byte.
 */
static unsigned lead(unsigned char byte, int32_t *ret_bits, int32_t *ret_least)
{
	static const struct {
		unsigned char mask, value;
		int32_t least;
	} leads[] = {{0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

	for (unsigned i = 0; i < 3; i++)
		if ((byte & leads[i].mask) == leads[i].value) {
			*ret_bits = byte & ~leads[i].mask;
			*ret_least = leads[i].least;
			return i + 1;
		}
	return 0;
}

int32_t escape_decode(const char *text, size_t *ret_size)
{
	const unsigned char *bytes = (const unsigned char *)text;
	int32_t code, least;
	unsigned more;

	*ret_size = 1;
	if (bytes[0] < 0x80)
		return bytes[0];
	more = lead(bytes[0], &code, &least);
	if (!more)
		return -1;
	for (unsigned i = 1; i <= more; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return -1;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return -1;
	*ret_size = more + 1;
	return code;
}

bool escape_is_plain(int32_t code)
{
	return code >= 0 && !IS_IN(unseen, code);
}

unsigned escape_columns(int32_t code)
{
	if (IS_IN(combining, code))
		return 0;
	return IS_IN(wide, code) ? 2 : 1;
}

size_t escape_width(const char *text)
{
	size_t width = 0;

	for (size_t size; *text; text += size)
		width += escape_columns(escape_decode(text, &size));
	return width;
}

void escape_text(struct str *into, const char *text, bool utf8)
{
	for (size_t size; *text; text += size) {
		int32_t code = escape_decode(text, &size);

		if (code == '\t')
			str_add_char(into, ' ');
		else if (code < 0 || code < ' ' || code == 0x7f)
			str_printf(into, "\\x%02x", (unsigned char)*text);
		else if (!escape_is_plain(code) || (code > 0x7f && !utf8))
			str_printf(into, "\\u{%x}", (unsigned)code);
		else
			str_add_bytes(into, text, size);
	}
}

size_t escape_fit(struct str *into, const char *escaped, size_t width)
{
	const char *dots = width < 4 ? "" : "...";
	size_t room = escape_width(escaped) <= width ? width : width - strlen(dots);
	size_t used = 0;

	for (size_t size; *escaped; escaped += size) {
		unsigned columns = escape_columns(escape_decode(escaped, &size));

		if (used + columns > room) {
			str_add(into, dots);
			return used + strlen(dots);
		}
		str_add_bytes(into, escaped, size);
		used += columns;
	}
	return used;
}

void escape_cell(struct str *into, const char *text, size_t width, bool utf8)
{
	struct str safe = {0};
	size_t used;

	escape_text(&safe, text, utf8);
	used = escape_fit(into, str_text(&safe), width);
	for (; used < width + 2; used++)
		str_add_char(into, ' ');
	str_release(&safe);
}

void escape_to_utf8(struct str *into, const char *text)
{
	for (size_t size; *text; text += size) {
		if (escape_decode(text, &size) < 0)
			str_add(into, "\xef\xbf\xbd");
		else
			str_add_bytes(into, text, size);
	}
}

void escape_json(struct str *into, const char *json)
{
	for (size_t size; *json; json += size) {
		int32_t code = escape_decode(json, &size);

		if (code >= 0x10000 && !escape_is_plain(code))
			str_printf(into, "\\u%04x\\u%04x", 0xd7c0 + (unsigned)(code >> 10),
				0xdc00 + (unsigned)(code & 0x3ff));
		else if (code > 0x7e && !escape_is_plain(code))
			str_printf(into, "\\u%04x", (unsigned)code);
		else
			str_add_bytes(into, json, size);
	}
}
