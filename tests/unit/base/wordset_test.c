/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wordset.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

static const char *const words[] = {"Traceback", "[rank", "exitcode", "CUDA error", "back"};

#define N (sizeof(words) / sizeof(words[0]))

static void each_word_is_found_wherever_it_stands(void **state)
{
	struct wordset set;
	char text[256];

	(void)state;
	wordset_make(&set, words, N);
	for (size_t word = 0; word < N; word++)
		for (size_t at = 0; at + strlen(words[word]) <= sizeof(text); at++) {
			size_t found = N;

			memset(text, 'a', sizeof(text));
			memcpy(text + at, words[word], strlen(words[word]));
			assert_ptr_equal(wordset_find(&set, text, sizeof(text), &found), text + at);
			assert_int_equal(found, word);
		}
	wordset_release(&set);
}

static void what_is_cut_off_is_no_word(void **state)
{
	struct wordset set;

	(void)state;
	wordset_make(&set, words, N);
	assert_null(wordset_find(&set, "", 0, NULL));
	assert_null(wordset_find(&set, "Tracebac", 8, NULL));
	assert_null(wordset_find(&set, "exitcode", 7, NULL));
	assert_null(wordset_find(&set, "CUDA erro\0r", 11, NULL));
	wordset_release(&set);
}

/* Beside the plain way of looking for each of them. */
static void any_text_is_searched_as_word_by_word(void **state)
{
	struct wordset set;
	char text[64];

	(void)state;
	srand(7);
	wordset_make(&set, words, N);
	for (int round = 0; round < 200000; round++) {
		const char *first = NULL;

		for (size_t i = 0; i < sizeof(text); i++)
			text[i] = "bacTrk[ne"[rand() % 9];
		for (size_t i = 0; i < N; i++) {
			const char *at = memmem(text, sizeof(text), words[i], strlen(words[i]));

			if (at && (!first || at < first))
				first = at;
		}
		assert_ptr_equal(wordset_find(&set, text, sizeof(text), NULL), first);
	}
	wordset_release(&set);
}

static void of_no_words_none_is_found(void **state)
{
	struct wordset set;

	(void)state;
	wordset_make(&set, words, 0);
	assert_null(wordset_find(&set, "Traceback", 9, NULL));
	wordset_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_word_is_found_wherever_it_stands),
		cmocka_unit_test(what_is_cut_off_is_no_word),
		cmocka_unit_test(any_text_is_searched_as_word_by_word),
		cmocka_unit_test(of_no_words_none_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
