/* SPDX-License-Identifier: Apache-2.0 */
#include "words/source-places.h"

#include <string.h>

#define DIGITS	"0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" DIGITS

/*
 * Returns the length of the path that begins there, if a line number (":88") follows, whose length
 * it sets; else 0.
 */
static size_t place_at(const char *text, size_t *ret_line)
{
	size_t path = strspn(text, LETTERS "_./+-@"), digits;

	if (!path || !memchr(text, '/', path) || text[path] != ':')
		return 0;
	digits = strspn(text + path + 1, DIGITS);
	*ret_line = 1 + digits;
	return digits ? path : 0;
}

/*
 * Returns how long the path's first folder is: "/usr", "torch". Of "../a" nothing is taken, since
 * that tells nothing.
 */
static size_t first_folder(const char *path, size_t len)
{
	const char *slash = memchr(path + 1, '/', len - 1);

	return !slash || *path == '.' ? 0 : (size_t)(slash - path);
}

/* Appends a path with its line, cut in the middle. */
static void add_cut(struct str *into, const char *path, size_t len, size_t line, size_t most)
{
	static const char gap[] = "/...";
	size_t head = first_folder(path, len), tail = len;

	while (tail && path[tail - 1] != '/')
		tail--;
	for (size_t at = tail; at-- > head + 1;)
		if (path[at] == '/' && head + strlen(gap) + (len - at) + line <= most)
			tail = at + 1;
	if (tail <= head + strlen(gap)) { /* what would be left out is no longer than the gap */
		str_add_bytes(into, path, len + line);
		return;
	}
	str_add_bytes(into, path, head);
	str_add(into, head ? gap : gap + 1);
	str_add_bytes(into, path + tail - 1, len - tail + 1 + line);
}

void source_places_add(struct str *into, const char *text, size_t most)
{
	while (*text) {
		size_t line = 0, path = place_at(text, &line);

		if (!path) {
			size_t word = strspn(text, LETTERS "_./+-@");

			str_add_bytes(into, text, word ? word : 1);
			text += word ? word : 1;
			continue;
		}
		if (path + line > most)
			add_cut(into, text, path, line, most);
		else
			str_add_bytes(into, text, path + line);
		text += path + line;
	}
}
