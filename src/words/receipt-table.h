/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORDS_RECEIPT_TABLE_H
#define WORDS_RECEIPT_TABLE_H

#include "words/receipt-words.h"

/*
 * Adds the table of ranks to a page. Ranks of which the same is said share a row; of their memory,
 * of which no two have the same, the most is told if they are near each other. Without ranks there
 * is no table.
 */
void receipt_table(struct receipt_page *page, const struct receipt *receipt)
	__attribute__((nonnull));

#endif
