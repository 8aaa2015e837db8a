/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells where a line of words may end. What is read as one stays on one line: a number with what it
 * counts ("9.3 s", "4 rows"), a name that is a number with what it names ("rank 3", "pid 4711",
 * "AllReduce #12"), an option with its value ("-o FILE"), and what stands between backquotes. Texts
 * must have been escaped (words/escape.h).
 */
#ifndef WORDS_BREAKS_H
#define WORDS_BREAKS_H

#include <stddef.h>

#include "base/str.h"

/*
 * Returns at which byte to break a text so that its begin fits into `width` columns: behind the
 * last "; ", else before the last blank that parts two things, else before the last blank, else
 * behind the last comma. Returns the text's end if it need not be broken.
 */
size_t breaks_at(const char *escaped, size_t width);

/*
 * Appends a text, cut to at most `width` columns; a cut one ends in "...". It may be cut anywhere,
 * except inside a number or between it and its unit, since what is left would be read as another
 * number ("2..." of "20.6 s"), unless that leaves less than half of the room.
 */
void breaks_fit(struct str *into, const char *escaped, size_t width);

#endif
