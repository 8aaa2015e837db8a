/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

/* The SHA-256 of bytes (FIPS 180-4). */

#include <stddef.h>

/* The size of its text: 64 hexadecimal digits and a NUL. */
#define SHA256_TEXT_SIZE 65

/* Gives the SHA-256 of the bytes as such text. */
void sha256_text(const void *bytes, size_t size, char ret[SHA256_TEXT_SIZE])
	__attribute__((nonnull(3)));

#endif
