/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/export/intern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

#define LEAST 256 /* of places, and of texts */

/* Returns the place where the text is, or where it would be. */
static size_t place_of(const struct intern *intern, const char *text)
{
	size_t at = (size_t)hash_text(HASH_START, text) & (intern->size - 1);

	for (; intern->places[at]; at = (at + 1) & (intern->size - 1)) {
		const char *there = intern->texts[intern->places[at] - 1];

		if (there == text || !strcmp(there, text))
			break;
	}
	return at;
}

/* Makes room for one more: never is more than half of the places taken. */
static void grow(struct intern *intern)
{
	if (intern->n * 2 < intern->size)
		return;
	free(intern->places);
	intern->size = intern->size ? intern->size * 2 : LEAST;
	intern->places = alloc_zeroed(intern->size, sizeof(*intern->places));
	for (size_t i = 0; i < intern->n; i++)
		intern->places[place_of(intern, intern->texts[i])] = i + 1;
}

size_t intern_text(struct intern *intern, const char *text)
{
	size_t at;

	grow(intern);
	at = place_of(intern, text);
	if (intern->places[at])
		return intern->places[at] - 1;
	if (intern->n == intern->room) {
		intern->room = intern->room ? intern->room * 2 : LEAST;
		intern->texts = alloc_resize(intern->texts, intern->room, sizeof(*intern->texts));
	}
	intern->texts[intern->n++] = text;
	intern->places[at] = intern->n;
	return intern->n - 1;
}

void intern_release(struct intern *intern)
{
	free(intern->texts);
	free(intern->places);
	*intern = (struct intern){0};
}
