/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_SEEING_H
#define CMD_SEEING_H

/* What is said where /proc does not show all processes (proc/sight.h). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Appends a verb and its arguments as one would type them: "attach --all", "attach 4711 4712". */
void seeing_command(struct str *into, const char *verb, const char *const *names, size_t nr)
	__attribute__((nonnull(1, 2)));

/*
 * Returns CMD_FINE if /proc shows the processes of our own pids. Else says in one line what to do
 * about it, and returns CMD_UNREADABLE: whatever were said of a job here would be wrong.
 */
int seeing_check(const char *command) __attribute__((nonnull));

/*
 * Does so for a gather that writes text: who asked for it from elsewhere gets the line, too. `key`
 * is the job's.
 */
int seeing_check_gather(const char *key, bool text) __attribute__((nonnull));

/*
 * Appends that /proc hides processes, and the command that sees them, behind `before`. Returns
 * false, and appends nothing, if it hides none.
 */
bool seeing_add_hidden(const char *before, const char *command, struct str *into)
	__attribute__((nonnull));

/* Says so, if it is why there is no process with that pid. Returns whether it is. */
bool seeing_is_hidden(uint32_t pid);

#endif
