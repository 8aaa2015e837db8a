/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_JSON_SCAN_H
#define EVIDENCE_JSON_SCAN_H

/*
 * A stranger's JSON, weighed before json-c makes a tree of it: an empty object of three bytes costs
 * that library most of a kilobyte.
 */

#include <stdbool.h>
#include <stddef.h>

#define JSON_SCAN_DEPTH	 16 /* no document of ours is deeper */
#define JSON_SCAN_WEIGHT 40 /* bytes of tree for a byte of text, at most */

/*
 * True if the tree of this text stays within JSON_SCAN_WEIGHT for each byte (and 256 KiB for a
 * small one) and within JSON_SCAN_DEPTH. Says nothing of whether it is JSON.
 */
bool json_scan_is_light(const char *text, size_t len);

#endif
