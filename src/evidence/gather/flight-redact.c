/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/flight-redact.h"

#include <string.h>

#include "evidence/format/flight-words.h"

#define NUMBER_MOST 24 /* digits; a longer number may be a key */

#define FLIGHT_NAME(word) {#word, sizeof(#word) - 1},
static const struct {
	const char *text;
	size_t len;
} names[] = {FLIGHT_WORDS(FLIGHT_NAME)};

bool flight_redact_knows(const uint8_t *name, size_t len)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].len == len && !memcmp(names[i].text, name, len))
			return true;
	return false;
}

bool flight_redact_is_number(const uint8_t *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((text[i] < '0' || text[i] > '9') && !memchr("+-.", text[i], 3))
			return false;
	return len && len <= NUMBER_MOST;
}

void flight_redact(uint8_t *bytes, size_t len)
{
	if (len && bytes[0] == 0x80)
		flight_redact_pickle(bytes, len);
	else
		flight_redact_json(bytes, len);
}
