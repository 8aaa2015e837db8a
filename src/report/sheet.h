/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sheet of lines with room for only so many. Lines come in sections. Where the sheet is too long,
 * the longest sections give up their last lines and say how many; some lines always stay.
 */
#ifndef REPORT_SHEET_H
#define REPORT_SHEET_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "base/str.h"
#include "words/page.h"

#define SHEET_WIDTH 80 /* columns */

/* A line of the sheet. */
struct sheet_line {
	char *text;
	size_t strong; /* how many of the first bytes carry the tone; 0: all */
	bool kept;     /* it stays while the section has others to give up */
	bool goes_on;  /* it goes on with the sentence of the line above it */
	enum page_tone tone;
};

/* Lines that are cut together. */
struct sheet_section {
	ARRAY(struct sheet_line) lines;
	size_t least; /* how many lines it keeps in any case, at least 1 */
};

/* The sheet. {0} at first; sheet_release() it. */
struct sheet {
	ARRAY(struct sheet_section) sections;
};

/* Begins the next section. */
void sheet_begin(struct sheet *sheet, size_t least);

/* Adds a line to the section begun last. Takes the content of `text` over and empties it. */
void sheet_add(struct sheet *sheet, struct str *text, enum page_tone tone, size_t strong);

/* Marks the line added last as going on with the one above it: they are left out together. */
void sheet_goes_on(struct sheet *sheet);

/* Shortens sections until the whole has at most `lines` lines, or nothing can be left out. */
void sheet_shorten(struct sheet *sheet, size_t lines);

/* Writes the lines, with colour or without. */
void sheet_write(const struct sheet *sheet, FILE *file, bool color);

/* Frees all lines and leaves an empty sheet. */
void sheet_release(struct sheet *sheet);

#endif
