/* SPDX-License-Identifier: Apache-2.0 */
/* Panes: which one is up, the line chosen in it, how text is found, and where a cite leads. */
#include "viewer/state/state-private.h"

#include <assert.h>
#include <string.h>

/* --- Cites ------------------------------------------------------------------------------------ */

/*
 * Where the evidence of a line is to be read: a cite names an exhibit and a place in it
 * ("ring:3:g1:45"), and each kind of them has a pane. There Enter opens it.
 */

/* Exhibits of which the receipt has a line, and what stands in it. */
static const struct {
	const char *cite, *line;
} in_receipt[] = {{"log", "stderr"}, {"error", "stderr"}, {"cgroup", "oom_kill"},
	{"caches", "cache"}, {"agent", "agent"}, {"losses", "read"}, {"proc", "known"},
	{"procs", "known"}, {"census", "known"}, {"exit", "known"}, {"receipt", "from"},
	{"env", "env"}, {"clock", "clock"}};

/* True if a cite names that kind of exhibit. */
static bool is_of(const char *cite, const char *kind)
{
	size_t length = strlen(kind);

	return !strncmp(cite, kind, length) && (!cite[length] || cite[length] == ':');
}

/* True if a cite names a group, and no op of it: "ring:3:g0", "ring:*", "flight:6:pg1". */
static bool is_group(const char *cite)
{
	const char *last = strrchr(cite, ':');

	if (!last)
		return false;
	last++;
	last += *last == 'p';
	return !strcmp(last, "*") ||
	       (*last == 'g' && last[1] && strspn(last + 1, "0123456789") == strlen(last + 1));
}

/*
 * Returns the pane that has what a cite names; PANES: none has it. *ret_line: the text to look for
 * there; NULL: the cite.
 */
static enum pane_number pane_of(const char *cite, const char **ret_line)
{
	*ret_line = NULL;
	for (size_t i = 0; i < sizeof(in_receipt) / sizeof(*in_receipt); i++)
		if (is_of(cite, in_receipt[i].cite)) {
			*ret_line = in_receipt[i].line;
			return PANE_RECEIPT;
		}
	if (is_of(cite, "stack"))
		return PANE_STACKS;
	if (!is_of(cite, "ring") && !is_of(cite, "fatal") && !is_of(cite, "flight"))
		return PANES;
	return is_group(cite) ? PANE_GROUPS : PANE_EVENTS;
}

/*
 * Chooses the line that has just this cite at its right, if there is one among those that are made.
 */
static void pick_cited(struct state *state, const char *cite)
{
	const struct pane_lines *lines = &state->lines.lines;

	for (size_t i = 0; i < lines->all.nr; i++)
		if (!strcmp(lines->all.items[i].right, cite)) {
			state_pick_line(state, i);
			return;
		}
}

/* Opens the pane that has the line's evidence, there; false: none has. */
static bool state_open_cite(struct state *state, const struct pane_line *line)
{
	const char *in_line;
	struct str cite = {0};
	enum pane_number pane = pane_of(line->right, &in_line);

	if (state->pane != PANE_VERDICT || pane == PANES)
		return false;
	str_add(&cite, line->right);
	state_go(state, line->rank, line->when);
	state->pane = pane;
	state->in_pane = true;
	state->opened++;
	state_settle(state);
	if (in_line)
		state_search_lines(state, in_line, false, true);
	else
		pick_cited(state, str_text(&cite));
	state_tell(state, "%s: Backspace goes back", str_text(&cite));
	str_release(&cite);
	return true;
}

/* --- Lines ------------------------------------------------------------------------------------ */

/* A request for a pane is told from the next by the pane's number: state_do_pane(). */
#define SAME_PLACE(pane)                                                                           \
	static_assert((int)REQUEST_##pane - (int)REQUEST_PANE_VERDICT == (int)pane,                \
		"REQUEST_" #pane " is not at the place of " #pane)

SAME_PLACE(PANE_STACKS);
SAME_PLACE(PANE_EVENTS);
SAME_PLACE(PANE_GROUPS);
SAME_PLACE(PANE_RECEIPT);

#define COUNTED 20000 /* items of a pane of very many, at most, that a search counts */

bool state_shows_pane(const struct state *state)
{
	return state->layout.pane.h > 0 && state->layout.pane.w > 0;
}

/* Puts the pane up. In a narrow terminal a pane is seen where one is in it, and only there. */
void state_choose_pane(struct state *state, enum pane_number pane)
{
	state->pane = pane;
	state->pane_closed = false;
	if (state->layout.kind == LAYOUT_SINGLE)
		state->in_pane = true;
	state_settle(state);
}

const struct pane_line *state_line(const struct state *state)
{
	size_t line = state->line[state->pane];

	if (!state_shows_pane(state) || line >= state->lines.lines.all.nr)
		return NULL;
	return &state->lines.lines.all.items[line];
}

void state_pick_line(struct state *state, size_t line)
{
	size_t n = state->lines.lines.all.nr;

	state->line[state->pane] = line < n ? line : n ? n - 1 : 0;
}

void state_enter_line(struct state *state)
{
	const struct pane_line *line = state_line(state);

	if (line && *line->right && state_open_cite(state, line))
		return;
	if (!line || (!is_rank(line->rank) && line->when == JOB_UNKNOWN)) {
		state_tell(state, line && *line->right ? "no pane has %s"
						       : "this line cites nothing%s",
			line && *line->right ? line->right : "");
		return;
	}
	if (state->maximised || state->layout.kind == LAYOUT_SINGLE) {
		state->maximised = false;
		state->in_pane = false;
	}
	/* Of several at one moment this one is then the cursor's. */
	if (state->lines.lines.items)
		state->lines.made = false;
	state_go(state, line->rank, line->when);
}

/* True if the text is in the line, or at its right edge. */
static bool line_has(const struct pane_line *line, const char *text)
{
	return strcasestr(line->text, text) || strcasestr(line->right, text);
}

/* Has the line go to an item. */
static void pick_item(struct state *state, size_t item)
{
	state->item[state->pane] = item;
	state->to_item = true;
}

/* Finds the text among the lines there are, without going round; false: none has it. */
static bool search_seen(struct state *state, const char *text, bool back, bool from_here)
{
	ptrdiff_t n = (ptrdiff_t)state->lines.lines.all.nr, by = back ? -1 : 1;
	ptrdiff_t at = (ptrdiff_t)state->line[state->pane] + (from_here ? 0 : by);

	for (; at >= 0 && at < n; at += by)
		if (line_has(&state->lines.lines.all.items[at], text)) {
			state_pick_line(state, (size_t)at);
			return true;
		}
	return false;
}

/*
 * Finds the text in a pane of very many: what has no lines now is asked for, up to its end and from
 * its begin.
 */
static bool search_items(struct state *state, const char *text, bool back, bool *ret_wrapped)
{
	const struct pane_lines *lines = &state->lines.lines;
	const struct pane *pane = &panes[state->pane];
	size_t beyond = back ? lines->from - 1 : lines->to;
	size_t found = pane->find(&state->scene, &state->lines.place, text, beyond, back);

	if (found == PANE_NO_ITEM) {
		found = pane->find(&state->scene, &state->lines.place, text,
			back ? lines->items - 1 : 0, back);
		*ret_wrapped = found != PANE_NO_ITEM;
		if (*ret_wrapped)
			state_tell(state, "the search wrapped");
	}
	if (found == PANE_NO_ITEM)
		return false;
	pick_item(state, found);
	return true;
}

/* Says "3 of 17 events"; of so many that counting would be felt, nothing. */
static void tell_item(struct state *state, const char *text, bool wrapped)
{
	const struct pane_lines *lines = &state->lines.lines;
	const struct pane *pane = &panes[state->pane];
	const struct pane_place *place = &state->lines.place;
	size_t item = state->to_item ? state->item[state->pane]
				     : lines->all.items[state->line[state->pane]].item;
	size_t of = 0, nth = 0;

	if (lines->items > COUNTED || item == PANE_NO_ITEM)
		return;
	for (size_t i = 0; i < lines->items; i++) {
		i = pane->find(&state->scene, place, text, i, false);
		if (i == PANE_NO_ITEM)
			break;
		of++;
		nth += i <= item;
	}
	state_tell(state, "%s%zu of %zu %s", wrapped ? "wrapped, " : "", nth, of, pane->items);
}

/* Says "3 of 17 lines"; where the search went round, that first. */
static void tell_line(struct state *state, const char *text, bool wrapped)
{
	const struct pane_lines *lines = &state->lines.lines;
	size_t of = 0, at = 0;

	for (size_t i = 0; i < lines->all.nr; i++) {
		of += line_has(&lines->all.items[i], text);
		if (i == state->line[state->pane])
			at = of;
	}
	state_tell(state, "%s%zu of %zu line%s", wrapped ? "wrapped, " : "", at, of,
		of == 1 ? "" : "s");
}

bool state_search_lines(struct state *state, const char *text, bool back, bool from_here)
{
	const struct pane_lines *lines = &state->lines.lines;
	size_t line = state->line[state->pane];
	bool wrapped = false, whole = !lines->items || lines->to - lines->from == lines->items;

	if (search_seen(state, text, back, from_here)) {
		if (whole)
			tell_line(state, text, false);
		else
			tell_item(state, text, false);
		return true;
	}
	if (!whole && search_items(state, text, back, &wrapped)) {
		tell_item(state, text, wrapped);
		return true;
	}
	if (!whole)
		return false;
	if (!lines->all.nr)
		return false;
	state->line[state->pane] = back ? lines->all.nr - 1 : 0;
	if (search_seen(state, text, back, true)) {
		tell_line(state, text, true);
		return true;
	}
	state->line[state->pane] = line;
	return false;
}

/* -- Requests --------------------------------------------------------------------------------- */

/* Moves by so many lines. */
static void move_line(struct state *state, ptrdiff_t by)
{
	ptrdiff_t line = (ptrdiff_t)state->line[state->pane] + by;

	state_pick_line(state, line > 0 ? (size_t)line : 0);
}

/* Goes to a line of another colour of text: the next heading, or the end of this run. */
static void move_to_other_line(struct state *state, int by)
{
	const struct pane_lines *lines = &state->lines.lines;
	ptrdiff_t at = (ptrdiff_t)state->line[state->pane], n = (ptrdiff_t)lines->all.nr, i = at;

	while (i >= 0 && i < n && lines->all.items[i].style == lines->all.items[at].style)
		i += by;
	if (i >= 0 && i < n)
		state_pick_line(state, (size_t)i);
	else
		state_tell(state, "no other line %s", by < 0 ? "above" : "below");
}

/* Takes the longer form of the pane, or the short one. */
static void longer(struct state *state, bool all)
{
	if (state->all[state->pane] == all)
		state_tell(state, all ? "this is all there is" : "this is the short form");
	state->all[state->pane] = all;
}

/* Goes to the first line of all, or the last. */
static void move_to_end(struct state *state, bool last)
{
	size_t items = state->lines.lines.items;

	if (items)
		pick_item(state, last ? items - 1 : 0);
	else
		state_pick_line(state, last ? state->lines.lines.all.nr : 0);
}

/* Takes the requests that mean something else in a pane. */
static bool do_in_pane(struct state *state, enum request request)
{
	int half = state->layout.pane.h > 3 ? state->layout.pane.h / 2 : 1;

	switch (request) {
	case REQUEST_ROW_DOWN:
	case REQUEST_ROW_UP:
		move_line(state, request == REQUEST_ROW_DOWN ? 1 : -1);
		return true;
	case REQUEST_ROW_FIRST:
	case REQUEST_ROW_LAST:
		move_to_end(state, request == REQUEST_ROW_LAST);
		return true;
	case REQUEST_PAGE_DOWN:
	case REQUEST_PAGE_UP:
		move_line(state, request == REQUEST_PAGE_DOWN ? half : -half);
		return true;
	case REQUEST_CLASS_NEXT:
	case REQUEST_CLASS_PREV:
		move_to_other_line(state, request == REQUEST_CLASS_NEXT ? 1 : -1);
		return true;
	case REQUEST_EXPAND:
	case REQUEST_COLLAPSE:
		longer(state, request == REQUEST_EXPAND);
		return true;
	case REQUEST_EXPAND_ALL:
		longer(state, !state->all[state->pane]);
		return true;
	default:
		return false;
	}
}

/* Goes into the pane; in it, where its line leads. */
static void enter(struct state *state)
{
	if (state->in_pane) {
		state_enter_line(state);
		return;
	}
	state->pane_closed = false;
	state->in_pane = true;
}

/* Gives the pane all of the screen, or takes that back. */
static void maximise(struct state *state)
{
	state->maximised = !state->maximised;
	state->pane_closed = false;
	state->in_pane = state->maximised;
}

/*
 * Goes one step out: of what is searched or measured, of the pane, to the place before the last
 * jump.
 */
static void go_back(struct state *state)
{
	if (state->in_pane && state->opened && state->nback) {
		state->opened--;
		state_go_back(state);
	} else if (state->measuring) {
		state->measuring = state->drawn = false;
	} else if (state->maximised) {
		maximise(state);
	} else if (state->in_pane) {
		state->in_pane = false;
		state->opened = 0;
	} else if (!state_go_back(state)) {
		state_tell(state, "there is nothing to go back to");
	}
}

bool state_do_pane(struct state *state, enum request request)
{
	int next = (state->pane + 1) % PANES, prev = (state->pane + PANES - 1) % PANES;

	switch (request) {
	case REQUEST_PANE_NEXT:
	case REQUEST_PANE_PREV:
		/* A pane that is not seen is opened first. */
		if (!state_shows_pane(state))
			state_choose_pane(state, state->pane);
		else
			state_choose_pane(state, (enum pane_number)(
				request == REQUEST_PANE_NEXT ? next : prev));
		return true;
	case REQUEST_PANE_VERDICT:
	case REQUEST_PANE_STACKS:
	case REQUEST_PANE_EVENTS:
	case REQUEST_PANE_GROUPS:
	case REQUEST_PANE_RECEIPT:
		state->opened = 0;
		state_choose_pane(state, (enum pane_number)(request - REQUEST_PANE_VERDICT));
		return true;
	case REQUEST_ENTER:
		enter(state);
		return true;
	case REQUEST_BACK:
		go_back(state);
		return true;
	case REQUEST_MAXIMISE:
		maximise(state);
		return true;
	default:
		return state->in_pane && do_in_pane(state, request);
	}
}
