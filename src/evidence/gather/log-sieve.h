/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LOG_SIEVE_H
#define EVIDENCE_LOG_SIEVE_H

/*
 * A log of any size, sieved. Its begin and its end are kept whole; of what lies between, the lines
 * by which launchers and libraries tell of errors, with what follows them. Memory is bounded,
 * whatever the file is: 10 GB, or one line of 1 GB.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define LOG_SIEVE_HEAD	 (256 << 10) /* bytes kept whole at the begin */
#define LOG_SIEVE_TAIL	 (4 << 20)   /* bytes kept whole at the end */
#define LOG_SIEVE_MIDDLE (4 << 20)   /* the most bytes kept of what lies between */
#define LOG_SIEVE_LINE	 4000	     /* the most bytes kept of one line; of compilers' lines 16
				      * times as much */

/*
 * Which words tell that a line matters: those of launchers and libraries, of the kernel, of a
 * compiler.
 */
enum log_sieve_family { LOG_SIEVE_JOB, LOG_SIEVE_KERNEL, LOG_SIEVE_COMPILES, LOG_SIEVE_FAMILIES };

/* What was found in a log. */
struct log_sieve {
	int64_t lines; /* how many the file has */
	int64_t lost;  /* how many of these told of an error, and found no room */
	bool known;    /* true if some line is such as launchers or libraries write */
};

/*
 * Reads a regular file of `size` bytes from its begin, and no further however it grows meanwhile,
 * and appends the kept lines, each as "NUMBER\tTEXT\n", counted from 1; a last line that has no end
 * there has none here. Bytes that are no text stay as they are, but NULs become blanks. Returns 0
 * or -errno.
 */
int log_sieve(int fd, int64_t size, enum log_sieve_family family, struct str *into,
	struct log_sieve *ret) __attribute__((nonnull));

/* True if a word of the family, or a mark of its lines, is in these bytes. */
bool log_sieve_knows(enum log_sieve_family family, const char *bytes, size_t len)
	__attribute__((nonnull));

#endif
