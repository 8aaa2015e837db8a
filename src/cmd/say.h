/* SPDX-License-Identifier: Apache-2.0 */
/* say.h: what the agent writes of a verdict into the job's log. */
#ifndef CMD_SAY_H
#define CMD_SAY_H

#include "cmd/look.h"

/* Writes the verdict as a page for people; `saved` is its bundle's path, NULL none. */
void say_page(const struct look *look, const char *saved);

/* Writes it as a line for log collectors. */
void say_line(const struct look *look, const char *saved);

/* Returns the answer in one line, for the end of the job. free() it. */
char *say_answer(const struct look *look);

#endif
