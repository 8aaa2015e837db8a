/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_REASON_H
#define CMD_REACH_REASON_H

/* Why a launcher failed, by its standard error, and what to do about that. */

#include <stdbool.h>

#include "base/str.h"

/*
 * Appends the line that tells why: a known one, else the first that calls itself an error, else the
 * last. True for one of the first two: it tells why, even before the launcher has ended.
 * *ret_advice: what to do, or NULL.
 */
bool reason_read(const struct str *said, struct str *line, const char **ret_advice)
	__attribute__((nonnull));

/* Returns the program that such an argv means: the one behind an `env' and its settings. */
const char *reason_program(char *const *argv) __attribute__((nonnull));

#endif
