/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/hostlist.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define NAME_MOST 255 /* bytes of a name; the kernel's limit is 64 */

/* A list that is being expanded. Where `each` is NULL names are only counted. */
struct expansion {
	hostlist_fn each;
	void *user;
	size_t n;
	bool bad;
};

static void expand_name(struct expansion *x, struct str *done, const char *rest, size_t len);

/* Reads "07" or "7-12"; false if it is neither. The width is that of the first number. */
static bool read_range(
	const char *text, size_t len, unsigned long *from, unsigned long *to, int *width)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > 9 || digits > len)
		return false;
	*from = *to = strtoul(text, NULL, 10);
	*width = (int)digits;
	if (digits == len)
		return true;
	text += digits + 1;
	len -= digits + 1;
	if (text[-1] != '-' || !len || strspn(text, "0123456789") < len || len > 9)
		return false;
	*to = strtoul(text, NULL, 10);
	return *from <= *to;
}

/* Expands one member of a bracket, "7-12", with what stands behind the bracket. */
static void expand_range(struct expansion *x, struct str *done, const char *range, size_t range_len,
	const char *rest, size_t len)
{
	unsigned long from, to;
	size_t had = done->len;
	int width;

	if (!read_range(range, range_len, &from, &to, &width) || to - from >= HOSTLIST_MOST) {
		x->bad = true;
		return;
	}
	for (; from <= to && !x->bad; from++) {
		str_printf(done, "%0*lu", width, from);
		expand_name(x, done, rest, len);
		str_cut(done, had);
	}
}

/* Appends the rest of a name to the done part of it, once for each member of its brackets. */
static void expand_name(struct expansion *x, struct str *done, const char *rest, size_t len)
{
	const char *open = memchr(rest, '[', len);
	const char *close = open ? memchr(open, ']', len - (size_t)(open - rest)) : NULL;
	size_t had = done->len;

	if ((open && !close) || done->len + len > NAME_MOST * 4) {
		x->bad = true;
		return;
	}
	if (!open) {
		str_add_bytes(done, rest, len);
		x->bad |= ++x->n > HOSTLIST_MOST || !done->len || done->len > NAME_MOST;
		if (!x->bad && x->each)
			x->each(str_text(done), x->user);
		str_cut(done, had);
		return;
	}
	str_add_bytes(done, rest, (size_t)(open - rest));
	for (const char *at = open + 1, *next; at <= close && !x->bad; at = next + 1) {
		next = memchr(at, ',', (size_t)(close - at));
		next = next ? next : close;
		expand_range(x, done, at, (size_t)(next - at), close + 1,
			len - (size_t)(close + 1 - rest));
	}
	str_cut(done, had);
}

/* Returns the length of the first name of a list: up to a comma outside of brackets. */
static size_t first_name(const char *list)
{
	bool inside = false;
	size_t len = 0;

	for (; list[len] && (inside || list[len] != ','); len++)
		inside = list[len] == '[' || (inside && list[len] != ']');
	return len;
}

/* Expands the whole list; false if it is malformed or too long. */
static bool expand_all(struct expansion *x, const char *list)
{
	struct str done = {0};

	while (*list && !x->bad) {
		size_t len = first_name(list);

		expand_name(x, &done, list, len);
		list += len + (list[len] == ',');
	}
	str_release(&done);
	return !x->bad;
}

size_t hostlist_expand(const char *list, hostlist_fn each, void *user)
{
	struct expansion counting = {0}, telling = {.each = each, .user = user};

	if (!expand_all(&counting, list))
		return 0;
	expand_all(&telling, list);
	return counting.n;
}
