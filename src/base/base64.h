/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

/* Bytes as text (RFC 4648, section 4), in pieces whose bytes divide by three but for the last. */

#include <stdbool.h>

#include "base/str.h"

/* Appends the bytes as base64, padded with "=", without line ends. */
void base64_add(struct str *into, const void *bytes, size_t size) __attribute__((nonnull(1)));

/*
 * Appends the bytes that a piece stands for. Returns false, and into is as it was, if the text is
 * no base64.
 */
bool base64_read(struct str *into, const char *text, size_t len) __attribute__((nonnull));

#endif
