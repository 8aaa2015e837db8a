/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/joblog-sources.h"

#include <string.h>

#include "base/str.h"
#include "decode/exhibits/joblog-lines.h"
#include "decode/exhibits/log-plain.h"

void joblog_sources_take(struct joblog_sources *sources, const char *text)
{
	struct str plain = {0};
	size_t line = 0;

	for (const char *at = text; *at; at += *at == '\n', line++) {
		const char *words = joblog_lines_unnumbered(at, NULL);
		uint64_t name;

		at = words + strcspn(words, "\n");
		str_cut(&plain, 0);
		name = log_plain_line(&plain, words, (size_t)(at - words));
		while (name && sources->lines.nr < line)
			*array_add(&sources->lines) = 0;
		if (name)
			*array_add(&sources->lines) = name;
	}
	str_release(&plain);
}

uint64_t joblog_sources_of(const struct joblog_sources *sources, size_t line)
{
	return line < sources->lines.nr ? sources->lines.items[line] : 0;
}

void joblog_sources_release(struct joblog_sources *sources)
{
	array_release(&sources->lines);
}
