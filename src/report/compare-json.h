/* SPDX-License-Identifier: Apache-2.0 */
/* compare-json.h: how runs compare as one JSON object, schema inquest-compare/1. */
#ifndef REPORT_COMPARE_JSON_H
#define REPORT_COMPARE_JSON_H

#include "base/str.h"
#include "verdict/drift.h"

/*
 * Appends it with a newline: of n runs the first is what the others are held against, by the n - 1
 * drifts in the same order.
 */
void compare_json(struct str *into, const struct receipt *all, const char *const *names, size_t n,
	const struct drifts *drifts);

#endif
