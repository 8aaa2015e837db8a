/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of /proc/PID/maps is
 *
 *	7f00d0000000-7f00d0021000 r-xp 00001000 fd:01 1234      /usr/lib/libc.so.6
 *
 * with all numbers but the inode in hex. In a name the kernel writes a newline as \012 and every
 * other byte as it is, so a name may hold spaces, and may itself end in " (deleted)".
 */
#include "stack/maps.h"

#include <string.h>

#include "base/bisect.h"

#define MAPS_DELETED " (deleted)"
#define MAPS_NEWLINE "\\012"

/* The part of a line that is not parsed yet. */
struct maps_text {
	const char *at, *end;
};

/* Returns a hex digit's value; 99, more than any base, for any other character. */
static unsigned maps_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
}

/*
 * Takes a number and the character behind it. `behind` 0 stands for a space or the line's end.
 * Returns false if there is no number, one of more than 64 bits, or another character behind it.
 */
static bool maps_number(struct maps_text *text, unsigned base, char behind, uint64_t *ret)
{
	const char *first = text->at;
	uint64_t value = 0;

	for (; text->at < text->end; text->at++) {
		unsigned digit = maps_digit(*text->at);

		if (digit >= base)
			break;
		if (__builtin_mul_overflow(value, base, &value) ||
			__builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret = value;
	if (text->at == first)
		return false;
	if (text->at == text->end)
		return !behind;
	return *text->at++ == (behind ? behind : ' ');
}

/* Takes the rights ("r-xp") and the space behind them. */
static bool maps_rights(struct maps_text *text, struct stack_map *map)
{
	const char *at = text->at;

	if (text->end - at < 5 || at[4] != ' ')
		return false;
	map->readable = at[0] == 'r';
	map->writable = at[1] == 'w';
	map->executable = at[2] == 'x';
	map->shared = at[3] == 's';
	text->at += 5;
	return true;
}

/* Replaces each \012 in a path by the newline that it stands for. Hardly any path has one. */
static void maps_put_newlines(char *path)
{
	char *to = strstr(path, MAPS_NEWLINE), *from = to;

	while (from && *from) {
		bool is_newline = !strncmp(from, MAPS_NEWLINE, strlen(MAPS_NEWLINE));

		*to++ = is_newline ? '\n' : *from;
		from += is_newline ? strlen(MAPS_NEWLINE) : 1;
	}
	if (to)
		*to = '\0';
}

/* Takes the path, which is the rest of the line; sets map->path and map->deleted. */
static void maps_path(struct stack_maps *maps, struct maps_text *text, struct stack_map *map)
{
	size_t tail = strlen(MAPS_DELETED), len;
	char *path;

	while (text->at < text->end && *text->at == ' ')
		text->at++;
	len = (size_t)(text->end - text->at);
	map->deleted = len >= tail && !memcmp(text->end - tail, MAPS_DELETED, tail);
	if (map->deleted)
		len -= tail;
	if (!len) {
		map->path = "";
		return;
	}
	path = arena_text_max(&maps->arena, text->at, len);
	map->path = path;
	maps_put_newlines(path);
}

/* Parses one line. Returns false if it makes no sense or overlaps the map before it. */
static bool maps_line(struct stack_maps *maps, struct maps_text text, struct stack_map *map)
{
	uint64_t major, minor, last = maps->all.nr ? maps->all.items[maps->all.nr - 1].end : 0;

	if (!maps_number(&text, 16, '-', &map->start) || !maps_number(&text, 16, ' ', &map->end) ||
		!maps_rights(&text, map) || !maps_number(&text, 16, ' ', &map->offset) ||
		!maps_number(&text, 16, ':', &major) || !maps_number(&text, 16, ' ', &minor) ||
		!maps_number(&text, 10, '\0', &map->ino))
		return false;
	if (map->start >= map->end || map->start < last || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	map->dev = major << 32 | minor;
	maps_path(maps, &text, map);
	return true;
}

size_t stack_maps_parse(struct stack_maps *maps, const char *text, size_t len)
{
	const char *end = text + len;
	size_t bad = 0;

	stack_maps_release(maps);
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		struct stack_map map = {0};

		if (!stop)
			stop = end;
		if (maps->all.nr >= STACK_MAPS_CAP) {
			maps->cut = true;
			break;
		}
		if (maps_line(maps, (struct maps_text){text, stop}, &map))
			*array_add(&maps->all) = map;
		else
			bad++;
		text = stop + 1;
	}
	return bad;
}

const struct stack_map *stack_maps_find(const struct stack_maps *maps, uint64_t at)
{
	const struct stack_map *list = maps->all.items;
	size_t place = bisect(0, maps->all.nr, i, list[i].end <= at);

	return place < maps->all.nr && list[place].start <= at ? &list[place] : NULL;
}

void stack_maps_release(struct stack_maps *maps)
{
	if (!maps)
		return;
	array_release(&maps->all);
	arena_release(&maps->arena);
	maps->cut = false;
}
