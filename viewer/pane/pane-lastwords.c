/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks said last: those that are blamed, then all others, each in a few lines. */
#include "viewer/pane/pane-words.h"

#define LINES 3 /* of what one of them said */

void pane_fill_lastwords(
	const struct scene *scene, const struct pane_place *place, struct pane_lines *into)
{
	const struct pane_fill fill = {scene, place, into};
	struct page page = pane_page(scene);
	struct page_section section = page_section(&page, PAGE_LAST_WORDS, NULL);

	into->here = -1;
	for (size_t i = 0; i < section.n; i++) {
		struct pane_words line = pane_words_of_line(scene, &section.lines[i]);

		line.most = LINES;
		pane_words_add(&fill, &line);
	}
	page_release(&page);
}
