/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode-receipts.h: reads the file that is kept of each run. Its bytes may be forged: what is
 * missing or of another type is not known, and what is no receipt at all is refused.
 */
#ifndef DECODE_RECEIPTS_H
#define DECODE_RECEIPTS_H

#include "base/complaint.h"
#include "job/job-receipt.h"

/* A larger file is no receipt of ours; bytes. */
#define RECEIPT_FILE_CAP (1 << 20)

/* Reads a receipt, and puts all its texts into the arena. Returns 0, or -1 with words. */
int receipt_read(const char *bytes, size_t len, struct arena *arena, struct receipt *ret,
	struct complaint *why) __attribute__((nonnull(1, 3, 4)));

#endif
