/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_JSON_SCAN_H
#define EVIDENCE_JSON_SCAN_H

/*
 * Weighs a stranger's JSON before json-c makes a tree of it: an empty object of three bytes costs
 * that library most of a kilobyte.
 */

#include <stdbool.h>
#include <stddef.h>

#define JSON_SCAN_DEPTH	 16 /* a document of ours is never deeper */
#define JSON_SCAN_WEIGHT 40 /* the most bytes of tree for one byte of text */

/*
 * True if the tree of this text stays within JSON_SCAN_WEIGHT bytes for each byte (plus 256 KiB,
 * for small ones) and within JSON_SCAN_DEPTH. It does not tell whether the text is JSON.
 */
bool json_scan_is_light(const char *text, size_t len);

#endif
