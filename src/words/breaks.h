/* SPDX-License-Identifier: Apache-2.0 */
/*
 * breaks.h: where a line of words may end. What is read as one stays on one line: a number with
 * what it counts ("9.3 s", "4 rows"), a name that is a number with what it names ("rank 3",
 * "pid 4711", "AllReduce #12"), an option with its value ("-o FILE"), and what stands between
 * backquotes. Texts were escaped before (words/escape.h).
 */
#ifndef WORDS_BREAKS_H
#define WORDS_BREAKS_H

#include <stddef.h>

#include "base/str.h"

/*
 * Where to break a text that has room for `width` columns: behind the last "; ", else before the
 * last blank that parts two things, else before the last blank, else behind the last comma; bytes.
 * Its end if it need not be broken.
 */
size_t breaks_at(const char *escaped, size_t width);

/*
 * Appends a text, cut to at most `width` columns; a cut one ends in "...". It is cut anywhere, but
 * in front of a number with its unit, of which a part would be read as another ("2..." of
 * "20.6 s"), unless that leaves less than half of the room.
 */
void breaks_fit(struct str *into, const char *escaped, size_t width);

#endif
