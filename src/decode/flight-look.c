/* SPDX-License-Identifier: Apache-2.0 */
/* What a dump looks like from its first bytes: a dict, and the words that only a dump has. */
#include <string.h>

#include "decode/flight-dump.h"

/* As keys of the outermost dict, or of an entry, these are said by nobody else. */
static const char *const look_marks[] = {
	"pg_config",
	"pg_status",
	"collective_seq_id",
	"comm_lib_version",
	"nccl_comm_state",
	"hccl_comm_state",
	"nccl_version",
	"hccl_version",
	"xccl_version",
};
/* These a dump may begin with as well. */
static const char *const look_keys[] = {"version", "entries", "health_check_results"};

#define LOOK_NR(list) (sizeof(list) / sizeof(*(list)))

static bool look_is_key(const uint8_t *text, size_t len)
{
	for (size_t i = 0; i < LOOK_NR(look_marks); i++) {
		if (strlen(look_marks[i]) == len && memcmp(text, look_marks[i], len) == 0)
			return true;
	}
	for (size_t i = 0; i < LOOK_NR(look_keys); i++) {
		if (strlen(look_keys[i]) == len && memcmp(text, look_keys[i], len) == 0)
			return true;
	}
	return false;
}

static bool look_has_mark(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < LOOK_NR(look_marks); i++) {
		if (memmem(bytes, len, look_marks[i], strlen(look_marks[i])))
			return true;
	}
	return false;
}

/* PROTO, perhaps a FRAME, a dict, perhaps noted and marked, and its first key. */
static bool look_pickle(const uint8_t *bytes, size_t len)
{
	size_t at = 2, key = 0;

	if (len < 4 || bytes[0] != 0x80 || bytes[1] < 2 || bytes[1] > 5)
		return false;
	if (bytes[at] == 0x95)
		at += 9;
	if (at >= len || bytes[at++] != '}')
		return false;
	if (at < len && bytes[at] == 0x94)
		at++;
	else if (at + 1 < len && bytes[at] == 'q')
		at += 2;
	if (at < len && bytes[at] == '(')
		at++;
	if (at + 1 < len && bytes[at] == 0x8c) {
		key = bytes[at + 1];
		at += 2;
	} else if (at + 4 < len && bytes[at] == 'X' && !memcmp(bytes + at + 2, "\0\0", 3)) {
		key = bytes[at + 1];
		at += 5;
	}
	return key && key <= len - at && look_is_key(bytes + at, key) &&
	       look_has_mark(bytes + at, len - at);
}

static size_t look_space(const uint8_t *bytes, size_t len, size_t at)
{
	while (at < len && memchr(" \t\r\n", bytes[at], 4))
		at++;
	return at;
}

static bool look_json(const uint8_t *bytes, size_t len)
{
	size_t at = look_space(bytes, len, 0);
	const uint8_t *quote;

	if (at == len || bytes[at] != '{')
		return false;
	at = look_space(bytes, len, at + 1);
	if (at == len || bytes[at++] != '"')
		return false;
	quote = memchr(bytes + at, '"', len - at);
	return quote && look_is_key(bytes + at, (size_t)(quote - bytes) - at) &&
	       look_has_mark(bytes + at, len - at);
}

bool flight_dump_looks_like(const uint8_t *bytes, size_t len)
{
	if (len > FLIGHT_LOOK)
		len = FLIGHT_LOOK;
	return look_pickle(bytes, len) || look_json(bytes, len);
}
