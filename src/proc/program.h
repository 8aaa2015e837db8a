/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_PROGRAM_H
#define PROC_PROGRAM_H

/* Another program, asked for what it prints: one that hangs is ended, and costs its deadline. */

#include <stddef.h>

#include "base/str.h"

#define PROGRAM_NOT_FOUND 127 /* the status of what could not be started */

struct program {
	const char *const *argv; /* NULL-ended; the first is looked for on PATH */
	const char *const *env;	 /* NULL-ended; NAME=VALUE is set, NAME is taken away; NULL: none */
};

/*
 * Runs it with nothing to read and nowhere to complain, and appends what it prints to ret. Its exit
 * status; -ETIMEDOUT it took longer; -EFBIG it printed more than `most` bytes (ret has some of
 * them); -EIO a signal ended it; or another -errno.
 */
int program_read(const struct program *program, int deadline_ms, size_t most, struct str *ret)
	__attribute__((nonnull));

#endif
