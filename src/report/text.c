/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for somebody who was woken at night. The first line is the answer; then whether to
 * wait or to kill; the facts with their cites; what it is not, by which facts; what could not be
 * judged; the ranks; what to do next; and what the look itself has cost and lost.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "words/summary.h"
#include "words/coverage.h"
#include "words/escape.h"
#include "words/headline.h"
#include "words/evidence-lines.h"
#include "report/page.h"
#include "words/rank-names.h"
#include "report/report.h"
#include "report/table.h"
#include "words/tense.h"
#include "words/wording.h"

#define CITE_COLUMN 61
#define CITE_WIDTH  28
#define KEY_WIDTH   8
#define KEY_MOST    16 /* of ranks; what then is beside it begins further right */
#define NOT_WIDTH   10
#define LINES_FEW   24 /* for up to 8 ranks */
#define LINES_MANY  30

static const char *const stages[] = {
	[VERDICT_BOOTSTRAP] = "BOOTSTRAP",
	[VERDICT_FIRST_FORWARD] = "FIRST FORWARD",
	[VERDICT_STEADY] = "STEADY",
	[VERDICT_TEARDOWN] = "TEARDOWN",
	[VERDICT_STAGE_UNKNOWN] = "",
};

struct writing {
	const struct verdicts *verdicts;
	const struct report_options *options;
	struct page page;
};

static void pad(struct str *line, size_t column)
{
	for (size_t at = escape_width(str_text(line)); at < column; at++)
		str_add_char(line, ' ');
}

/* What add_line() puts together: a key at the left, words from a column on, a cite at the right. */
struct cited {
	struct str key; /* emptied */
	size_t column;
	struct str words; /* emptied */
	const char *cite;
	enum page_style style;
	size_t strong;
};

/* Adds one line, or two where the words are too long for one beside the cite; returns how many. */
static size_t add_line(struct writing *w, struct cited *cited)
{
	struct str safe = {0}, source = {0}, cut = {0}, rest = {0};
	size_t right, width, part, lines = 1;

	escape_text(&safe, str_text(&cited->words), w->options->utf8);
	escape_text(&source, cited->cite, w->options->utf8);
	width = escape_fit(&cut, str_text(&source), CITE_WIDTH);
	right = PAGE_WIDTH - width;
	if (width && CITE_COLUMN < right)
		right = CITE_COLUMN;
	pad(&cited->key, cited->column);
	part = escape_break(str_text(&safe), right - cited->column - (width ? 1 : 0));
	str_add(&rest, str_text(&safe) + part);
	str_cut(&safe, part);
	str_add(&cited->key, str_text(&safe));
	if (width) {
		pad(&cited->key, right);
		str_add(&cited->key, str_text(&cut));
	}
	page_add(&w->page, &cited->key, cited->style, cited->strong);
	if (rest.len) {
		pad(&cited->key, cited->column + 1);
		escape_fit(&cited->key, rest.text, PAGE_WIDTH - cited->column - 1);
		page_add(&w->page, &cited->key, PAGE_PLAIN, 0);
		lines++;
	}
	str_release(&safe);
	str_release(&source);
	str_release(&cut);
	str_release(&rest);
	str_release(&cited->words);
	return lines;
}

static enum page_style style_of(const struct verdict *verdict)
{
	if (verdict->class == VERDICT_HEALTHY)
		return PAGE_GOOD;
	if (verdict->class == VERDICT_SLOW || verdict->class == VERDICT_INCONCLUSIVE ||
		verdict->class == VERDICT_TOO_EARLY || verdict->outlook == VERDICT_WAIT)
		return PAGE_WARN;
	return PAGE_ALARM;
}

static void add_headline(struct writing *w, const struct verdict *verdict, const char *lead)
{
	struct str line = {0}, tag = {0};
	size_t lead_width = strlen(lead), strong;

	if (verdict->class == VERDICT_TOO_EARLY)
		headline_threshold(&tag, w->verdicts);
	else
		str_printf(&tag, "%s, %s", verdict_class_name(verdict->class),
			verdict_confidence_name(verdict->confidence));
	str_add(&line, lead);
	headline_shout(&line, w->verdicts, verdict, PAGE_WIDTH - tag.len - 2 - lead_width,
		w->options->utf8);
	strong = line.len;
	pad(&line, PAGE_WIDTH - tag.len);
	str_add(&line, str_text(&tag));
	page_add(&w->page, &line, *lead ? PAGE_PLAIN : style_of(verdict), strong);
	str_release(&tag);
}

/* The verdicts behind the first, each sentence once. */
static void add_others(struct writing *w)
{
	const struct verdict *at = w->verdicts->at;

	for (size_t i = 1; i < w->verdicts->n; i++) {
		bool said = false;

		for (size_t j = 1; j < i; j++)
			said |= headline_same(w->verdicts, &at[i], &at[j]);
		if (!said)
			add_headline(w, &at[i], "also  ");
	}
}

/* The job, how much of it was seen, and how far it had come. */
static void say_job(struct str *into, const struct writing *w, bool attempts, bool beside)
{
	const struct job *job = w->verdicts->job;
	struct str part = {0};

	str_cut(into, 0);
	escape_text(&part, *job->name ? job->name : job->id, w->options->utf8);
	escape_fit(into, str_text(&part), 40);
	str_add(into, ": ");
	str_cut(&part, 0);
	coverage_add(&part, w->verdicts);
	escape_text(into, str_text(&part), w->options->utf8);
	if (attempts) {
		str_add(into, ", ");
		summary_add_attempt(into, job);
	}
	if (*stages[w->verdicts->stage])
		str_printf(into, ", stage %s", stages[w->verdicts->stage]);
	if (w->options->beside && beside)
		str_printf(into, " (%s)", w->options->beside);
	str_release(&part);
}

/* True if the line, and behind it something of that width (0: nothing), fits into the page. */
static bool fits(const struct str *line, size_t width)
{
	return escape_width(str_text(line)) + (width ? 2 + width : 0) <= PAGE_WIDTH;
}

/* The job in the line: without the word that this is the first attempt where that makes room. */
static bool say_job_in(struct str *line, const struct writing *w, bool beside, size_t width)
{
	say_job(line, w, true, beside);
	if (!fits(line, width) && w->verdicts->job->attempt == 1)
		say_job(line, w, false, beside);
	return fits(line, width);
}

/*
 * The job, and at the right edge its state and as of when all of it holds. Without room for both
 * the state has a line of its own, on which the word about other jobs stands where the first is
 * full.
 */
static void add_job_line(struct writing *w)
{
	struct str line = {0}, cut = {0}, tense = {0};

	tense_add(&tense, w->verdicts, w->options->live);
	if (!say_job_in(&line, w, true, tense.len)) {
		bool whole = say_job_in(&line, w, true, 0);

		if (!whole)
			say_job_in(&line, w, false, 0);
		escape_fit(&cut, str_text(&line), PAGE_WIDTH);
		page_add(&w->page, &cut, PAGE_PLAIN, 0);
		str_cut(&line, 0);
		if (!whole && w->options->beside)
			str_printf(&line, " (%s)", w->options->beside);
		if (!fits(&line, tense.len))
			escape_fit(&cut, str_text(&line), PAGE_WIDTH - tense.len - 2);
		if (cut.len) {
			str_cut(&line, 0);
			str_add(&line, str_text(&cut));
		}
	}
	pad(&line, PAGE_WIDTH - tense.len);
	str_add(&line, str_text(&tense));
	page_add(&w->page, &line, PAGE_PLAIN, 0);
	str_release(&tense);
	str_release(&cut);
}

static void add_outlook(struct writing *w, const struct verdict *verdict)
{
	bool deadline = verdict->watchdog_left != JOB_UNKNOWN;
	struct cited line = {.column = KEY_WIDTH + 2,
		.cite = deadline ? verdict->watchdog_cite : "",
		.style = style_of(verdict),
		.strong = KEY_WIDTH};

	if (verdict->class == VERDICT_TOO_EARLY ||
		(verdict->class == VERDICT_HEALTHY && verdict->outlook != VERDICT_OVER))
		return;
	str_printf(&line.key, " %s", wording_outlook_word(verdict->outlook));
	tense_add_prospect(
		&line.words, w->verdicts, verdict, verdict->watchdog_left, w->options->live);
	add_line(w, &line);
}

/* Which jobs lay beside this one, and how to see them. */
static void add_left_out(struct writing *w)
{
	struct cited line = {
		.column = KEY_WIDTH + 2, .cite = "", .style = PAGE_WARN, .strong = KEY_WIDTH};

	if (!w->options->left_out || !*w->options->left_out)
		return;
	str_add(&line.key, " others");
	str_add(&line.words, w->options->left_out);
	add_line(w, &line);
}

/* How the ranks came so far, where no step is done yet. */
static void add_first(struct writing *w)
{
	struct cited line = {.column = KEY_WIDTH + 2, .cite = ""};

	if (w->verdicts->stage > VERDICT_FIRST_FORWARD)
		return;
	summary_add_first(&line.words, w->verdicts->job);
	if (!line.words.len)
		return;
	str_add(&line.key, " first");
	add_line(w, &line);
}

/* Who did not come, and where: without these the rest of a page is worth little. */
static bool is_the_point(enum verdict_fact_kind kind)
{
	switch (kind) {
	case FACT_NEVER_ENTERED:
	case FACT_NEVER_INIT:
	case FACT_NEVER_GAVE_ID:
	case FACT_WAITS_IN_OP:
	case FACT_WAITS_IN_INIT:
	case FACT_WAITS_FOR_ID:
	case FACT_WAITS_IN_STORE:
	case FACT_WAITS_FOR_PEER:
	case FACT_ENTERED_OTHER:
	case FACT_FIRST_FORK:
		return true;
	default:
		return false;
	}
}

static void add_evidence(struct writing *w, const struct verdict *verdict)
{
	struct merged merged = {0};
	struct merged_fact *fact;

	merge_facts(&merged, verdict->evidence, verdict->nevidence);
	array_for_each (&merged.facts, fact) {
		struct verdict_ranks ranks = {fact->ranks.items, fact->ranks.nr};
		struct cited line = {.column = KEY_WIDTH + 2, .cite = str_text(&fact->cite)};
		size_t lines;

		str_add_char(&line.key, ' ');
		ranks_fit(&line.key, w->verdicts->job, ranks, KEY_MOST);
		if (line.key.len >= line.column)
			line.column = line.key.len + 1;
		str_add(&line.words, str_text(&fact->words));
		lines = add_line(w, &line);
		if (is_the_point(fact->first->kind))
			page_keep(&w->page, lines);
	}
	merge_release(&merged);
}

static void add_ruled_out(struct writing *w, const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nruled_out; i++) {
		const struct verdict_ruled_out *out = &verdict->ruled_out[i];
		struct cited line = {.column = NOT_WIDTH + 1, .cite = out->why.cite};

		str_add(&line.key, "ruled out");
		str_printf(&line.words, "%s: ", wording_question(out->class));
		if (out->why.ranks.n && out->why.ranks.n < w->verdicts->job->nranks) {
			ranks_fit(&line.words, w->verdicts->job, out->why.ranks, KEY_MOST);
			str_add(&line.words, ": ");
		}
		wording_fact(&line.words, &out->why);
		add_line(w, &line);
	}
}

static void add_unjudged(struct writing *w)
{
	for (size_t i = 0; i < w->verdicts->nnot_judged; i++) {
		const struct verdict_not_judged *not = &w->verdicts->not_judged[i];
		struct cited line = {.column = NOT_WIDTH + 1, .cite = ""};

		str_add(&line.key, "unjudged");
		if (not ->class != VERDICT_INCONCLUSIVE) /* that one is: anything at all */
			str_printf(&line.words, "%s: ", verdict_class_name(not ->class));
		str_add(&line.words, "needs ");
		wording_need(&line.words, w->verdicts->job, not );
		add_line(w, &line);
	}
}

static void add_table(struct writing *w)
{
	struct table_lines table = {0};

	table_of(&table, w->verdicts, PAGE_WIDTH, w->options->utf8);
	for (size_t i = 0; i < table.lines.nr; i++) {
		struct str line = {0};

		str_add(&line, table.lines.items[i]);
		page_add(&w->page, &line,
			!i                        ? PAGE_FAINT
			: i <= table.culprit_rows ? PAGE_STRONG
						  : PAGE_PLAIN,
			0);
	}
	table_release(&table);
}

static void add_next(struct writing *w, const struct verdict *verdict)
{
	struct cited line = {.column = 6, .cite = "", .style = PAGE_STRONG, .strong = 4};

	wording_next(&line.words, w->verdicts, verdict);
	if (line.words.len) {
		str_add(&line.key, "next");
		add_line(w, &line);
	}
	coverage_add_surety(&line.words, w->verdicts, verdict);
	if (line.words.len)
		add_line(w, &line);
}

static void add_losses(struct writing *w)
{
	struct losses losses = losses_of(w->verdicts->job);
	const struct losses_alike *alike;

	array_for_each (&losses.all, alike) {
		struct cited line = {
			.column = 6, .cite = alike->cite, .style = PAGE_WARN, .strong = 4};

		str_add(&line.key, "lost");
		losses_add(&line.words, w->verdicts->job, alike, KEY_MOST);
		add_line(w, &line);
	}
	losses_release(&losses);
}

/* "8/8 rings, 0 records lost, 0 threads stopped; saved ./sft-41.inq" */
static void add_footer(struct writing *w)
{
	const struct job *job = w->verdicts->job;
	struct disturbed disturbed = disturbed_by(job);
	struct str line = {0};

	summary_add_read(&line, job);
	if (disturbed.live) {
		str_add(&line, ", ");
		disturbed_add_stops(&line, &disturbed);
	} else if (w->options->threads_stopped >= 0) {
		str_printf(&line, ", %d threads stopped", w->options->threads_stopped);
	}
	if (w->options->saved && line.len + strlen(w->options->saved) + 8 > PAGE_WIDTH) {
		page_add(&w->page, &line, PAGE_PLAIN, 0);
		str_add(&line, "saved ");
	} else if (w->options->saved) {
		str_add(&line, "; saved ");
	}
	/* A path must stay whole to be of use, so this line alone may be longer than the page. */
	if (w->options->saved)
		escape_text(&line, w->options->saved, w->options->utf8);
	page_add(&w->page, &line, PAGE_PLAIN, 0);
	/* How to look closer is for who still can. */
	if (w->options->threads_stopped >= 0)
		disturbed_add_cut(&line, &disturbed);
	if (line.len)
		page_add(&w->page, &line, PAGE_WARN, 0);
}

static void compose(struct writing *w)
{
	const struct verdict *first = &w->verdicts->at[0];

	page_begin(&w->page, 3);
	add_headline(w, first, "");
	add_job_line(w);
	add_outlook(w, first);
	add_left_out(w);
	page_begin(&w->page, 4);
	add_evidence(w, first);
	page_begin(&w->page, 1);
	add_first(w);
	page_begin(&w->page, 2);
	add_others(w);
	page_begin(&w->page, 2);
	add_ruled_out(w, first);
	page_begin(&w->page, 1);
	add_unjudged(w);
	page_begin(&w->page, 4);
	add_table(w);
	page_begin(&w->page, 2);
	add_next(w, first);
	page_begin(&w->page, 1);
	add_losses(w);
	page_begin(&w->page, 2);
	add_footer(w);
}

static int text_write(
	FILE *file, const struct verdicts *verdicts, const struct report_options *options)
{
	struct writing w = {.verdicts = verdicts, .options = options};

	if (verdicts->n)
		compose(&w);
	page_shorten(&w.page, verdicts->job->nranks > 8 ? LINES_MANY : LINES_FEW);
	page_write(&w.page, file, options->color);
	page_release(&w.page);
	return fflush(file) || ferror(file) ? -1 : 0;
}

const struct report report_text = {"text", text_write};
