/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h: bounded text without libc's stdio: always ended by NUL, cut rather than overrun.
 */
#ifndef PROBES_TEXT_H
#define PROBES_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	char *to;
	size_t size; /* bytes of `to`, with the NUL */
	size_t used; /* without the NUL */
	int cut;     /* something did not fit */
};

static inline struct text text_into(char *to, size_t size)
{
	to[0] = '\0';
	return (struct text){.to = to, .size = size};
}

static inline void text_put(struct text *t, const char *s)
{
	for (; *s; s++) {
		if (t->used + 1 >= t->size) {
			t->cut = 1;
			break;
		}
		t->to[t->used++] = *s;
	}
	t->to[t->used] = '\0';
}

static inline void text_put_u64(struct text *t, uint64_t value)
{
	char digits[24];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	text_put(t, at);
}

/*
 * Returns the decimal number at *s, and moves *s past it and past blanks before it. 0 if there is
 * none.
 */
static inline uint64_t text_get_u64(const char **s)
{
	uint64_t value = 0;

	while (**s == ' ')
		(*s)++;
	for (; **s >= '0' && **s <= '9'; (*s)++)
		value = value * 10 + (uint64_t)(**s - '0');
	return value;
}

/* Copies at most size - 1 bytes of `from` (NULL is ""), and a NUL. */
static inline void text_copy(char *to, size_t size, const char *from)
{
	struct text t = text_into(to, size);

	text_put(&t, from ? from : "");
}

#endif
