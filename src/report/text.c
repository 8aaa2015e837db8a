/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for somebody who was woken at night. The first line is the answer. Then come: whether
 * to wait or to kill; the facts with their cites; what it is not, by which facts; what could not be
 * judged; the ranks; what to do next; and what the look itself has cost and lost.
 */
#include <string.h>

#include "report/paint.h"
#include "report/report.h"
#include "report/table.h"
#include "words/escape.h"
#include "words/summary.h"
#include "words/tense.h"

#define NAME_MOST  40 /* columns of the job's name */
#define LINES_FEW  24 /* lines of the page for up to 8 ranks */
#define LINES_MANY 30 /* and for more */

/*
 * Writes into the line the job, how much of it was seen, and how far it had come. `attempts` and
 * `beside`: also which attempt this is, and the word about other jobs.
 */
static void say_job(struct str *into, struct paint *p, bool attempts, bool beside)
{
	struct page_section job = page_section(&p->page, PAGE_JOB, NULL);
	struct str name = {0};

	str_cut(into, 0);
	escape_text(&name, job.lines[0].words, p->options->utf8);
	escape_fit(into, str_text(&name), NAME_MOST);
	for (size_t i = 1; i < job.n; i++) {
		if (!attempts && !strcmp(job.lines[i].key, "attempt"))
			continue;
		str_add(into, i == 1 ? ": " : ", ");
		escape_text(into, job.lines[i].words, p->options->utf8);
	}
	if (p->options->beside && beside)
		str_printf(into, " (%s)", p->options->beside);
	str_release(&name);
}

/* True if the line, with something of that width behind it (0: nothing), fits into the page. */
static bool fits(const struct str *line, size_t width)
{
	return escape_width(str_text(line)) + (width ? 2 + width : 0) <= SHEET_WIDTH;
}

/*
 * Writes the job into the line; leaves out that this is the first attempt if that makes room.
 * Returns whether it fits.
 */
static bool say_job_in(struct str *line, struct paint *p, bool beside, size_t width)
{
	say_job(line, p, true, beside);
	if (!fits(line, width) && p->page.verdicts->job->attempt == 1)
		say_job(line, p, false, beside);
	return fits(line, width);
}

/*
 * Adds the job, and at the right edge its state and as of when all of it holds. Without room for
 * both the state has a line of its own; the word about other jobs stands there where the first line
 * is full.
 */
static void add_job_line(struct paint *p)
{
	struct str line = {0}, cut = {0}, tense = {0};

	tense_add(&tense, p->page.verdicts, p->options->live);
	if (!say_job_in(&line, p, true, tense.len)) {
		bool whole = say_job_in(&line, p, true, 0);

		if (!whole)
			say_job_in(&line, p, false, 0);
		escape_fit(&cut, str_text(&line), SHEET_WIDTH);
		sheet_add(&p->sheet, &cut, PAGE_PLAIN, 0);
		str_cut(&line, 0);
		if (!whole && p->options->beside)
			str_printf(&line, " (%s)", p->options->beside);
		if (!fits(&line, tense.len))
			escape_fit(&cut, str_text(&line), SHEET_WIDTH - tense.len - 2);
		if (cut.len) {
			str_cut(&line, 0);
			str_add(&line, str_text(&cut));
		}
	}
	paint_pad(&line, SHEET_WIDTH - tense.len);
	str_add(&line, str_text(&tense));
	sheet_add(&p->sheet, &line, PAGE_PLAIN, 0);
	str_release(&tense);
	str_release(&cut);
}

/* Adds how the ranks came so far, if no step is done yet. */
static void add_first(struct paint *p)
{
	if (p->page.verdicts->stage <= VERDICT_FIRST_FORWARD)
		paint_section(p, PAGE_FIRST, NULL);
}

/* Adds a headline for each other verdict. */
static void add_others(struct paint *p)
{
	struct page_section also = page_section(&p->page, PAGE_ALSO, NULL);

	for (size_t i = 0; i < also.n; i++)
		paint_headline(p, also.lines[i].verdict, "also  ");
}

/* Adds the table of ranks; culprits stand out. */
static void add_table(struct paint *p)
{
	struct table_lines table = {0};

	table_of(&table, p->page.verdicts, SHEET_WIDTH, p->options->utf8);
	for (size_t i = 0; i < table.lines.nr; i++) {
		struct str line = {0};

		str_add(&line, table.lines.items[i]);
		sheet_add(&p->sheet, &line,
			!i                        ? PAGE_FAINT
			: i <= table.culprit_rows ? PAGE_STRONG
						  : PAGE_PLAIN,
			0);
	}
	table_release(&table);
}

/* Adds a line such as "8/8 rings, 0 records lost, 0 threads stopped; saved ./sft-41.inq". */
static void add_footer(struct paint *p)
{
	const struct report_options *options = p->options;
	struct page_section read = page_section(&p->page, PAGE_READ, NULL);
	struct str line = {0};

	str_add(&line, read.lines[0].words);
	if (disturbed_by(p->page.verdicts->job).live) {
		str_printf(&line, ", %s", read.lines[1].words);
	} else if (options->gathered) {
		str_add(&line, ", ");
		disturbed_add_stops(&line, &(struct disturbed){0});
	}
	if (options->saved && line.len + strlen(options->saved) + 8 > SHEET_WIDTH) {
		sheet_add(&p->sheet, &line, PAGE_PLAIN, 0);
		str_add(&line, "saved ");
	} else if (options->saved) {
		str_add(&line, "; saved ");
	}
	/* A path must stay whole to be of use, so this line alone may be wider than the page. */
	if (options->saved)
		escape_text(&line, options->saved, options->utf8);
	sheet_add(&p->sheet, &line, PAGE_PLAIN, 0);
	/* How to look closer is told only where that is still possible. */
	if (options->gathered && read.n > 2) {
		str_add(&line, read.lines[2].words);
		sheet_add(&p->sheet, &line, PAGE_WARN, 0);
	}
}

/* Puts the page together; each section says how many lines it keeps in any case. */
static void compose(struct paint *p)
{
	const struct verdict *first = &p->page.verdicts->at[0];

	sheet_begin(&p->sheet, 3);
	paint_headline(p, first, "");
	add_job_line(p);
	paint_outlook(p, first);
	paint_section(p, PAGE_OTHERS, NULL);
	sheet_begin(&p->sheet, 4);
	paint_section(p, PAGE_EVIDENCE, first);
	paint_section(p, PAGE_WHO, first);
	sheet_begin(&p->sheet, 1);
	add_first(p);
	sheet_begin(&p->sheet, 2);
	add_others(p);
	sheet_begin(&p->sheet, 2);
	paint_section(p, PAGE_NOT, first);
	sheet_begin(&p->sheet, 1);
	paint_section(p, PAGE_UNJUDGED, NULL);
	sheet_begin(&p->sheet, 4);
	add_table(p);
	sheet_begin(&p->sheet, 2);
	paint_section(p, PAGE_NEXT, first);
	sheet_begin(&p->sheet, 1);
	paint_section(p, PAGE_LOST, NULL);
	sheet_begin(&p->sheet, 1);
	paint_section(p, PAGE_FILES, NULL);
	sheet_begin(&p->sheet, 2);
	add_footer(p);
}

/* Writes the page. -1 where the file cannot be written. */
static int text_write(
	FILE *file, const struct verdicts *verdicts, const struct report_options *options)
{
	struct paint p = paint_of(verdicts, options);

	if (verdicts->n)
		compose(&p);
	sheet_shorten(&p.sheet, verdicts->job->nranks > 8 ? LINES_MANY : LINES_FEW);
	sheet_write(&p.sheet, file, options->color);
	paint_release(&p);
	return fflush(file) || ferror(file) ? -1 : 0;
}

const struct report report_text = {"text", text_write};
