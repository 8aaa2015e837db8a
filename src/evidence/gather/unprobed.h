/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_UNPROBED_H
#define EVIDENCE_UNPROBED_H

/*
 * Ranks of a job under `inquest run' in whom the probe does not work: a script has replaced
 * LD_PRELOAD, or cleared the environment; the program is static, or has another C library, or runs
 * with raised privileges; a container has its own mounts. They are no less ranks than those of a
 * job that nobody wrapped, and are told by the same signs (proc/survey/survey.h): of all that the
 * agent watches over, who claims to be a rank and has no probe at work, in it or below it, while it
 * has lived for some seconds. A launcher, a wrapper and a helper of a moment are none.
 */

#include <stddef.h>

#include "evidence/format/exhibit.h"

/*
 * Adds an exhibit `identity` for each such rank, whose field "unprobed" says why, as far as it can
 * be seen. Reads what may block within deadline_ms each. Returns how many there are; none
 * where the folder cannot be read, or its agent is gone.
 */
size_t unprobed_find(const char *folder, int deadline_ms, struct evidence *into)
	__attribute__((nonnull));

/* One of them, as its exhibit tells. */
struct unprobed_rank {
	uint32_t pid;  /* as it knows itself */
	uint32_t here; /* as we see it */
	uint64_t start_time;
	int rank;	/* -1 not known */
	int world_size; /* -1 not known */
	char why[96];
};

/* Reads such an exhibit; false for any other. */
bool unprobed_read(const struct exhibit *exhibit, struct unprobed_rank *ret)
	__attribute__((nonnull));

#endif
