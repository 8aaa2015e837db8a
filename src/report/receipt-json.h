/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A receipt as one JSON object, schema inquest-receipt/1 (inquest-bundle(5)): the file that is kept
 * of each run, and what --json prints.
 */
#ifndef REPORT_RECEIPT_JSON_H
#define REPORT_RECEIPT_JSON_H

#include "base/str.h"
#include "job/job-receipt.h"

/* Bytes of the largest file of a receipt. */
#define RECEIPT_MOST (64 << 10)

/*
 * Appends the object without a newline, in at most `most` bytes (at least 8192). What has no room
 * is cut, in this order: values of variables, ranks beyond the first (ranks_left_out counts them),
 * lists of names and arguments. Text is made UTF-8, and safe for a terminal.
 */
void receipt_json(struct str *into, const struct receipt *receipt, size_t most);

#endif
