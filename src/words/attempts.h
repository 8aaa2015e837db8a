/* SPDX-License-Identifier: Apache-2.0 */
/* attempts.h: which attempt of an elastic job this is, and how the one before it ended. */
#ifndef WORDS_ATTEMPTS_H
#define WORDS_ATTEMPTS_H

#include "base/str.h"
#include "job/job.h"

/* Appends "attempt 2 (1 ended 03:11:52 UTC, SIGSEGV)", as far as that is known. */
void attempts_add(struct str *into, const struct job *job) __attribute__((nonnull));

#endif
