/* SPDX-License-Identifier: Apache-2.0 */
/* The page (words/page.h) painted into a pane; each line leads to what it cites. */
#include "viewer/pane/pane-words.h"

struct page pane_page(const struct scene *scene)
{
	return (struct page){.verdicts = scene->verdicts,
		.live = scene->live,
		.now = scene->now,
		.left_out = scene->left_out};
}

enum style pane_style(enum page_tone tone)
{
	static const enum style styles[] = {
		[PAGE_PLAIN] = STYLE_PLAIN,
		[PAGE_ALARM] = STYLE_ALARM,
		[PAGE_WARN] = STYLE_WARN,
		[PAGE_GOOD] = STYLE_GOOD,
		[PAGE_STRONG] = STYLE_STRONG,
		[PAGE_FAINT] = STYLE_FAINT,
	};

	return styles[tone];
}

struct pane_words pane_words_of_line(const struct scene *scene, const struct page_line *line)
{
	struct pane_words words = line->key ? pane_words_of(line->key)
					    : pane_words_of_ranks(scene->job, line->ranks);

	str_add(&words.words, line->words);
	words.cite = line->cite;
	words.style = pane_style(line->tone);
	words.goal.rank = line->rank;
	if (line->fact)
		words.goal = pane_goal_of_fact(scene, line->fact, line->group);
	return words;
}

void pane_section_add(const struct pane_fill *fill, struct page *page, enum page_kind kind,
	const struct verdict *verdict)
{
	struct page_section section = page_section(page, kind, verdict);

	for (size_t i = 0; i < section.n; i++) {
		struct pane_words line = pane_words_of_line(fill->scene, &section.lines[i]);

		pane_words_add(fill, &line);
	}
}
