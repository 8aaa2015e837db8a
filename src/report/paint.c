/* SPDX-License-Identifier: Apache-2.0 */
#include "report/paint.h"

#include <string.h>

#include "words/breaks.h"
#include "words/escape.h"
#include "words/headline.h"
#include "words/rank-names.h"

#define CITE_COLUMN 61 /* where cites begin, if they are not too wide */
#define CITE_WIDTH  28
#define KEY_MOST    16 /* columns of ranks as a key; words beside more of them begin further
		        * right */
#define LINES_MOST  2  /* lines of the sheet for one line of the page */

/* How the sections look on a terminal. */
static const struct {
	const char *key; /* NULL: the page's own */
	size_t indent, column;
	bool plain; /* true: no tones, since colour is for what must be found at once */
	bool whole; /* true: however many lines it takes */
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
	[PAGE_FILES] = {.column = 7},
};

struct paint paint_of(const struct verdicts *verdicts, const struct report_options *options)
{
	return (struct paint){.options = options,
		.page = {.verdicts = verdicts,
			.live = options->live,
			.now = options->now,
			.written = options->written,
			.program = options->program,
			.left_out = options->left_out,
			.files = options->files,
			.nfiles = options->nfiles}};
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

/* Appends what stands in front of the words: ranks or a key. */
static void add_key(struct str *into, const struct paint *paint, enum page_kind kind,
	const struct page_line *line)
{
	paint_pad(into, looks[kind].indent);
	if (!line->key)
		ranks_fit(into, paint->page.verdicts->job, line->ranks, KEY_MOST);
	else
		str_add(into, looks[kind].key ? looks[kind].key : line->key);
}

/*
 * Adds the command to escaped words, if both have room in one line. Else returns true: the command
 * must stand below them, or alone, whole, however long it is.
 */
static bool add_command(struct str *words, const struct page_line *line, bool utf8, size_t room)
{
	struct str both = {0};
	bool fits;

	if (!*line->command)
		return false;
	str_printf(&both, "%s%s", str_text(words), words->len ? ": " : "");
	escape_text(&both, line->command, utf8);
	fits = escape_width(str_text(&both)) <= room;
	if (fits)
		str_cut(words, 0);
	if (fits || words->len)
		str_add(words, fits ? str_text(&both) : ":");
	str_release(&both);
	return !fits;
}

/* A line of the page that is being painted. */
struct painting {
	size_t column, right; /* the columns where its words begin and end */
	size_t most, lines;   /* most: how many lines of the sheet it may have, 0 for any; lines:
			       * how many it has */
	const char *cite;     /* escaped; stands on the first line */
};

/*
 * Adds words behind what stands in `out`, in as many lines as they need, or as the line may have.
 */
static void add_words(struct paint *paint, struct painting *p, struct str *out, const char *words,
	enum page_tone tone, size_t strong)
{
	size_t width = escape_width(p->cite);

	do {
		size_t room = p->right - p->column - (width ? 1 : 0), part;

		paint_pad(out, p->column);
		for (; p->lines && *words == ' ' && room > 1; words++, room--)
			str_add_char(out, ' ');
		part = breaks_at(words, room);
		if (p->lines + 1 == p->most)
			breaks_fit(out, words, room);
		else
			str_add_bytes(out, words, part);
		words += part;
		if (width) {
			paint_pad(out, p->right);
			str_add(out, p->cite);
		}
		sheet_add(&paint->sheet, out, p->lines ? PAGE_PLAIN : tone, strong);
		if (p->lines)
			sheet_goes_on(&paint->sheet);
		p->column += p->lines ? 0 : 1;
		p->right = SHEET_WIDTH;
		width = 0;
	} while (++p->lines != p->most && *words);
}

/*
 * Adds a line of the page, in as many lines of the sheet as it needs, or may have. Returns how
 * many.
 */
static size_t add_line(struct paint *paint, enum page_kind kind, const struct page_line *line)
{
	bool utf8 = paint->options->utf8, below;
	enum page_tone tone = looks[kind].plain ? PAGE_PLAIN : line->tone;
	struct painting p = {.column = looks[kind].column,
		.right = SHEET_WIDTH,
		.most = looks[kind].whole || line->whole ? 0 : LINES_MOST};
	struct str out = {0}, words = {0}, cite = {0}, cut = {0};
	size_t width, strong = looks[kind].column - 2;

	escape_text(&words, line->words, utf8);
	escape_text(&cite, line->cite, utf8);
	width = escape_fit(&cut, str_text(&cite), CITE_WIDTH);
	p.cite = str_text(&cut);
	p.right -= width;
	if (width && CITE_COLUMN < p.right)
		p.right = CITE_COLUMN;
	add_key(&out, paint, kind, line);
	if (out.len >= p.column)
		p.column = out.len + 1;
	below = add_command(&words, line, utf8, p.right - p.column - (width ? 1 : 0));
	if (!below || words.len)
		add_words(paint, &p, &out, str_text(&words), tone, strong);
	if (below) {
		paint_pad(&out, p.column + (p.lines ? 1 : 0));
		escape_text(&out, line->command, utf8);
		sheet_add(&paint->sheet, &out, tone, p.lines ? 0 : strong);
		p.lines++;
	}
	str_release(&words);
	str_release(&cite);
	str_release(&cut);
	return p.lines;
}

/* Marks the section's last `lines` lines as not to be left out while others can be. */
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
