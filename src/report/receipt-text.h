/* SPDX-License-Identifier: Apache-2.0 */
/* Receipts as text of at most 80 columns, for a terminal or a log. */
#ifndef REPORT_RECEIPT_TEXT_H
#define REPORT_RECEIPT_TEXT_H

#include "base/str.h"
#include "job/job-receipt.h"
#include "verdict/drift.h"

/* Appends one receipt. With `all`, each variable that is kept has a line. */
void receipt_text(struct str *into, const struct receipt *receipt, bool all, bool utf8);

/* Appends words behind a key, on as many lines as they take. */
void receipt_text_line(struct str *into, const char *key, const char *words, bool utf8);

/* Appends a header and a line for each receipt, in the order given. */
void receipt_text_table(struct str *into, const struct receipt *all, size_t n, bool utf8);

/*
 * Appends how several runs compare. The first is what the others are held against; `drifts` are the
 * n - 1 comparisons.
 */
void receipt_text_compare(struct str *into, const struct receipt *all, const char *const *names,
	size_t n, const struct drifts *drifts, bool utf8);

#endif
