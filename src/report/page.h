/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h: a page of lines with room for only so many. Lines come in sections; where the page is too
 * long, the longest sections give up their last lines, and say how many; some lines always stay.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "base/str.h"

#define PAGE_WIDTH 80

enum page_style { PAGE_PLAIN, PAGE_ALARM, PAGE_WARN, PAGE_GOOD, PAGE_STRONG, PAGE_FAINT };

struct page_line {
	char *text;
	size_t strong; /* the first so many bytes carry the style; 0: all */
	bool kept;     /* while the section has others to give up */
	enum page_style style;
};

struct page_section {
	ARRAY(struct page_line) lines;
	size_t least; /* lines it keeps in any case, at least 1 */
};

struct page {
	ARRAY(struct page_section) sections;
};

/* Begins the next section. */
void page_begin(struct page *page, size_t least);

/* Adds a line to the section begun last; takes the content of text over and empties it. */
void page_add(struct page *page, struct str *text, enum page_style style, size_t strong);

/* Says that the last so many lines of the section are not to be left out, while others can be. */
void page_keep(struct page *page, size_t lines);

/* Shortens sections until the whole has at most `lines` lines, or nothing can be left out. */
void page_shorten(struct page *page, size_t lines);

/* Writes it, with colour or without. */
void page_write(const struct page *page, FILE *file, bool color);

/* Frees all lines and leaves the empty page. */
void page_release(struct page *page);

#endif
