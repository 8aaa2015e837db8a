/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paints the page (words/page.h) as lines of text on a sheet: keys at the left, words beside them,
 * cites at the right, 80 columns.
 */
#ifndef REPORT_PAINT_H
#define REPORT_PAINT_H

#include "report/report.h"
#include "report/sheet.h"
#include "words/page.h"

/* A page that is being painted. */
struct paint {
	const struct report_options *options;
	struct page page;
	struct sheet sheet;
};

/* Returns an empty sheet for these verdicts and this reader. The caller calls paint_release(). */
struct paint paint_of(const struct verdicts *verdicts, const struct report_options *options);
/* Frees the sections and the sheet. What was written of it stays. */
void paint_release(struct paint *paint);

/*
 * Adds the headline, behind a lead ("also  ") or "": as much as there is room for beside the class
 * and how sure it is.
 */
void paint_headline(struct paint *paint, const struct verdict *verdict, const char *lead);

/* Adds a section of the page; `verdict` counts if it is a section of one. */
void paint_section(struct paint *paint, enum page_kind kind, const struct verdict *verdict);

/* Adds whether to wait or to kill, unless the headline says that there is nothing to wait for. */
void paint_outlook(struct paint *paint, const struct verdict *verdict);

/* Appends blanks up to that column. Does nothing behind it. */
void paint_pad(struct str *line, size_t column);

#endif
