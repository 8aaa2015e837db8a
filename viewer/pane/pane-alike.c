/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/pane/pane-alike.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "words/rank-names.h"
#include "words/wording.h"

#define RANKS_WIDTH 24 /* columns that ranks get in a line */

struct alike *alikes_add(struct alikes *alikes, unsigned section, const char *key, const char *text,
	struct rank_index rank, const char *cite)
{
	struct alike *alike = array_add(&alikes->all);

	*alike = (struct alike){.key = key,
		.section = section,
		.text = text,
		.rank = rank,
		.number = JOB_UNKNOWN,
		.before = "",
		.after = "",
		.cite = cite};
	return alike;
}

/* Orders texts; equal texts of a job mostly are one text. */
static int compare_texts(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

/* Orders by section and key. */
static int compare_keys(const struct alike *a, const struct alike *b)
{
	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	return compare_texts(a->key, b->key);
}

/* 0 if the same is said of both. */
static int compare_said(const struct alike *a, const struct alike *b)
{
	int order = compare_keys(a, b);

	if (!order && (a->number == JOB_UNKNOWN) != (b->number == JOB_UNKNOWN))
		order = a->number == JOB_UNKNOWN ? -1 : 1;
	return order ? order : compare_texts(a->text, b->text);
}

/* Orders by what is said, then by rank. */
static int compare_all(const void *va, const void *vb)
{
	const struct alike *a = va, *b = vb;
	int order = compare_said(a, b);

	if (!order && !same_rank(a->rank, b->rank))
		order = a->rank.i < b->rank.i ? -1 : 1;
	if (!order && a->number != b->number)
		order = a->number < b->number ? -1 : 1;
	return order ? order : compare_texts(a->cite, b->cite);
}

/* Those of whom the same is said: one line. */
struct run {
	size_t from, to;
};

/* Appends a number in its unit. */
static void add_number(struct str *into, enum alike_unit unit, int64_t number)
{
	char text[CLOCK_TEXT_SIZE];

	if (unit == ALIKE_TIME)
		str_add(into, clock_format(number, text));
	else if (unit == ALIKE_BYTES)
		wording_bytes(into, number);
	else
		str_printf(into, "%" PRId64, number);
}

/* Appends the number that all have, or from the least to the greatest. */
static void add_range(struct str *into, const struct alike *at, size_t n)
{
	int64_t least = INT64_MAX, most = INT64_MIN;

	if (at->number == JOB_UNKNOWN)
		return;
	for (size_t i = 0; i < n; i++) {
		if (at[i].number < least)
			least = at[i].number;
		if (at[i].number > most)
			most = at[i].number;
	}
	str_add(into, at->before);
	add_number(into, at->unit, least);
	if (least != most) {
		str_add(into, at->unit == ALIKE_COUNT ? "-" : " to ");
		add_number(into, at->unit, most);
	}
	str_add(into, at->after);
}

/*
 * Adds a line. The key stands before the first line of its own. Whom it is about is said unless it
 * is all.
 */
static void add_run(const struct alikes *alikes, const struct pane_fill *fill, struct run run,
	bool first, bool odd)
{
	const struct alike *at = &alikes->all.items[run.from];
	size_t n = run.to - run.from;
	struct rank_index *ranks = alloc_zeroed(n, sizeof(*ranks));
	struct verdict_ranks set = {ranks, 0};
	struct pane_words line = pane_words_of(first ? at->key : "");

	for (size_t i = 0; i < n; i++)
		if (is_rank(at[i].rank) && (!set.n || !same_rank(ranks[set.n - 1], at[i].rank)))
			ranks[set.n++] = at[i].rank;
	if (set.n && set.n < fill->scene->job->nranks) {
		ranks_fit(&line.words, fill->scene->job, set, RANKS_WIDTH);
		str_add(&line.words, ": ");
	}
	if (at->last)
		str_add(&line.words, at->text);
	add_range(&line.words, at, n);
	if (!at->last && at->number != JOB_UNKNOWN && *at->text)
		str_add(&line.words, ", ");
	if (!at->last)
		str_printf(&line.words, at->quoted ? "\"%s\"" : "%s", at->text);
	line.cite = n == 1 ? at->cite : "";
	line.style = odd ? STYLE_WARN : STYLE_FAINT;
	line.most = 3;
	line.goal = set.n ? pane_goal_of_cite(fill->scene, at->cite, ranks[0]) : PANE_NOWHERE;
	pane_words_add(fill, &line);
	free(ranks);
}

/* Orders the lines of one key: the fewest first, since they are odd; then by first rank. */
static int compare_runs(const void *va, const void *vb)
{
	const struct run *a = va, *b = vb;

	if (a->to - a->from != b->to - b->from)
		return a->to - a->from < b->to - b->from ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

void alikes_tell(struct alikes *alikes, const struct pane_fill *fill, size_t most)
{
	ARRAY(struct run) runs = {0};
	size_t n = alikes->all.nr;

	array_sort(&alikes->all, compare_all);
	for (size_t key = 0, next; key < n; key = next) {
		const struct alike *at = alikes->all.items;

		runs.nr = 0;
		for (next = key; next < n && !compare_keys(&at[key], &at[next]);) {
			struct run *run = array_add(&runs);

			run->from = next++;
			while (next < n && !compare_said(&at[run->from], &at[next]))
				next++;
			run->to = next;
		}
		array_sort(&runs, compare_runs);
		for (size_t i = 0; i < runs.nr && i < most; i++)
			add_run(alikes, fill, runs.items[i], !i, !i && runs.nr > 1);
		if (runs.nr > most)
			pane_add(fill->into, STYLE_FAINT, "%*s... and %zu others", PANE_COLUMN, "",
				runs.nr - most);
	}
	array_release(&runs);
	array_release(&alikes->all);
}
