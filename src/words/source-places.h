/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source-places.h: places in sources that stand among words, as libraries print them with their
 * errors: "[/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed". What
 * tells something is at both ends, so a long one is cut in its middle.
 */
#ifndef WORDS_SOURCE_PLACES_H
#define WORDS_SOURCE_PLACES_H

#include "base/str.h"

/*
 * Appends the text; of each path with a line behind it that is longer than `most` bytes only its
 * first folder, "...", and as many folders and the file at its end as then fit. The file stands
 * there in any case.
 */
void source_places_add(struct str *into, const char *text, size_t most);

#endif
