/* SPDX-License-Identifier: Apache-2.0 */
/* receipt-text.h: receipts as text of at most 80 columns, for a terminal or a log. */
#ifndef REPORT_RECEIPT_TEXT_H
#define REPORT_RECEIPT_TEXT_H

#include "base/str.h"
#include "job/receipt.h"
#include "verdict/drift.h"

/* Appends one receipt; with `all`, each variable that is kept has its line. */
void receipt_text(struct str *into, const struct receipt *receipt, bool all, bool utf8);

/* Appends words behind a key, on as many lines as they take. */
void receipt_text_line(struct str *into, const char *key, const char *words, bool utf8);

/* Appends a line for each, in the order given, below a header. */
void receipt_text_table(struct str *into, const struct receipt *all, size_t n, bool utf8);

/* Appends how several runs compare: the first is what the others are held against. */
void receipt_text_compare(struct str *into, const struct receipt *all, const char *const *names,
	size_t n, const struct drifts *drifts, bool utf8);

#endif
