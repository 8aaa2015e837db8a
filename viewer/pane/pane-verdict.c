/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict: the page's sections, as the text report has them (words/page.h); here each line
 * leads to the event that it cites, and further verdicts come with their evidence. What to do next
 * must not have to be looked for: it stands last, where all is seen at once, else at the top.
 */
#include <string.h>

#include "viewer/pane/pane-words.h"

#define OTHERS_MOST 32 /* further verdicts; how many more there are is said */

/* Adds sections of the page, in this order. */
static void add_sections(const struct pane_fill *fill, struct page *page,
	const enum page_kind *kinds, size_t n, const struct verdict *verdict)
{
	for (size_t i = 0; i < n; i++)
		pane_section_add(fill, page, kinds[i], verdict);
}

/* Adds the verdicts behind the first, each with what speaks for it. */
static void add_others(const struct pane_fill *fill, struct page *page)
{
	static const enum page_kind parts[] = {PAGE_EVIDENCE, PAGE_WHO, PAGE_NEXT};
	struct page_section also = page_section(page, PAGE_ALSO, NULL);

	for (size_t i = 0; i < also.n && i < OTHERS_MOST; i++) {
		struct pane_words line = pane_words_of_line(fill->scene, &also.lines[i]);

		pane_words_add(fill, &line);
		add_sections(fill, page, parts, sizeof(parts) / sizeof(*parts),
			also.lines[i].verdict);
	}
	if (also.n > OTHERS_MOST)
		pane_add(fill->into, STYLE_FAINT, " ... and %zu verdicts more",
			also.n - OTHERS_MOST);
}

/* Moves the lines behind `end` to before those behind `to`. */
static void move_lines(struct pane_lines *lines, size_t to, size_t end)
{
	for (size_t from = end; from < lines->all.nr; from++, to++) {
		const struct pane_line line = lines->all.items[from];

		memmove(&lines->all.items[to + 1], &lines->all.items[to],
			(from - to) * sizeof(line));
		lines->all.items[to] = line;
	}
}

void pane_fill_verdict(
	const struct scene *scene, const struct pane_place *place, struct pane_lines *into)
{
	static const enum page_kind head[] = {PAGE_OUTLOOK, PAGE_OTHERS},
				    body[] = {PAGE_EVIDENCE, PAGE_WHO, PAGE_NOT, PAGE_UNJUDGED};
	const struct pane_fill fill = {scene, place, into};
	const struct verdict *first = &scene->verdicts->at[0];
	struct page page = pane_page(scene);
	size_t top, end;

	into->here = -1;
	if (!scene->verdicts->n)
		return;
	add_sections(&fill, &page, head, sizeof(head) / sizeof(*head), first);
	top = into->all.nr;
	add_sections(&fill, &page, body, sizeof(body) / sizeof(*body), first);
	end = into->all.nr;
	pane_section_add(&fill, &page, PAGE_NEXT, first);
	if (place->height > 0 && into->all.nr > (size_t)place->height)
		move_lines(into, top, end);
	add_others(&fill, &page);
	page_release(&page);
}
