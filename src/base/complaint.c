/* SPDX-License-Identifier: Apache-2.0 */
#include "base/complaint.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static void complaint_replace(struct complaint *why, struct str *words)
{
	free(why->words);
	why->words = str_detach(words);
}

int complaint_set(struct complaint *why, const char *format, ...)
{
	struct str words = {0};
	va_list args;

	if (!why)
		return -1;
	va_start(args, format);
	str_vprintf(&words, format, args);
	va_end(args);
	complaint_replace(why, &words);
	return -1;
}

int complaint_errno(struct complaint *why, int error, const char *format, ...)
{
	struct str words = {0};
	va_list args;
	char buffer[128];

	if (why) {
		va_start(args, format);
		str_vprintf(&words, format, args);
		va_end(args);
		str_printf(&words, ": %s", strerror_r(error, buffer, sizeof(buffer)));
		complaint_replace(why, &words);
	}
	return error > 0 ? -error : -1;
}

int complaint_context(struct complaint *why, const char *format, ...)
{
	struct str words = {0};
	va_list args;

	if (!why || !why->words)
		return -1;
	va_start(args, format);
	str_vprintf(&words, format, args);
	va_end(args);
	str_printf(&words, ": %s", why->words);
	complaint_replace(why, &words);
	return -1;
}

const char *complaint_text(const struct complaint *why)
{
	return why && why->words ? why->words : "no reason given";
}

void complaint_release(struct complaint *why)
{
	if (!why)
		return;
	free(why->words);
	why->words = NULL;
}
