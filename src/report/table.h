/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of ranks. Ranks in the same state share a row. A column is there only if somebody has a
 * value for it (and, for what ranks should have in common, only if they differ).
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/array.h"
#include "verdict/verdict.h"

/* The table as lines. {0} at first; table_release() it. */
struct table_lines {
	ARRAY(char *) lines; /* the header, then the rows; escaped, at most `width` columns each */
	size_t culprit_rows; /* how many of the first rows, behind the header, are about culprits */
};

/* Appends the table of all ranks; nothing where there is none. The caller calls table_release(). */
void table_of(struct table_lines *into, const struct verdicts *verdicts, size_t width, bool utf8);

/* Frees the lines and leaves none. */
void table_release(struct table_lines *table);

#endif
