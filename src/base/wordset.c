/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wordset.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define PAIRS 65536

static size_t pair_at(const char *at)
{
	return (size_t)(unsigned char)at[0] << 8 | (unsigned char)at[1];
}

/* Enters a word into the tables, by each two bytes of its first `least`. */
static void add_word(struct wordset *set, size_t word)
{
	const char *text = set->words[word];
	size_t last = set->least - 2;

	for (size_t i = 0; i <= last; i++) {
		uint8_t *step = &set->steps[pair_at(text + i)];

		if (last - i < *step)
			*step = (uint8_t)(last - i);
	}
	set->nexts[word] = set->heads[pair_at(text + last)];
	set->heads[pair_at(text + last)] = (uint8_t)(word + 1);
}

void wordset_make(struct wordset *set, const char *const *words, size_t n)
{
	*set = (struct wordset){.words = words, .n = n, .least = n ? UINT8_MAX : 2};
	set->steps = alloc_zeroed(2, PAIRS);
	set->heads = set->steps + PAIRS;
	for (size_t i = 0; i < n; i++) {
		set->sizes[i] = (uint8_t)strlen(words[i]);
		if (set->sizes[i] < set->least)
			set->least = set->sizes[i];
	}
	memset(set->steps, (int)(set->least - 1), PAIRS);
	for (size_t i = n; i-- > 0;)
		add_word(set, i);
}

/* Returns 1 + the first word of the pair's list that stands at `at`; 0 if none does. */
static size_t look(const struct wordset *set, const char *at, size_t len, size_t pair)
{
	for (size_t word = set->heads[pair]; word; word = set->nexts[word - 1])
		if (set->sizes[word - 1] <= len &&
			!memcmp(at, set->words[word - 1], set->sizes[word - 1]))
			return word;
	return 0;
}

const char *wordset_find(const struct wordset *set, const char *at, size_t len, size_t *ret_word)
{
	size_t window = set->least - 2;

	for (size_t i = 0; i + set->least <= len;) {
		size_t pair = pair_at(at + i + window), step = set->steps[pair], word;

		if (step) {
			i += step;
			continue;
		}
		word = look(set, at + i, len - i, pair);
		if (word) {
			if (ret_word)
				*ret_word = word - 1;
			return at + i;
		}
		i++;
	}
	return NULL;
}

void wordset_release(struct wordset *set)
{
	free(set->steps);
	*set = (struct wordset){0};
}
