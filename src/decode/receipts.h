/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receipts.h: the file that is kept of each run, read. Its bytes may be anybody's: what is missing
 * or of another type is not known, and what is no receipt at all is refused.
 */
#ifndef DECODE_RECEIPTS_H
#define DECODE_RECEIPTS_H

#include "base/complaint.h"
#include "job/receipt.h"

/* A file that is larger is none of ours. */
#define RECEIPT_FILE_CAP (1 << 20)

/* Reads one; all texts are put into the arena. 0, or -1 with words. */
int receipt_read(const char *bytes, size_t len, struct arena *arena, struct receipt *ret,
	struct complaint *why) __attribute__((nonnull(1, 3, 4)));

#endif
