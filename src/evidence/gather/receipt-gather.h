/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_RECEIPT_H
#define EVIDENCE_RECEIPT_H

/*
 * The receipt: raw facts about a launch, taken before the first import, since they cannot be had
 * later (the cache that was cold then is warm now). They are the environment, by an allow-list and
 * without any name that looks like a secret; git revision and dirty state of the working folder;
 * host, kernel, container limits, mounts, compile caches, control group counters.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/complaint.h"
#include "base/str.h"

/* What is launched. Texts are borrowed. */
struct receipt_launch {
	const char *job;
	const char *name;
	char *const *argv; /* NULL-ended */
	char *const *envp; /* the job's environment, NULL-ended; NULL not known */
	const char *cwd;   /* where it runs; NULL: where we do */
	int64_t launched;  /* realtime ns */
};

/*
 * Appends the receipt as JSON. Looks at the machine as told above, each walk bounded: it takes some
 * 10 ms, at most about a second if git is asked. Never fails: unknown values are left out.
 */
void receipt_take(const struct receipt_launch *launch, struct str *into) __attribute__((nonnull));

/* Takes the receipt and writes it into the job's folder. Returns 0, or -errno with words. */
int receipt_write(const char *folder, const struct receipt_launch *launch, struct complaint *why)
	__attribute__((nonnull(1, 2)));

#endif
