/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_STR_H
#define BASE_STR_H

/*
 * A growing string, also of raw bytes. {0} is the empty one.
 *
 * Invariants: len bytes lie at text, and a NUL behind them. An empty str may have text NULL:
 * where a C string is wanted, say str_text(). The str owns its memory until str_release() or
 * str_detach().
 */

#include <stdarg.h>
#include <stddef.h>

struct str {
	char *text;
	size_t len;
	size_t room;
};

/* Returns the content as a C string, "" when empty. Valid until the str changes. */
static inline const char *str_text(const struct str *str)
{
	return str->text ? str->text : "";
}

/*
 * Appends text. As for all functions that append, it must not lie in the str itself, which may
 * move.
 */
void str_add(struct str *str, const char *text) __attribute__((nonnull));
/* Appends size bytes, NULs among them too. Bytes may be NULL where size is 0. */
void str_add_bytes(struct str *str, const void *bytes, size_t size) __attribute__((nonnull(1)));
/* Appends one character, also NUL. */
void str_add_char(struct str *str, char c) __attribute__((nonnull));
/* Appends formatted text; nothing where the format fails. */
void str_printf(struct str *str, const char *format, ...)
	__attribute__((nonnull(1, 2), format(printf, 2, 3)));
/* Appends formatted text of a va_list, which is used up: its value is indeterminate afterwards. */
void str_vprintf(struct str *str, const char *format, va_list args)
	__attribute__((nonnull(1, 2), format(printf, 2, 0)));

/* Makes room for size more bytes behind len and gives its address; str_grow() after filling. */
char *str_room(struct str *str, size_t size) __attribute__((nonnull, returns_nonnull));

/* Says that size bytes of the room were filled. */
void str_grow(struct str *str, size_t size) __attribute__((nonnull));

/* Cuts to at most len bytes, keeping the memory. */
void str_cut(struct str *str, size_t len) __attribute__((nonnull));

/* Gives the content to the caller (who frees it; never NULL) and leaves the empty str. */
char *str_detach(struct str *str) __attribute__((nonnull, returns_nonnull));

/* Frees the content and leaves the empty str. Takes NULL. */
void str_release(struct str *str);

#endif
