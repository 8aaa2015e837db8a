/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In the overlay keys scroll, or choose one of its jobs; / n N search its lines, and anything else
 * closes it.
 */
#include "viewer/state/state-private.h"

#include <string.h>

void state_help_open(struct state *state)
{
	state->help = true;
	state->help_top = 0;
	state->help_hit = -1;
	str_cut(&state->help_search, 0);
	str_cut(&state->jobs, 0);
}

void state_list_jobs(struct state *state, const char *list)
{
	state_help_open(state);
	state->help_hit = 0;
	/* A line is two texts, each with its end. */
	for (; *list; list += *list == '\n') {
		size_t left = strcspn(list, "\t"), right = strcspn(list + left, "\n");

		str_add_bytes(&state->jobs, list, left);
		str_add_bytes(&state->jobs, "", 1);
		if (right)
			str_add_bytes(&state->jobs, list + left + 1, right - 1);
		str_add_bytes(&state->jobs, "", 1);
		list += left + right;
	}
	state->help = state->jobs.len > 0;
}

bool help_line_has(const struct help_line *line, const char *text)
{
	return *text && (strcasestr(line->left, text) ||
				(line->right && strcasestr(line->right, text)));
}

/* Returns how many lines are seen at once. */
static int room_of(const struct state *state)
{
	return state->h > 3 ? state->h - 2 : 1;
}

/* Shows a line, and says which match it is of how many. */
static void show(struct state *state, const struct help *help, const char *text, int line)
{
	int room = room_of(state);
	size_t of = 0, at = 0;

	for (size_t i = 0; i < help->lines.nr; i++) {
		of += help_line_has(&help->lines.items[i], text);
		if (i == (size_t)line)
			at = of;
	}
	state->help_hit = line;
	if (line < state->help_top || line >= state->help_top + room)
		state->help_top = line > room / 3 ? line - room / 3 : 0;
	state_tell(state, "%zu of %zu line%s", at, of, of == 1 ? "" : "s");
}

bool state_help_search(struct state *state, const char *text, bool back, bool from_here)
{
	int at = state->help_hit >= 0 ? state->help_hit : state->help_top, n;
	struct help help = {0};
	bool found = false;

	help_make(&help, state);
	n = (int)help.lines.nr;
	at = at < n ? at : n - 1;
	for (int i = from_here ? 0 : 1; i <= n && !found; i++) {
		int line = back ? (at + n - i % n) % n : (at + i) % n;

		found = help_line_has(&help.lines.items[line], text);
		if (found)
			show(state, &help, text, line);
	}
	help_release(&help);
	return found;
}

/* Looks for the same text again. */
static void search_again(struct state *state, bool back)
{
	const char *text = str_text(&state->help_search);

	if (!*text)
		state_tell(state, "nothing was searched for yet: / does");
	else if (!state_help_search(state, text, back, false))
		state_tell(state, "not found: %s", text);
}

/* Chooses a job; it goes with what is seen of the list. */
static void choose(struct state *state, int by)
{
	int room = room_of(state), n;
	struct help help = {0};

	help_make(&help, state);
	n = (int)help.lines.nr;
	help_release(&help);
	state->help_hit += by;
	state->help_hit = state->help_hit < 0 ? 0 : state->help_hit >= n ? n - 1 : state->help_hit;
	if (state->help_hit < state->help_top)
		state->help_top = state->help_hit;
	else if (state->help_hit >= state->help_top + room)
		state->help_top = state->help_hit - room + 1;
}

/* Moves by so many lines. */
static void move(struct state *state, int by)
{
	if (state->jobs.len)
		choose(state, by);
	else
		state->help_top = state->help_top + by < 0 ? 0 : state->help_top + by;
}

/* Asks the loop for the chosen job, and closes the overlay. */
static void enter(struct state *state)
{
	struct help help = {0};

	help_make(&help, state);
	if (state->jobs.len && state->help_hit >= 0 && state->help_hit < (int)help.lines.nr)
		state_ask(state, EFFECT_JOB, help.lines.items[state->help_hit].left);
	help_release(&help);
	state->help = false;
}

void state_help_mouse(struct state *state, int y, int turn)
{
	if (turn) {
		move(state, turn < 0 ? -1 : 1);
	} else if (state->jobs.len && y > 0) {
		state->help_hit = state->help_top + y - 1;
		enter(state);
	} else {
		state->help = false;
	}
}

#define FAR (1 << 16) /* more lines than there are: drawing knows how many that is */

/* By how many lines a request goes on; 0: it does something else. */
static int step_of(const struct state *state, enum request request)
{
	int page = state->h > 4 ? state->h - 4 : 1;

	switch (request) {
	case REQUEST_ROW_DOWN:
		return 1;
	case REQUEST_ROW_UP:
		return -1;
	case REQUEST_PAGE_DOWN:
	case REQUEST_TAG:
		return page;
	case REQUEST_PAGE_UP:
		return -page;
	case REQUEST_ROW_FIRST:
	case REQUEST_TIME_FIRST:
		return -FAR;
	case REQUEST_ROW_LAST:
	case REQUEST_TIME_LAST:
		return FAR;
	default:
		return 0;
	}
}

void state_help_key(struct state *state, const char *key)
{
	enum request request = keys_find(key);

	if (step_of(state, request)) {
		move(state, step_of(state, request));
		return;
	}
	switch (request) {
	case REQUEST_ENTER:
		enter(state);
		break;
	case REQUEST_SEARCH:
		state_prompt_open(state, PROMPT_SEARCH);
		break;
	case REQUEST_SEARCH_NEXT:
	case REQUEST_SEARCH_PREV:
		search_again(state, request == REQUEST_SEARCH_PREV);
		break;
	case REQUEST_QUIT_NOW:
	case REQUEST_SUSPEND:
	case REQUEST_REDRAW:
	case REQUEST_THEME:
	case REQUEST_CHARSET:
		state_do(state, request);
		break;
	default:
		state->help = false;
	}
}
