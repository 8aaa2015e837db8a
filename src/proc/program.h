/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_PROGRAM_H
#define PROC_PROGRAM_H

/* Runs another program for what it prints. One that hangs is ended, and costs its deadline. */

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define PROGRAM_NOT_FOUND 127 /* exit status of a program that could not be started */

struct program {
	const char *const *argv; /* NULL-ended; the program is looked for on PATH */
	/* NULL-ended: NAME=VALUE is set, NAME is taken away; NULL: nothing of it changes */
	const char *const *env;
};

/*
 * Runs a program with no input and its complaints thrown away, and appends what it prints to ret.
 * Returns its exit status; -ETIMEDOUT if it took longer than deadline_ms; -EFBIG if it printed more
 * than `most` bytes (ret has some of them); -EIO if a signal ended it; or another -errno.
 */
int program_read(const struct program *program, int deadline_ms, size_t most, struct str *ret)
	__attribute__((nonnull));

/* True if a program of that name is found on PATH. */
bool program_is_here(const char *name) __attribute__((nonnull));

#endif
