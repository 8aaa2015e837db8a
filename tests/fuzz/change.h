/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_CHANGE_H
#define TESTS_FUZZ_CHANGE_H

/*
 * How inputs that have a shape are changed, by libFuzzer and by driver.c alike. Blind changes break
 * the shape: a byte put in moves all that comes behind, and a checksum refuses the rest. A target
 * that defines LLVMFuzzerCustomMutator() has its inputs changed by that; it takes them apart, has
 * one part of them changed by LLVMFuzzerMutate(), and puts them together again.
 */

#include <stddef.h>
#include <stdint.h>

/*
 * Changes bytes in place, with room for `most`, and returns how many they are then. libFuzzer has
 * one of its own; ours is in driver.c.
 */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

/* Does the same for a whole input of the target; `seed` is all the chance that it may use. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Returns a number that depends on all bytes: an input is always played in the same way. */
static inline uint32_t input_hash(const uint8_t *bytes, size_t size)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash ^ hash >> 15;
}

/* Draws the next number below `below` from an input's hash or a mutator's seed. */
static inline uint32_t draw_below(uint32_t *hash, uint32_t below)
{
	*hash = *hash * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)*hash * below >> 32);
}

#endif
