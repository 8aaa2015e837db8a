/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto.h: Protocol Buffers, written field by field (protobuf.dev, "Encoding"): each function
 * appends one field. A message within a message is written into a str of its own first. Field
 * numbers are from 1 to 2^29 - 1.
 */
#ifndef VIEWER_PROTO_H
#define VIEWER_PROTO_H

#include <stdint.h>

#include "base/str.h"

/* Appends a varint: uint64, uint32, bool, enum; and int64, whose negatives take ten bytes. */
void proto_uint(struct str *into, unsigned field, uint64_t value) __attribute__((nonnull));
/* Appends eight bytes, the lowest first: fixed64. */
void proto_fixed64(struct str *into, unsigned field, uint64_t value) __attribute__((nonnull));
/* Appends a string. The text may be of anybody: what is not UTF-8 becomes U+FFFD. */
void proto_text(struct str *into, unsigned field, const char *text) __attribute__((nonnull));
/* Appends a message that was written before; its bytes are copied. */
void proto_message(struct str *into, unsigned field, const struct str *message)
	__attribute__((nonnull));

#endif
