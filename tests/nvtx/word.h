/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NVTX_WORD_H
#define TESTS_NVTX_WORD_H

/* Words that a rank is told to do: "R:word" is for rank R only, "!R:word" for all but R. */

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct word {
	const char *name; /* NULL: the table ends */
	void (*run)(void);
};

/* Does what is asked, if it is for this rank. Returns false if there is no such word. */
static inline bool word_act(const struct word *words, int rank, const char *asked)
{
	const char *colon = strchr(asked, ':');

	if (colon) {
		int but = *asked == '!';

		if ((atoi(asked + but) == rank) == but)
			return true;
		asked = colon + 1;
	}
	while (words->name && strcmp(words->name, asked) != 0)
		words++;
	if (words->name)
		words->run();
	return words->name != NULL;
}

#endif
