/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct str *into, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < size; i += 3) {
		size_t n = size - i < 3 ? size - i : 3;
		uint32_t word = (uint32_t)at[i] << 16 | (n > 1 ? (uint32_t)at[i + 1] << 8 : 0) |
				(n > 2 ? at[i + 2] : 0);

		str_add_char(into, letters[word >> 18]);
		str_add_char(into, letters[word >> 12 & 63]);
		str_add_char(into, n > 1 ? letters[word >> 6 & 63] : '=');
		str_add_char(into, n > 2 ? letters[word & 63] : '=');
	}
}

/* Returns the value of a letter, or -1 if it is none of base64. */
static int value_of(char letter)
{
	const char *at = letter ? strchr(letters, letter) : NULL;

	return at ? (int)(at - letters) : -1;
}

/*
 * Decodes four letters, of which the last two may be '='. Returns how many bytes they are, or 0 if
 * they are no such text.
 */
static size_t read_four(const char *text, uint8_t ret[3])
{
	size_t n = text[3] != '=' ? 3 : text[2] != '=' ? 2 : 1;
	uint32_t word = 0;

	for (size_t i = 0; i < 4; i++) {
		int value = i <= n ? value_of(text[i]) : 0;

		if (value < 0)
			return 0;
		word = word << 6 | (uint32_t)value;
	}
	ret[0] = (uint8_t)(word >> 16);
	ret[1] = (uint8_t)(word >> 8);
	ret[2] = (uint8_t)word;
	return n;
}

bool base64_read(struct str *into, const char *text, size_t len)
{
	size_t start = into->len;

	for (size_t i = 0; i < len; i += 4) {
		uint8_t bytes[3];
		size_t n = len - i < 4 ? 0 : read_four(text + i, bytes);

		if (!n || (n < 3 && i + 4 < len)) {
			str_cut(into, start);
			return false;
		}
		str_add_bytes(into, bytes, n);
	}
	return true;
}
