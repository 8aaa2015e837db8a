/* SPDX-License-Identifier: Apache-2.0 */
#include "report/paint.h"

#include <string.h>

#include "words/breaks.h"
#include "words/escape.h"
#include "words/headline.h"
#include "words/rank-names.h"

#define CITE_COLUMN 61
#define CITE_WIDTH  28
#define KEY_MOST    16 /* of ranks; what then is beside it begins further right */
#define LINES_MOST  2  /* of one line of the page */

/* How the sections look here. */
static const struct {
	const char *key; /* NULL: as the page has it */
	size_t indent, column;
	bool plain; /* without tones: colour is for what is to be found at once */
	bool whole; /* however many lines it takes */
} looks[PAGE_KINDS] = {
	[PAGE_OUTLOOK] = {.indent = 1, .column = 10},
	[PAGE_OTHERS] = {.indent = 1, .column = 10},
	[PAGE_EVIDENCE] = {.indent = 1, .column = 10, .plain = true},
	[PAGE_WHO] = {.indent = 1, .column = 10},
	[PAGE_FIRST] = {.indent = 1, .column = 10},
	[PAGE_NOT] = {.key = "ruled out", .column = 11, .plain = true},
	[PAGE_UNJUDGED] = {.column = 11, .plain = true},
	[PAGE_NEXT] = {.column = 6, .whole = true},
	[PAGE_LOST] = {.column = 6},
};

struct paint paint_of(const struct verdicts *verdicts, const struct report_options *options)
{
	return (struct paint){.options = options,
		.page = {.verdicts = verdicts,
			.live = options->live,
			.left_out = options->left_out}};
}

void paint_release(struct paint *paint)
{
	page_release(&paint->page);
	sheet_release(&paint->sheet);
}

void paint_pad(struct str *line, size_t column)
{
	for (size_t at = escape_width(str_text(line)); at < column; at++)
		str_add_char(line, ' ');
}

void paint_headline(struct paint *paint, const struct verdict *verdict, const char *lead)
{
	const struct verdicts *verdicts = paint->page.verdicts;
	struct str line = {0}, tag = {0};
	size_t lead_width = strlen(lead), strong;

	headline_tag(&tag, verdicts, verdict);
	str_add(&line, lead);
	headline_shout(&line, verdicts, verdict, SHEET_WIDTH - tag.len - 2 - lead_width,
		paint->options->utf8);
	strong = line.len;
	paint_pad(&line, SHEET_WIDTH - tag.len);
	str_add(&line, str_text(&tag));
	sheet_add(&paint->sheet, &line, *lead ? PAGE_PLAIN : page_tone(verdict), strong);
	str_release(&tag);
}

/* What stands in front of the words. */
static void add_key(struct str *into, const struct paint *paint, enum page_kind kind,
	const struct page_line *line)
{
	paint_pad(into, looks[kind].indent);
	if (!line->key)
		ranks_fit(into, paint->page.verdicts->job, line->ranks, KEY_MOST);
	else
		str_add(into, looks[kind].key ? looks[kind].key : line->key);
}

/* Adds it in as many lines of the sheet as it needs, or may have; returns how many. */
static size_t add_line(struct paint *paint, enum page_kind kind, const struct page_line *line)
{
	bool utf8 = paint->options->utf8;
	size_t most = looks[kind].whole || line->whole ? 0 : LINES_MOST;
	size_t column = looks[kind].column, lines = 0;
	enum page_tone tone = looks[kind].plain ? PAGE_PLAIN : line->tone;
	struct str out = {0}, words = {0}, cite = {0}, cut = {0};
	const char *rest;
	size_t width, right;

	escape_text(&words, line->words, utf8);
	escape_text(&cite, line->cite, utf8);
	width = escape_fit(&cut, str_text(&cite), CITE_WIDTH);
	right = SHEET_WIDTH - width;
	if (width && CITE_COLUMN < right)
		right = CITE_COLUMN;
	add_key(&out, paint, kind, line);
	if (out.len >= column)
		column = out.len + 1;
	rest = str_text(&words);
	do {
		size_t room = right - column - (width ? 1 : 0), part;

		paint_pad(&out, column);
		for (; lines && *rest == ' ' && room > 1; rest++, room--)
			str_add_char(&out, ' ');
		part = breaks_at(rest, room);
		if (lines + 1 == most)
			breaks_fit(&out, rest, room);
		else
			str_add_bytes(&out, rest, part);
		rest += part;
		if (width) {
			paint_pad(&out, right);
			str_add(&out, str_text(&cut));
		}
		sheet_add(&paint->sheet, &out, lines ? PAGE_PLAIN : tone, looks[kind].column - 2);
		column = column + (lines ? 0 : 1);
		right = SHEET_WIDTH;
		width = 0;
	} while (++lines != most && *rest);
	str_release(&words);
	str_release(&cite);
	str_release(&cut);
	return lines;
}

/* Says that the last so many lines of the section are not to be left out, while others can be. */
static void keep_line(struct sheet *sheet, size_t lines)
{
	struct sheet_section *section = &sheet->sections.items[sheet->sections.nr - 1];

	for (size_t at = section->lines.nr; at-- && lines--;)
		section->lines.items[at].kept = true;
}

void paint_section(struct paint *paint, enum page_kind kind, const struct verdict *verdict)
{
	struct page_section section = page_section(&paint->page, kind, verdict);

	for (size_t i = 0; i < section.n; i++) {
		size_t lines = add_line(paint, kind, &section.lines[i]);

		if (section.lines[i].kept || looks[kind].whole)
			keep_line(&paint->sheet, lines);
	}
}

void paint_outlook(struct paint *paint, const struct verdict *verdict)
{
	if (verdict->class != VERDICT_TOO_EARLY &&
		(verdict->class != VERDICT_HEALTHY || verdict->outlook == VERDICT_OVER))
		paint_section(paint, PAGE_OUTLOOK, verdict);
}
