/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outlet.h: what reads stdout or stderr: a terminal or not, colour or not, which characters.
 */
#ifndef CMD_OUTLET_H
#define CMD_OUTLET_H

#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"
#include "report/report.h"

/* True if the locale says UTF-8. Needs setlocale(), which main() has called. */
bool outlet_is_utf8(void);

/* Options for a report that goes to this stream: of evidence that was there before. */
struct report_options outlet_options(FILE *stream);

/* Writes text with as few write() calls as the kernel allows: one, mostly. Waits for its reader. */
void outlet_write(FILE *stream, const struct str *text);

/*
 * Writes text to stderr, in one piece if it is no longer than PIPE_BUF. Never blocks for long:
 * bytes that cannot be written within two seconds are dropped.
 */
void outlet_say(const struct str *text);

#endif
