/* SPDX-License-Identifier: Apache-2.0 */
/* How runs compare as one JSON object, schema inquest-compare/1. */
#ifndef REPORT_COMPARE_JSON_H
#define REPORT_COMPARE_JSON_H

#include "base/str.h"
#include "verdict/drift.h"

/*
 * Appends the object with a newline. Of `n` runs the first is what the others are held against;
 * `drifts` are the n - 1 comparisons in the order of the others.
 */
void compare_json(struct str *into, const struct receipt *all, const char *const *names, size_t n,
	const struct drifts *drifts);

#endif
