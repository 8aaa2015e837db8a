/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

/*
 * FNV-1a, 64 bits (Fowler, Noll, Vo). For tables and for names; never a proof, since anybody can
 * make two texts of one hash. It is the same on every machine. The probe and the ring's format have
 * their own.
 */

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325ull

/*
 * Continues a hash with one more number: a byte, or a whole word at once, which is no FNV any more.
 */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 0x100000001b3ull;
}

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < len; i++)
		hash = hash_mix(hash, at[i]);
	return hash;
}

/* Continues a hash with a text, without its NUL. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = hash_mix(hash, (uint8_t)*text);
	return hash;
}

#endif
