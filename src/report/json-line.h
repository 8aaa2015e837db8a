/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_JSON_LINE_H
#define REPORT_JSON_LINE_H

/* Makes a document of schema inquest/1 short enough for a line of a log. */

#include <stddef.h>

#include "base/str.h"

struct json_object;

/*
 * Appends the document on one line of at most `most` bytes, which must be at least 1024. Parts that
 * do not fit are taken out of the document, in the order that report_json_line() promises, and
 * counted in its key "cut".
 */
void json_line_add(struct str *into, struct json_object *document, size_t most);

#endif
