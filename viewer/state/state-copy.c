/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What y and Y copy: what is selected as text, and a range or the whole verdict as Markdown, for a
 * ticket. A line that is alone in a chat must say whom it is about, since when, and what proves it.
 */
#include "viewer/state/state-private.h"

#include <string.h>

#include "base/clock.h"
#include "viewer/pane/pane-words.h"
#include "viewer/state/range.h"
#include "words/escape.h"
#include "words/headline.h"
#include "words/rank-names.h"

/* -- A row ------------------------------------------------------------------------------------ */

/* Appends ", since 2026-11-21 03:11:52.250 UTC (1:26)"; "at least" where nobody saw it begin. */
static void add_since(struct str *into, const struct state *state, const struct track *track)
{
	const struct track_span *last = track_last(track);
	int64_t ns = last && track->since != JOB_UNKNOWN ? last->to - track->since : 0;
	char text[CLOCK_TEXT_SIZE];

	if (track->since == JOB_UNKNOWN)
		return;
	str_add(into, ", since ");
	pane_add_date(into, track->since);
	str_printf(into, " UTC (%s%s)", track->at_least ? "at least " : "",
		clock_format(ns > 0 ? ns : 0, text));
}

/* Appends "ranks 0-2,4-7: waiting, AllReduce #1, since ...; blamed  [ring:0:g0:1]". */
static void add_row(struct str *into, const struct state *state)
{
	const struct row *row = &state->rows->at[state->row];
	const struct track *track = &state->tracks->at[state->rank.i];
	const struct track_span *last = track_last(track);
	bool many = row->n > 1;

	ranks_name(into, state->scene.job, (struct verdict_ranks){row->ranks, row->n});
	if (many) {
		str_add(into, "; of them ");
		ranks_name(into, state->scene.job, (struct verdict_ranks){&track->rank, 1});
	}
	str_printf(into, ": %s", track_state_name(track->now));
	if (*track->doing)
		str_printf(into, ", %s", track->doing);
	add_since(into, state, track);
	if (ranks_have(state->scene.verdicts->at[0].culprits, state->rank))
		str_add(into, "; blamed");
	if (last && *last->cite)
		str_printf(into, "  [%s]", last->cite);
}

/* -- The verdict ------------------------------------------------------------------------------ */

/* Appends a text so that a ticket takes nothing in it for its own marks. */
static void add_plain(struct str *into, const char *text)
{
	struct str safe = {0};

	escape_text(&safe, text, true);
	for (const char *c = str_text(&safe); *c; c++) {
		if (strchr("\\`*_[]<>|#~", *c))
			str_add_char(into, '\\');
		str_add_char(into, *c);
	}
	str_release(&safe);
}

/* Appends ": `inquest attach --stacks`": as code, which a ticket shows as it is. */
static void add_command(struct str *into, const struct page_line *line)
{
	struct str safe = {0};

	if (!*line->command)
		return;
	escape_text(&safe, line->command, true);
	str_add(into, *line->words ? ": " : "");
	if (strchr(str_text(&safe), '`'))
		add_plain(into, str_text(&safe));
	else
		str_printf(into, "`%s`", str_text(&safe));
	str_release(&safe);
}

/* Appends a line of the page: "- **ranks 0-2,4-7**: in AllReduce #1 (ring:0:g0:1)". */
static void add_line(struct str *into, const struct job *job, const struct page_line *line)
{
	struct str key = {0};

	if (line->key)
		str_add(&key, line->key);
	else if (line->ranks.n)
		ranks_name(&key, job, line->ranks);
	str_add(into, "- ");
	if (key.len) {
		str_add(into, "**");
		add_plain(into, str_text(&key));
		str_add(into, "**: ");
	}
	add_plain(into, line->words);
	add_command(into, line);
	if (*line->cite) {
		str_add(into, " (");
		add_plain(into, line->cite);
		str_add_char(into, ')');
	}
	str_add_char(into, '\n');
	str_release(&key);
}

/* Appends a section of the page. */
static void add_section(struct str *into, struct page *page, enum page_kind kind)
{
	struct page_section section = page_section(page, kind, &page->verdicts->at[0]);

	for (size_t i = 0; i < section.n; i++)
		add_line(into, page->verdicts->job, &section.lines[i]);
}

/* Appends the verdict, with what speaks for it. */
static void add_verdict(struct str *into, const struct state *state)
{
	static const enum page_kind kinds[] = {PAGE_OUTLOOK, PAGE_EVIDENCE, PAGE_WHO, PAGE_NOT,
		PAGE_UNJUDGED, PAGE_LOST, PAGE_NEXT};
	struct page page = pane_page(&state->scene);
	struct page_section job = page_section(&page, PAGE_JOB, &page.verdicts->at[0]);
	struct str text = {0};

	headline_sentence(&text, page.verdicts, &page.verdicts->at[0]);
	str_add(into, "**");
	add_plain(into, str_text(&text));
	str_add(into, "** (");
	str_cut(&text, 0);
	headline_tag(&text, page.verdicts, &page.verdicts->at[0]);
	add_plain(into, str_text(&text));
	str_add(into, ")\n\n");
	for (size_t i = 0; i < job.n; i++) {
		add_plain(into, job.lines[i].words);
		str_add(into, "\n");
	}
	str_add(into, "\n");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		add_section(into, &page, kinds[i]);
	str_release(&text);
	page_release(&page);
}

/* -- What is selected ------------------------------------------------------------------------- */

/* Appends what the selected rank did between the anchor and the cursor. */
static void add_measured(struct str *into, const struct state *state)
{
	const struct track *track = &state->tracks->at[state->rank.i];
	struct range range = range_of(track, state->anchor, state->when);

	range_add_table(into, &range, track, state->tracks);
}

void state_copy(struct state *state, bool verdict)
{
	const struct pane_line *line = state->in_pane ? state_line(state) : NULL;
	struct str text = {0}, raw = {0};

	if (verdict)
		add_verdict(&text, state);
	else if (state->measuring && is_rank(state->rank))
		add_measured(&text, state);
	else if (line)
		str_printf(&raw, "%s%s%s", line->text, *line->right ? "  " : "", line->right);
	else if (state->row >= 0 && is_rank(state->rank))
		add_row(&raw, state);
	/* It may be pasted into a shell: what is not plain is told, not sent. */
	escape_text(&text, str_text(&raw), true);
	if (text.len)
		state_ask(state, EFFECT_COPY, str_text(&text));
	else
		state_tell(state, "nothing is selected");
	str_release(&text);
	str_release(&raw);
}
