/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORDS_RECEIPT_TABLE_H
#define WORDS_RECEIPT_TABLE_H

#include "words/receipt-words.h"

/*
 * Adds the table of ranks to a page: a row for those of which the same is said, memory apart, of
 * which no two have the same; of those whose memory is near, the most is told. Without ranks there
 * is none.
 */
void receipt_table(struct receipt_page *page, const struct receipt *receipt)
	__attribute__((nonnull));

#endif
