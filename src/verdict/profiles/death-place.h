/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VERDICT_DEATH_PLACE_H
#define VERDICT_DEATH_PLACE_H

#include "verdict/rule.h"

/* True if a stack of the rank's death is known. */
bool death_has_place(const struct inquiry *q, struct rank_index rank) __attribute__((nonnull));

/*
 * Returns the innermost frames of the thread whose signal ended the rank, and the program's own
 * line: "memcpy (libc.so.6) < pack (pack.c:12) < ... < step (train.py:40)". NULL where no stack of
 * the death is known. *ret_cite: where that stands.
 */
const struct verdict_thing *death_place(
	struct inquiry *q, struct rank_index rank, const char **ret_cite) __attribute__((nonnull));

#endif
