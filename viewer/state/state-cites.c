/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the evidence of a line is to be read: a cite names an exhibit and a place in it
 * ("ring:3:g1:45"), and each kind of them has a pane. There Enter opens it.
 */
#include "viewer/state/state-private.h"

#include <string.h>

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

bool state_open_cite(struct state *state, const struct pane_line *line)
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
