/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_BUNDLE_HEAD_H
#define EVIDENCE_BUNDLE_HEAD_H

/* The head of a bundle's frame (evidence/format/bundle.h): a msgpack map of scalars. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a head says. Texts are its own, NULL where it has none; of what it does not tell, 0. */
struct bundle_head {
	char *kind;
	char *host;
	char *label;
	int64_t rank; /* -1 where it does not tell */
	int64_t pid;
	int64_t start_time;
	int64_t when;
	int64_t damaged;
	int64_t size;
	int64_t packed;
	int64_t frames;
};

/*
 * Parses a head: of at most 65535 pairs, none of which nests. Keys unknown here are passed over.
 * False where it is none; bundle_head_release() it in any case.
 */
bool bundle_head_parse(const uint8_t *bytes, size_t size, struct bundle_head *ret)
	__attribute__((nonnull));

void bundle_head_release(struct bundle_head *head) __attribute__((nonnull));

#endif
