/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void str_add(struct str *str, const char *text)
{
	str_add_bytes(str, text, strlen(text));
}

void str_add_bytes(struct str *str, const void *bytes, size_t size)
{
	if (!size)
		return;
	memcpy(str_room(str, size), bytes, size);
	str_grow(str, size);
}

void str_add_char(struct str *str, char c)
{
	str_add_bytes(str, &c, 1);
}

void str_printf(struct str *str, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	str_vprintf(str, format, args);
	va_end(args);
}

void str_vprintf(struct str *str, const char *format, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len <= 0)
		return;
	vsnprintf(str_room(str, (size_t)len), (size_t)len + 1, format, args);
	str_grow(str, (size_t)len);
}

char *str_room(struct str *str, size_t size)
{
	size_t needed;

	if (__builtin_add_overflow(str->len, size, &needed) || needed == (size_t)-1)
		needed = (size_t)-2; /* alloc_resize() refuses it in words */
	if (!str->text || needed >= str->room) {
		size_t wanted = str->room + str->room / 2;

		if (wanted <= needed)
			wanted = needed + 1 > 32 ? needed + 1 : 32;
		str->text = alloc_resize(str->text, wanted, 1);
		str->room = wanted;
		str->text[str->len] = '\0';
	}
	return str->text + str->len;
}

void str_grow(struct str *str, size_t size)
{
	str->len += size;
	if (str->text)
		str->text[str->len] = '\0';
}

void str_cut(struct str *str, size_t len)
{
	if (len > str->len || !str->text)
		return;
	str->len = len;
	str->text[len] = '\0'; /* also where len stays: the room behind it may have been used */
}

char *str_detach(struct str *str)
{
	char *text = str->text ? str->text : alloc_text("");

	*str = (struct str){0};
	return text;
}

void str_release(struct str *str)
{
	if (!str)
		return;
	free(str->text);
	*str = (struct str){0};
}
