/* SPDX-License-Identifier: Apache-2.0 */
#include "report/receipt-text.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/sheet.h"
#include "words/breaks.h"
#include "words/drift-words.h"
#include "words/escape.h"
#include "words/receipt-words.h"

#define COLUMN 11 /* where words begin behind a key */

void receipt_text_line(struct str *into, const char *key, const char *words, bool utf8)
{
	struct str safe = {0};
	const char *at;

	escape_text(&safe, words, utf8);
	at = str_text(&safe);
	for (bool first = true; first || *at; first = false) {
		size_t len = breaks_at(at, SHEET_WIDTH - COLUMN), from = into->len;

		if (first)
			str_printf(into, " %s", key);
		while (into->len - from < COLUMN)
			str_add_char(into, ' ');
		str_add_bytes(into, at, len);
		while (into->len > from && into->text[into->len - 1] == ' ')
			str_cut(into, into->len - 1);
		str_add_char(into, '\n');
		at += len;
		at += strspn(at, " ");
	}
	str_release(&safe);
}

/* Appends a line as it is, escaped. */
static void add_line(struct str *into, const char *text, bool utf8)
{
	struct str safe = {0};

	escape_text(&safe, text, utf8);
	str_printf(into, "%s\n", str_text(&safe));
	str_release(&safe);
}

void receipt_text(struct str *into, const struct receipt *receipt, bool all, bool utf8)
{
	struct receipt_page page = {0};
	struct str title = {0};

	receipt_title(&title, receipt);
	add_line(into, str_text(&title), utf8);
	receipt_page_of(&page, receipt, all);
	for (size_t i = 0; i < page.lines.nr; i++)
		receipt_text_line(into, page.lines.items[i].key, page.lines.items[i].words, utf8);
	for (size_t i = 0; i < page.table.nr; i++)
		add_line(into, page.table.items[i], utf8);
	receipt_page_release(&page);
	str_release(&title);
}

/* Appends a run's line of the table. */
static void add_row(struct str *into, const struct receipt *receipt, bool utf8)
{
	struct str state = {0}, when = {0}, took = {0};

	receipt_state(&state, receipt);
	receipt_add_date(&when, receipt->launch.launched);
	receipt_add_span(&took, receipt_took(receipt));
	escape_cell(into, receipt->launch.job, 20, utf8);
	escape_cell(into, receipt->launch.name, 12, utf8);
	escape_cell(into, str_text(&state), 10, utf8);
	escape_cell(into, str_text(&when), 19, utf8);
	escape_cell(into, str_text(&took), 9, utf8);
	while (into->len && into->text[into->len - 1] == ' ')
		str_cut(into, into->len - 1);
	str_add_char(into, '\n');
	str_release(&state);
	str_release(&when);
	str_release(&took);
}

void receipt_text_table(struct str *into, const struct receipt *all, size_t n, bool utf8)
{
	add_line(into, "JOB                   NAME          STATE       LAUNCHED (UTC)       TOOK",
		utf8);
	for (size_t i = 0; i < n; i++)
		add_row(into, &all[i], utf8);
}

/* -- comparing --------------------------------------------------------------------------------- */

#define LABEL 23 /* that name what differs */
#define SIDE  19 /* columns of a value */

/* Appends a difference: both values, and what it usually breaks. */
static void add_drift(struct str *into, const struct drift *drift, const struct receipt *before,
	const struct receipt *after, bool utf8)
{
	struct str label = {0}, was = {0}, is = {0};

	drift_label(&label, drift);
	drift_value(&was, drift, before, false);
	drift_value(&is, drift, after, true);
	escape_cell(into, str_text(&label), LABEL - 2, utf8);
	escape_cell(into, str_text(&was), SIDE - 2, utf8);
	escape_cell(into, str_text(&is), SIDE - 2, utf8);
	add_line(into, drift_breaks(drift), utf8);
	str_release(&label);
	str_release(&was);
	str_release(&is);
}

/* Appends the header of the differences. */
static void add_header(struct str *into, const char *before, const char *after, bool utf8)
{
	escape_cell(into, "DRIFTED", LABEL - 2, utf8);
	escape_cell(into, before, SIDE - 2, utf8);
	escape_cell(into, after, SIDE - 2, utf8);
	str_add(into, "USUALLY BREAKS\n");
}

/* Appends the names of what is alike, or of what is not known, once each. */
static void add_names(struct str *into, const char *key, const struct drifts *drifts,
	enum drift_how how, bool utf8)
{
	struct str words = {0};
	enum drift_kind last = DRIFT_KINDS;

	for (size_t i = 0; i < drifts->all.nr; i++) {
		const struct drift *drift = &drifts->all.items[i];

		if (drift->how != how || drift->kind == last)
			continue;
		str_printf(&words, "%s%s", words.len ? ", " : "", drift_name(drift->kind));
		last = drift->kind;
	}
	if (words.len)
		receipt_text_line(into, key, str_text(&words), utf8);
	str_release(&words);
}

/* How many packages have a line each: other images differ in hundreds. */
#define PACKAGES_TOLD 12

/* Says how many more packages differ than have a line. */
static void add_more_packages(struct str *into, size_t packages)
{
	if (packages > PACKAGES_TOLD)
		str_printf(into, "and %zu more packages: --json has them\n",
			packages - PACKAGES_TOLD);
}

/* Appends what differs between two runs, what is alike, and what is not known. */
static void add_pair(struct str *into, const struct receipt *before, const struct receipt *after,
	const char *const *names, const struct drifts *drifts, bool utf8)
{
	bool any = false;
	size_t packages = 0;

	for (size_t i = 0; i < drifts->all.nr; i++) {
		if (drifts->all.items[i].how != DRIFT_DIFFERS ||
			(drifts->all.items[i].kind == DRIFT_PACKAGES &&
				packages++ >= PACKAGES_TOLD))
			continue;
		if (!any)
			add_header(into, names[0], names[1], utf8);
		any = true;
		add_drift(into, &drifts->all.items[i], before, after, utf8);
	}
	add_more_packages(into, packages);
	add_names(into, "same", drifts, DRIFT_SAME, utf8);
	add_names(into, "not known", drifts, DRIFT_UNKNOWN, utf8);
}

/* Appends how long both took, where that may be compared. */
static void add_times(struct str *into, const struct receipt *before, const struct receipt *after,
	const struct drifts *drifts, bool utf8)
{
	struct drift_times times = {0};

	drift_times_of(&times, before, after, drifts);
	for (size_t i = 0; i < times.rows.nr; i++)
		add_line(into, times.rows.items[i], utf8);
	drift_times_release(&times);
}

/*
 * Returns what a run is called in a column: as it was asked for, or its job's id. The caller frees
 * it.
 */
static char *label_of(const struct receipt *receipt, const char *name)
{
	size_t len = strlen(name);

	while (len > 1 && name[len - 1] == '/')
		len--;
	if (len > SIDE - 2 || !strcmp(name, "."))
		return alloc_text(receipt->launch.job);
	return alloc_copy(name, len);
}

/* Appends a line that says which run is which. */
static void add_run(struct str *into, const struct receipt *receipt, const char *label, bool utf8)
{
	struct str words = {0};

	if (*receipt->launch.name)
		str_printf(&words, "%s ", receipt->launch.name);
	str_printf(&words, "%s, ", receipt->launch.job);
	receipt_state(&words, receipt);
	str_add(&words, "  ");
	receipt_add_date(&words, receipt->launch.launched);
	str_add(&words, " UTC");
	str_add_char(into, ' ');
	escape_cell(into, label, SIDE - 2, utf8);
	add_line(into, str_text(&words), utf8);
	str_release(&words);
}

void receipt_text_compare(struct str *into, const struct receipt *all, const char *const *names,
	size_t n, const struct drifts *drifts, bool utf8)
{
	char **labels = alloc_zeroed(n, sizeof(*labels));
	struct str title = {0};

	drift_title(&title, drifts, n - 1);
	add_line(into, str_text(&title), utf8);
	str_release(&title);
	for (size_t i = 0; i < n; i++) {
		labels[i] = label_of(&all[i], names[i]);
		add_run(into, &all[i], labels[i], utf8);
	}
	for (size_t i = 1; i < n; i++) {
		const char *const pair[] = {labels[0], labels[i]};

		add_pair(into, &all[0], &all[i], pair, &drifts[i - 1], utf8);
		add_times(into, &all[0], &all[i], &drifts[i - 1], utf8);
	}
	for (size_t i = 0; i < n; i++)
		free(labels[i]);
	free(labels);
}
