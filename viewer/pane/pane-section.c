/* SPDX-License-Identifier: Apache-2.0 */
/* The page (words/page.h) painted into a pane; each line leads to what it cites. */
#include "viewer/pane/pane-words.h"

#include "words/escape.h"

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

	str_printf(&words.words, "%s%s%s", line->words,
		*line->words && *line->command ? ": " : "", line->command);
	words.cite = line->cite;
	words.style = pane_style(line->tone);
	words.goal.rank = line->rank;
	if (line->fact)
		words.goal = pane_goal_of_fact(scene, line->fact, line->group);
	return words;
}

/* True if a command has no room beside its words: it stands below them then. */
static bool is_below(const struct pane_fill *fill, const struct page_line *line)
{
	size_t room = pane_room(fill, PANE_COLUMN + 1);

	return *line->words && *line->command &&
	       escape_width(line->words) + 2 + escape_width(line->command) > room;
}

/* Adds words, and the command on a line of its own. */
static void add_below(const struct pane_fill *fill, const struct page_line *line)
{
	struct page_line first = *line;
	struct pane_words words, command = pane_words_of("");

	first.command = "";
	words = pane_words_of_line(fill->scene, &first);
	str_add_char(&words.words, ':');
	pane_words_add(fill, &words);
	str_add(&command.words, line->command);
	pane_words_add(fill, &command);
}

void pane_section_add(const struct pane_fill *fill, struct page *page, enum page_kind kind,
	const struct verdict *verdict)
{
	struct page_section section = page_section(page, kind, verdict);

	for (size_t i = 0; i < section.n; i++) {
		const struct page_line *line = &section.lines[i];
		struct pane_words words;

		if (is_below(fill, line)) {
			add_below(fill, line);
			continue;
		}
		words = pane_words_of_line(fill->scene, line);
		pane_words_add(fill, &words);
	}
}
