/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/joblog-report.h"

#include <ctype.h>
#include <string.h>

const char *joblog_report_error(
	struct joblog_trace *trace, const char *line, bool of_rank, struct arena *arena)
{
	const char *begin = strstr(line, "  traceback : Traceback (most recent call last)");

	if (begin) {
		trace->inside = of_rank;
		trace->marks = arena_text_max(arena, line, (size_t)(begin - line));
		return NULL;
	}
	if (!trace->inside || strncmp(line, trace->marks, strlen(trace->marks)) != 0)
		return NULL;
	line += strlen(trace->marks);
	if (!strncmp(line, "  ", 2) && !isalpha((unsigned char)line[2]))
		return NULL;
	trace->inside = false;
	return line[0] == ' ' && line[1] ? line + 2 : NULL;
}
