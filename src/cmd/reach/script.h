/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_SCRIPT_H
#define CMD_REACH_SCRIPT_H

/* What is run on a node: for any POSIX shell with mktemp, head and sha256sum (or busybox). */

#include "cmd/reach/collect.h"

/* Our own program, if it is the one file that runs anywhere. {0} at first. */
struct script_program {
	struct str path;  /* its path here */
	struct str bytes; /* empty: our program is not that file, and is not sent */
	char sum[65]; /* SHA-256 of the bytes, in hex */
};

/* Reads our program. Never fails: an unreadable program is not sent. */
void script_program_read(struct script_program *program) __attribute__((nonnull));
/* Frees its path and its bytes. */
void script_program_release(struct script_program *program) __attribute__((nonnull));

/*
 * Appends "inquest gather --job 'KEY' --text ...", each word quoted for a shell where it must be.
 */
void script_add_command(struct str *into, const struct collect *collect) __attribute__((nonnull));

/* Appends the script. */
void script_add(struct str *into, const struct collect *collect,
	const struct script_program *program) __attribute__((nonnull));

#endif
