/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_REASON_H
#define CMD_REACH_REASON_H

/* Why a launcher failed, by what it has said on its standard error, and what to do about that. */

#include <stdbool.h>

#include "base/str.h"

/*
 * Appends the line that says it: one that is known, else the first that calls itself an error, else
 * the last. True if it is one of the first two: it then tells why, though nothing has ended yet.
 * *ret_advice: what to do, or NULL.
 */
bool reason_read(const struct str *said, struct str *line, const char **ret_advice)
	__attribute__((nonnull));

/* The program that is meant by such an argv: the one behind an `env' and its settings. */
const char *reason_program(char *const *argv) __attribute__((nonnull));

#endif
