/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_UNPROBED_H
#define EVIDENCE_UNPROBED_H

/*
 * Ranks of a job under `inquest run' without a working probe: a script has replaced LD_PRELOAD, or
 * cleared the environment; the program is static, or has another C library, or runs with raised
 * privileges; a container has its own mounts. They are ranks all the same, and are recognized like
 * those of a job without `inquest run' (proc/survey/survey.h): such a rank is a watched process
 * that claims to be a rank, has lived for some seconds, and has no working probe in itself or its
 * descendants. Launchers, wrappers and short-lived helpers do not count.
 */

#include <stddef.h>

#include "evidence/format/exhibit.h"

/*
 * Adds an exhibit `identity` for each such rank. Its field "unprobed" says why, as far as that is
 * visible. Each read that may block ends within deadline_ms. Returns how many such ranks there are;
 * 0 where the folder cannot be read, or its agent is gone.
 */
size_t unprobed_find(const char *folder, int deadline_ms, struct evidence *into)
	__attribute__((nonnull));

/* Such a rank, by its exhibit. */
struct unprobed_rank {
	uint32_t pid;  /* the pid by which it knows itself */
	uint32_t here; /* the pid by which we see it */
	uint64_t start_time;
	int rank;	/* -1 not known */
	int world_size; /* -1 not known */
	char why[96]; /* in words */
};

/* Reads such an exhibit. Returns false for any other. */
bool unprobed_read(const struct exhibit *exhibit, struct unprobed_rank *ret)
	__attribute__((nonnull));

#endif
