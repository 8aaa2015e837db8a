/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/pane/pane.h"

#include <stdarg.h>

#include "base/str.h"

struct pane_line *pane_add(struct pane_lines *into, enum style style, const char *format, ...)
{
	struct pane_line *line = array_add(&into->all);
	struct str text = {0};
	va_list args;

	va_start(args, format);
	str_vprintf(&text, format, args);
	va_end(args);
	*line = (struct pane_line){.text = arena_text(&into->arena, str_text(&text)),
		.right = "",
		.style = style,
		.rank = NO_RANK,
		.when = JOB_UNKNOWN,
		.item = PANE_NO_ITEM};
	str_release(&text);
	return line;
}

void pane_lines_release(struct pane_lines *lines)
{
	array_release(&lines->all);
	arena_release(&lines->arena);
	lines->heading = NULL;
	lines->here = -1;
	lines->items = lines->from = lines->to = 0;
}
