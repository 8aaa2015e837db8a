/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places in source code that stand among words, as libraries print them with their errors:
 * "[/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed". What tells
 * something is at both ends of a path, so a long one is cut in its middle.
 */
#ifndef WORDS_SOURCE_PLACES_H
#define WORDS_SOURCE_PLACES_H

#include "base/str.h"

/*
 * Appends the text. Of a path with a line number that is longer than `most` bytes only the first
 * folder stays, then "...", then as many of the last folders as fit, and the file in any case.
 */
void source_places_add(struct str *into, const char *text, size_t most);

#endif
