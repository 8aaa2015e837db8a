/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What reads stdout or stderr: a terminal or not, with colour or not, and which characters it
 * shows.
 */
#ifndef CMD_OUTLET_H
#define CMD_OUTLET_H

#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"
#include "report/report.h"

/* True if the locale says UTF-8. main() must have called setlocale() before. */
bool outlet_is_utf8(void);

/* Returns the options for a report of evidence that was there before, as they fit this stream. */
struct report_options outlet_options(FILE *stream);

/*
 * Writes the text with as few write() calls as the kernel allows, mostly one. Waits for its reader.
 */
void outlet_write(FILE *stream, const struct str *text);

/*
 * Writes the text to stderr, in one piece if it is no longer than PIPE_BUF. It never blocks for
 * long: bytes that cannot be written within two seconds are dropped.
 */
void outlet_say(const struct str *text);

#endif
