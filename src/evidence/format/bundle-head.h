/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_BUNDLE_HEAD_H
#define EVIDENCE_BUNDLE_HEAD_H

/* The head of a bundle's frame (evidence/format/bundle.h): a msgpack map of scalars. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a head says. It owns its texts, which are NULL where it has none; numbers that it does not
 * tell are 0, if nothing else is said.
 */
struct bundle_head {
	char *kind;
	char *host;
	char *label;
	int64_t rank; /* -1 where the head does not tell */
	int64_t pid;
	int64_t start_time;
	int64_t when; /* realtime ns */
	int64_t damaged; /* 1: the exhibit was damaged before it was packed */
	int64_t size; /* bytes of the exhibit */
	int64_t packed; /* bytes of the body */
	int64_t frames; /* of the closing: how many frames there are */
};

/*
 * Parses a head: a map of at most 65535 pairs, none of which nests. Keys that are unknown here are
 * passed over. Returns false if it is none. The caller calls bundle_head_release() in any case.
 */
bool bundle_head_parse(const uint8_t *bytes, size_t size, struct bundle_head *ret)
	__attribute__((nonnull));

/* Frees its texts. */
void bundle_head_release(struct bundle_head *head) __attribute__((nonnull));

#endif
