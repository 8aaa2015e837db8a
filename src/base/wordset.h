/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_WORDSET_H
#define BASE_WORDSET_H

/*
 * Seeks several words at once in many bytes, in one pass however many words there are. By the last
 * two bytes of a window as long as the shortest word, most places are passed over without a look
 * (Wu and Manber, 1994).
 */

#include <stddef.h>
#include <stdint.h>

#define WORDSET_MOST 64 /* words */

struct wordset {
	const char *const *words;
	size_t n, least;             /* how many; the length of the shortest */
	uint8_t *steps;              /* by two bytes: how far the window may go on; 0: look */
	uint8_t *heads;              /* by two bytes: 1 + the first word to look at */
	uint8_t nexts[WORDSET_MOST]; /* 1 + the word to look at behind this one */
	uint8_t sizes[WORDSET_MOST];
};

/*
 * Makes a set of n words, at most WORDSET_MOST, each of 2 to 255 bytes; they must live as long as
 * it does. wordset_release() it.
 */
void wordset_make(struct wordset *set, const char *const *words, size_t n)
	__attribute__((nonnull(1)));

/*
 * Returns where the first of the words stands in len bytes, and which word that is (ret_word may be
 * NULL); NULL if there is none.
 */
const char *wordset_find(const struct wordset *set, const char *at, size_t len, size_t *ret_word)
	__attribute__((nonnull(1, 2)));

void wordset_release(struct wordset *set) __attribute__((nonnull));

#endif
