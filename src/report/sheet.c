/* SPDX-License-Identifier: Apache-2.0 */
#include "report/sheet.h"

#include <string.h>

#include "base/alloc.h"

#define KEPT_MOST 8 /* kept lines of a section: with more of them the sheet could not be
		     * shortened */

/* The terminal's bytes for each tone. */
static const char *const styles[] = {
	[PAGE_PLAIN] = "",
	[PAGE_ALARM] = "\033[1;31m",
	[PAGE_WARN] = "\033[1;33m",
	[PAGE_GOOD] = "\033[1;32m",
	[PAGE_STRONG] = "\033[1m",
	[PAGE_FAINT] = "\033[2m",
};

void sheet_begin(struct sheet *sheet, size_t least)
{
	array_add(&sheet->sections)->least = least;
}

void sheet_add(struct sheet *sheet, struct str *text, enum page_tone tone, size_t strong)
{
	struct sheet_section *section = &sheet->sections.items[sheet->sections.nr - 1];
	struct sheet_line *line = array_add(&section->lines);

	*line = (struct sheet_line){.text = str_detach(text), .tone = tone, .strong = strong};
}

void sheet_goes_on(struct sheet *sheet)
{
	struct sheet_section *section = &sheet->sections.items[sheet->sections.nr - 1];

	section->lines.items[section->lines.nr - 1].goes_on = true;
}

/* Removes a line. */
static void drop(struct sheet_section *section, size_t at)
{
	struct sheet_line *lines = section->lines.items;

	free(lines[at].text);
	section->lines.nr--;
	memmove(&lines[at], &lines[at + 1], (section->lines.nr - at) * sizeof(*lines));
}

/* Removes the last line. */
static void drop_last(struct sheet_section *section)
{
	drop(section, section->lines.nr - 1);
}

/*
 * Returns how many lines the section keeps in any case. Where it gives up others, one more line
 * says how many.
 */
static size_t least_of(const struct sheet_section *section)
{
	size_t kept = 1;
	const struct sheet_line *line;

	array_for_each (&section->lines, line)
		kept += line->kept && kept < KEPT_MOST;
	return section->least > kept ? section->least : kept;
}

/* Leaves `keep` lines of a section, the last of which counts those that are gone. */
static void cut_section(struct sheet_section *section, size_t keep)
{
	size_t had = section->lines.nr;
	bool halved = false;
	struct str more = {0};

	if (keep >= had)
		return;
	for (size_t at = had; at-- && (section->lines.nr >= keep || halved);) {
		const struct sheet_line *line = &section->lines.items[at];
		bool kept = line->kept;

		/* What a line began to say is not said by half. */
		halved = !kept && line->goes_on;
		if (!kept)
			drop(section, at);
	}
	while (section->lines.nr >= keep && section->lines.nr)
		drop_last(section);
	str_printf(&more, "   ... and %zu more (--json has all)", had - section->lines.nr);
	*array_add(&section->lines) = (struct sheet_line){.text = str_detach(&more)};
}

void sheet_shorten(struct sheet *sheet, size_t lines)
{
	size_t nr = sheet->sections.nr, total = 0;
	size_t *keep = alloc_zeroed(nr + 1, sizeof(*keep));
	size_t *least = alloc_zeroed(nr + 1, sizeof(*least));

	for (size_t i = 0; i < nr; i++) {
		total += keep[i] = sheet->sections.items[i].lines.nr;
		least[i] = least_of(&sheet->sections.items[i]);
	}
	while (total > lines) {
		size_t best = nr, most = 0;

		for (size_t i = 0; i < nr; i++)
			if (keep[i] > least[i] && keep[i] - least[i] > most) {
				most = keep[i] - least[i];
				best = i;
			}
		if (best == nr)
			break;
		keep[best]--;
		total--;
	}
	for (size_t i = 0; i < nr; i++)
		cut_section(&sheet->sections.items[i], keep[i]);
	free(keep);
	free(least);
}

/* Writes one line; of a coloured one the first `strong` bytes carry the colour. */
static void write_line(const struct sheet_line *line, FILE *file, bool color)
{
	size_t len = strlen(line->text);
	size_t strong = line->strong && line->strong < len ? line->strong : len;

	if (color && line->tone != PAGE_PLAIN)
		fprintf(file, "%s%.*s\033[0m%s\n", styles[line->tone], (int)strong, line->text,
			line->text + strong);
	else
		fprintf(file, "%s\n", line->text);
}

void sheet_write(const struct sheet *sheet, FILE *file, bool color)
{
	const struct sheet_section *section;
	const struct sheet_line *line;

	array_for_each (&sheet->sections, section)
		array_for_each (&section->lines, line)
			write_line(line, file, color);
}

void sheet_release(struct sheet *sheet)
{
	struct sheet_section *section;

	array_for_each (&sheet->sections, section) {
		while (section->lines.nr)
			drop_last(section);
		array_release(&section->lines);
	}
	array_release(&sheet->sections);
}
