/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LOG_SIEVE_H
#define EVIDENCE_LOG_SIEVE_H

/*
 * A log of any size, sieved: its begin and its end are kept whole, and of what lies between the
 * lines by which launchers and libraries tell of errors, with what follows them. Memory is bounded,
 * whatever the file is: 10 GB, or one line of 1 GB.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define LOG_SIEVE_HEAD	 (256 << 10) /* bytes kept whole at the begin */
#define LOG_SIEVE_TAIL	 (4 << 20)   /* and at the end */
#define LOG_SIEVE_MIDDLE (4 << 20)   /* of what lies between, at most */
#define LOG_SIEVE_LINE	 4000	     /* of one line */

struct log_sieve {
	int64_t lines; /* in the file */
	int64_t lost;  /* of them, told of an error, and there was no room */
	bool known;    /* some line is such as launchers or libraries write */
};

/*
 * Reads a regular file of that size from its begin, and appends the kept lines, each as
 * "NUMBER\tTEXT\n", counted from 1. Bytes that are no text stay as they are, but for NULs, which
 * become blanks. 0 or -errno.
 */
int log_sieve(int fd, int64_t size, struct str *into, struct log_sieve *ret)
	__attribute__((nonnull));

#endif
