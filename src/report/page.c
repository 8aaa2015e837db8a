/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page.h"

#include <string.h>

#include "base/alloc.h"

#define KEPT_MOST 8 /* lines of a section: with more of them the page would be none */

static const char *const styles[] = {
	[PAGE_PLAIN] = "",
	[PAGE_ALARM] = "\033[1;31m",
	[PAGE_WARN] = "\033[1;33m",
	[PAGE_GOOD] = "\033[1;32m",
	[PAGE_STRONG] = "\033[1m",
	[PAGE_FAINT] = "\033[2m",
};

void page_begin(struct page *page, size_t least)
{
	array_add(&page->sections)->least = least;
}

void page_add(struct page *page, struct str *text, enum page_style style, size_t strong)
{
	struct page_section *section = &page->sections.items[page->sections.nr - 1];
	struct page_line *line = array_add(&section->lines);

	*line = (struct page_line){.text = str_detach(text), .style = style, .strong = strong};
}

void page_keep(struct page *page, size_t lines)
{
	struct page_section *section = &page->sections.items[page->sections.nr - 1];

	for (size_t at = section->lines.nr; at-- && lines--;)
		section->lines.items[at].kept = true;
}

static void drop(struct page_section *section, size_t at)
{
	struct page_line *lines = section->lines.items;

	free(lines[at].text);
	section->lines.nr--;
	memmove(&lines[at], &lines[at + 1], (section->lines.nr - at) * sizeof(*lines));
}

static void drop_last(struct page_section *section)
{
	drop(section, section->lines.nr - 1);
}

/* How many lines it keeps in any case; where it gives up others, one more says how many. */
static size_t least_of(const struct page_section *section)
{
	size_t kept = 1;
	const struct page_line *line;

	array_for_each (&section->lines, line)
		kept += line->kept && kept < KEPT_MOST;
	return section->least > kept ? section->least : kept;
}

/* Leaves `keep` lines of a section, the last of which counts those that are gone. */
static void cut_section(struct page_section *section, size_t keep)
{
	size_t had = section->lines.nr;
	struct str more = {0};

	if (keep >= had)
		return;
	for (size_t at = had; at-- && section->lines.nr >= keep;)
		if (!section->lines.items[at].kept)
			drop(section, at);
	while (section->lines.nr >= keep && section->lines.nr)
		drop_last(section);
	str_printf(&more, "   ... and %zu more (--json has all)", had - section->lines.nr);
	*array_add(&section->lines) = (struct page_line){.text = str_detach(&more)};
}

void page_shorten(struct page *page, size_t lines)
{
	size_t nr = page->sections.nr, total = 0;
	size_t *keep = alloc_zeroed(nr + 1, sizeof(*keep));

	for (size_t i = 0; i < nr; i++)
		total += keep[i] = page->sections.items[i].lines.nr;
	while (total > lines) {
		size_t best = nr, most = 0;

		for (size_t i = 0; i < nr; i++) {
			size_t least = least_of(&page->sections.items[i]);

			if (keep[i] > least && keep[i] - least > most) {
				most = keep[i] - least;
				best = i;
			}
		}
		if (best == nr)
			break;
		keep[best]--;
		total--;
	}
	for (size_t i = 0; i < nr; i++)
		cut_section(&page->sections.items[i], keep[i]);
	free(keep);
}

static void write_line(const struct page_line *line, FILE *file, bool color)
{
	size_t len = strlen(line->text);
	size_t strong = line->strong && line->strong < len ? line->strong : len;

	if (color && line->style != PAGE_PLAIN)
		fprintf(file, "%s%.*s\033[0m%s\n", styles[line->style], (int)strong, line->text,
			line->text + strong);
	else
		fprintf(file, "%s\n", line->text);
}

void page_write(const struct page *page, FILE *file, bool color)
{
	const struct page_section *section;
	const struct page_line *line;

	array_for_each (&page->sections, section)
		array_for_each (&section->lines, line)
			write_line(line, file, color);
}

void page_release(struct page *page)
{
	struct page_section *section;

	array_for_each (&page->sections, section) {
		while (section->lines.nr)
			drop_last(section);
		array_release(&section->lines);
	}
	array_release(&page->sections);
}
