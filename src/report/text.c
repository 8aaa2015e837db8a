/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for somebody who was woken at night. The first line is the answer; then whether to
 * wait or to kill; the facts with their cites; what it is not, by which facts; what could not be
 * judged; the ranks; what to do next; and what the look itself has cost and lost.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "words/disturbed.h"
#include "words/escape.h"
#include "report/first.h"
#include "words/headline.h"
#include "words/merge.h"
#include "report/page.h"
#include "words/ranks.h"
#include "report/report.h"
#include "report/table.h"
#include "words/wording.h"

#define CITE_COLUMN 61
#define CITE_WIDTH  28
#define KEY_WIDTH   8
#define NOT_WIDTH   12
#define LINES_FEW   24 /* for up to 8 ranks */
#define LINES_MANY  30

/* What a class is called in "not death": by the question that it answers. */
static const char *const short_names[VERDICT_CLASSES] = {
	[VERDICT_COMPILE_SKEW] = "compile",
	[VERDICT_COMPILE_STUCK] = "stuck",
	[VERDICT_GRAPH_DIVERGENCE] = "graphs",
	[VERDICT_RANK_DEATH] = "death",
	[VERDICT_EARLY_EXIT] = "exit",
	[VERDICT_NODE_LOSS] = "node",
	[VERDICT_EMPTY_SHARD] = "empty",
	[VERDICT_UNEVEN_SHARD] = "shards",
	[VERDICT_COLLECTIVE_MISMATCH] = "mismatch",
	[VERDICT_ORDER_INVERSION] = "order",
	[VERDICT_HOST_STALL] = "host",
	[VERDICT_GPU_STALL] = "gpu",
	[VERDICT_TRANSPORT_STALL] = "network",
	[VERDICT_NOT_STARTED] = "start",
	[VERDICT_SLOW] = "slow",
	[VERDICT_HEALTHY] = "healthy",
	[VERDICT_INCONCLUSIVE] = "unclear",
};

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

/*
 * Where to break a text that has room for `width` columns: behind the last "; ", else before the
 * last blank; bytes. Its end if it need not be broken.
 */
static size_t break_at(const char *text, size_t width)
{
	size_t blank = 0, clause = 0, used = 0;

	for (size_t at = 0, size; text[at]; at += size) {
		if (text[at] == ' ') {
			blank = at;
			if (at && text[at - 1] == ';')
				clause = at;
		}
		used += escape_columns(escape_decode(text + at, &size));
		if (used > width)
			return clause ? clause : blank ? blank : at;
	}
	return strlen(text);
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

/* Adds one line, or two where the words are too long for one beside the cite. */
static void add_line(struct writing *w, struct cited *cited)
{
	struct str safe = {0}, source = {0}, cut = {0}, rest = {0};
	size_t right, width, part;

	escape_text(&safe, str_text(&cited->words), w->options->utf8);
	escape_text(&source, cited->cite, w->options->utf8);
	width = escape_fit(&cut, str_text(&source), CITE_WIDTH);
	right = PAGE_WIDTH - width;
	if (width && CITE_COLUMN < right)
		right = CITE_COLUMN;
	pad(&cited->key, cited->column);
	part = break_at(str_text(&safe), right - cited->column - (width ? 1 : 0));
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
	}
	str_release(&safe);
	str_release(&source);
	str_release(&cut);
	str_release(&rest);
	str_release(&cited->words);
}

static enum page_style style_of(const struct verdict *verdict)
{
	if (verdict->class == VERDICT_HEALTHY)
		return PAGE_GOOD;
	if (verdict->class == VERDICT_SLOW || verdict->class == VERDICT_INCONCLUSIVE ||
		verdict->outlook == VERDICT_WAIT)
		return PAGE_WARN;
	return PAGE_ALARM;
}

static void add_headline(struct writing *w, const struct verdict *verdict, const char *lead)
{
	struct str line = {0}, tag = {0};
	size_t lead_width = strlen(lead), strong;

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

static bool reads_same(struct writing *w, const struct verdict *a, const struct verdict *b)
{
	struct str one = {0}, other = {0};
	bool same;

	headline_sentence(&one, w->verdicts, a);
	headline_sentence(&other, w->verdicts, b);
	same = a->class == b->class && !strcmp(str_text(&one), str_text(&other));
	str_release(&one);
	str_release(&other);
	return same;
}

/* The verdicts behind the first, each sentence once. */
static void add_others(struct writing *w)
{
	const struct verdict *at = w->verdicts->at;

	for (size_t i = 1; i < w->verdicts->n; i++) {
		bool said = false;

		for (size_t j = 1; j < i; j++)
			said |= reads_same(w, &at[i], &at[j]);
		if (!said)
			add_headline(w, &at[i], "also  ");
	}
}

static void add_job_line(struct writing *w)
{
	const struct job *job = w->verdicts->job;
	struct str line = {0}, whole = {0};
	size_t seen = 0;

	for (size_t i = 0; i < job->nranks; i++)
		seen += job->ranks[i].process != JOB_NONE;
	escape_text(&line, *job->name ? job->name : job->id, w->options->utf8);
	escape_fit(&whole, str_text(&line), 40);
	str_printf(&whole, ": %zu", seen);
	if (job->world_size != JOB_NONE)
		str_printf(&whole, "/%d", job->world_size);
	str_printf(&whole, " rank%s, attempt %d",
		seen == 1 && job->world_size <= 1 ? "" : "s", job->attempt);
	if (*stages[w->verdicts->stage])
		str_printf(&whole, ", stage %s", stages[w->verdicts->stage]);
	if (job->ended == JOB_YES)
		str_printf(&whole, ", ended with status %d", job->exit_status);
	if (w->options->beside)
		str_printf(&whole, " (%s)", w->options->beside);
	str_cut(&line, 0);
	escape_fit(&line, str_text(&whole), PAGE_WIDTH);
	page_add(&w->page, &line, PAGE_PLAIN, 0);
	str_release(&whole);
}

static void add_outlook(struct writing *w, const struct verdict *verdict)
{
	static const char *const names[] = {[VERDICT_OUTLOOK_UNKNOWN] = " UNKNOWN",
		[VERDICT_WAIT] = " WAIT",
		[VERDICT_KILL] = " KILL"};
	bool deadline = verdict->watchdog_left != JOB_UNKNOWN;
	struct cited line = {.column = KEY_WIDTH + 2,
		.cite = deadline ? verdict->watchdog_cite : "",
		.style = style_of(verdict),
		.strong = KEY_WIDTH};
	char text[CLOCK_TEXT_SIZE];

	if (verdict->class == VERDICT_HEALTHY)
		return;
	str_add(&line.key, names[verdict->outlook]);
	str_add(&line.words, wording_outlook(verdict->outlook));
	if (deadline)
		str_printf(&line.words, "; %s",
			wording_limit(verdict->watchdog, verdict->watchdog_left <= 0));
	if (deadline && verdict->watchdog_left > 0)
		str_printf(&line.words, " %s", clock_format(verdict->watchdog_left, text));
	add_line(w, &line);
}

/* How the ranks came so far, where no step is done yet. */
static void add_first(struct writing *w)
{
	struct cited line = {.column = KEY_WIDTH + 2, .cite = ""};

	if (w->verdicts->stage > VERDICT_FIRST_FORWARD)
		return;
	first_add(&line.words, w->verdicts->job);
	if (!line.words.len)
		return;
	str_add(&line.key, " first");
	add_line(w, &line);
}

static void add_evidence(struct writing *w, const struct verdict *verdict)
{
	struct merged merged = {0};
	struct merged_fact *fact;

	merge_facts(&merged, verdict->evidence, verdict->nevidence);
	array_for_each (&merged.facts, fact) {
		struct verdict_ranks ranks = {fact->ranks.items, fact->ranks.nr};
		struct cited line = {.column = KEY_WIDTH + 2, .cite = str_text(&fact->cite)};

		str_add_char(&line.key, ' ');
		ranks_fit(&line.key, w->verdicts->job, ranks, KEY_WIDTH);
		str_add(&line.words, str_text(&fact->words));
		add_line(w, &line);
	}
	merge_release(&merged);
}

static void add_ruled_out(struct writing *w, const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nruled_out; i++) {
		const struct verdict_ruled_out *out = &verdict->ruled_out[i];
		struct cited line = {.column = NOT_WIDTH + 1, .cite = out->why.cite};

		str_printf(&line.key, "not %s", short_names[out->class]);
		if (out->why.ranks.n && out->why.ranks.n < w->verdicts->job->nranks) {
			ranks_fit(&line.words, w->verdicts->job, out->why.ranks, NOT_WIDTH);
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
		str_printf(&line.words, "needs %s", not ->needs);
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
	if (!line.words.len)
		return;
	str_add(&line.key, "next");
	add_line(w, &line);
}

/* By what is lost, so that ranks that lost the same are side by side. */
static int compare_losses(const void *va, const void *vb)
{
	const struct job_loss *a = *(const struct job_loss *const *)va;
	const struct job_loss *b = *(const struct job_loss *const *)vb;
	int order = strcmp(a->what, b->what);

	if (!order && a->count != b->count)
		order = a->count < b->count ? -1 : 1;
	if (order)
		return order;
	return a < b ? -1 : a > b;
}

/* One line for n losses that are alike but for the rank. */
static void add_loss(struct writing *w, const struct job_loss *const *same, size_t n)
{
	struct cited line = {
		.column = 6, .cite = same[0]->cite, .style = PAGE_WARN, .strong = 4};
	int *ranks = alloc_zeroed(n, sizeof(*ranks));

	str_add(&line.key, "lost");
	for (size_t i = 0; i < n; i++)
		ranks[i] = same[i]->rank;
	if (ranks[0] != JOB_NONE) {
		ranks_name(&line.words, w->verdicts->job, (struct verdict_ranks){ranks, n});
		str_add(&line.words, ": ");
	}
	str_add(&line.words, same[0]->what);
	if (same[0]->count != JOB_UNKNOWN && same[0]->count > 1)
		str_printf(&line.words, " (%" PRId64 ")", same[0]->count);
	add_line(w, &line);
	free(ranks);
}

static void add_losses(struct writing *w)
{
	const struct job *job = w->verdicts->job;
	ARRAY(const struct job_loss *) list = {0};

	for (size_t i = 0; i < job->nlosses; i++)
		*array_add(&list) = &job->losses[i];
	array_sort(&list, compare_losses);
	for (size_t from = 0, to; from < list.nr; from = to) {
		const struct job_loss *first = list.items[from];

		for (to = from + 1; to < list.nr && first->rank != JOB_NONE &&
				    list.items[to]->count == first->count &&
				    !strcmp(list.items[to]->what, first->what);
			to++)
			;
		add_loss(w, list.items + from, to - from);
	}
	array_release(&list);
}

/* "8/8 rings, 0 lost, 0 threads stopped; saved ./sft-41.inq" */
static void add_footer(struct writing *w)
{
	const struct job *job = w->verdicts->job;
	struct disturbed disturbed = disturbed_by(job);
	struct str line = {0};
	size_t rings = 0;
	int64_t lost = 0;

	for (size_t i = 0; i < job->nranks; i++) {
		rings += (job->ranks[i].knows & JOB_KNOWS_RING) != 0;
		if (job->ranks[i].lost_records > 0)
			lost += job->ranks[i].lost_records;
	}
	str_printf(&line, "%zu/%zu rings, %" PRId64 " lost", rings,
		job->world_size == JOB_NONE ? job->nranks : (size_t)job->world_size, lost);
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
	page_begin(&w->page, 1);
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
