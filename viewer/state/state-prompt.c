/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are typed: editing, history, and what becomes of them. */
#include "viewer/state/state-private.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void state_prompt_open(struct state *state, enum state_prompt kind)
{
	struct state_typing *typing = &state->typing;

	typing->kind = kind;
	str_cut(&typing->text, 0);
	str_cut(&typing->typed, 0);
	typing->at = typing->recalled = 0;
	typing->before = state_here(state);
	typing->window = state->window;
	typing->help_top = state->help_top;
	if (kind != PROMPT_FILTER)
		return;
	/* The filter that holds: to be changed, or emptied to take it off. */
	str_add(&typing->text, str_text(&state->filter));
	typing->at = typing->text.len;
}

/* Puts a text in place of another. */
static void put(struct str *text, const char *with)
{
	struct str copy = {0};

	str_add(&copy, with); /* it may lie in what is cut */
	str_cut(text, 0);
	str_add(text, str_text(&copy));
	str_release(&copy);
}

/* -- History ---------------------------------------------------------------------------------- */

/* Remembers a line that was typed, unless it is the last one again. */
static void remember(struct state_history *history, const char *line)
{
	char *copy;

	if (!*line || (history->n && !strcmp(history->lines[0], line)))
		return;
	copy = alloc_text(line);
	if (history->n == STATE_HISTORY)
		free(history->lines[--history->n]);
	memmove(history->lines + 1, history->lines, history->n * sizeof(*history->lines));
	history->lines[0] = copy;
	history->n++;
}

/* Takes an older line for what is typed, or a newer one. */
static void recall(struct state *state, bool older)
{
	struct state_typing *typing = &state->typing;
	const struct state_history *history = &state->histories[typing->kind];

	if (older ? typing->recalled >= history->n : typing->recalled == 0)
		return;
	if (!typing->recalled)
		put(&typing->typed, str_text(&typing->text));
	typing->recalled += older ? 1 : (size_t)-1;
	put(&typing->text, typing->recalled ? history->lines[typing->recalled - 1] :
					      str_text(&typing->typed));
	typing->at = typing->text.len;
}

/* -- Editing ---------------------------------------------------------------------------------- */

/* Returns the place of the character before: bytes that go on one are none. */
static size_t before(const struct str *text, size_t at)
{
	while (at > 0 && ((unsigned char)text->text[--at] & 0xc0) == 0x80)
		;
	return at;
}

/* Returns the place of the character behind. */
static size_t behind(const struct str *text, size_t at)
{
	if (at < text->len)
		at++;
	while (at < text->len && ((unsigned char)text->text[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/* Takes away [from, to) and leaves the cursor there. */
static void cut(struct state_typing *typing, size_t from, size_t to)
{
	struct str *text = &typing->text;

	if (from >= to)
		return;
	memmove(text->text + from, text->text + to, text->len - to);
	str_cut(text, text->len - (to - from));
	typing->at = from;
}

/* Returns where the word before the cursor begins. */
static size_t word_before(const struct str *text, size_t at)
{
	while (at > 0 && text->text[at - 1] == ' ')
		at--;
	while (at > 0 && text->text[at - 1] != ' ')
		at--;
	return at;
}

/* Types a character at the cursor. */
static void type(struct state_typing *typing, const char *key)
{
	struct str rest = {0};

	if (typing->text.len > 4096)
		return;
	str_add(&rest, str_text(&typing->text) + typing->at);
	str_cut(&typing->text, typing->at);
	str_add(&typing->text, key);
	typing->at = typing->text.len;
	str_add(&typing->text, str_text(&rest));
	str_release(&rest);
}

/* True for a key that is a character, as names of keys go: of one, or not of ASCII. */
static bool is_character(const char *key)
{
	unsigned char first = (unsigned char)key[0];

	return first >= ' ' && first != 0x7f && (first >= 0x80 || !key[1]);
}

/* Takes a key that edits; false: it is none. */
static bool edit(struct state *state, const char *key)
{
	struct state_typing *typing = &state->typing;

	if (is_character(key))
		type(typing, key);
	else if (!strcmp(key, "Space"))
		type(typing, " ");
	else if (!strcmp(key, "Backspace") || !strcmp(key, "Ctrl-H"))
		cut(typing, before(&typing->text, typing->at), typing->at);
	else if (!strcmp(key, "Delete") || !strcmp(key, "Ctrl-D"))
		cut(typing, typing->at, behind(&typing->text, typing->at));
	else if (!strcmp(key, "Ctrl-U"))
		cut(typing, 0, typing->at);
	else if (!strcmp(key, "Ctrl-K"))
		cut(typing, typing->at, typing->text.len);
	else if (!strcmp(key, "Ctrl-W"))
		cut(typing, word_before(&typing->text, typing->at), typing->at);
	else if (!strcmp(key, "Left") || !strcmp(key, "Ctrl-B"))
		typing->at = before(&typing->text, typing->at);
	else if (!strcmp(key, "Right") || !strcmp(key, "Ctrl-F"))
		typing->at = behind(&typing->text, typing->at);
	else if (!strcmp(key, "Home") || !strcmp(key, "Ctrl-A"))
		typing->at = 0;
	else if (!strcmp(key, "End") || !strcmp(key, "Ctrl-E"))
		typing->at = typing->text.len;
	else if (!strcmp(key, "Up") || !strcmp(key, "Ctrl-P"))
		recall(state, true);
	else if (!strcmp(key, "Down") || !strcmp(key, "Ctrl-N"))
		recall(state, false);
	else
		return false;
	return true;
}

/* -- What becomes of it ----------------------------------------------------------------------- */

/* Goes back to where the search began. */
static void go_where_it_began(struct state *state)
{
	state->help_top = state->typing.help_top;
	state->help_hit = -1;
	if (state->help)
		return;
	state_restore(state, &state->typing.before);
	state->window = state->typing.window;
	state_settle(state);
}

/* Shows what is found while it is typed, always from where it began. */
static void search_typed(struct state *state, bool last)
{
	const char *text = str_text(&state->typing.text);
	bool found;

	go_where_it_began(state);
	if (state->help) {
		put(&state->help_search, text);
		found = !*text || state_help_search(state, text, false, true);
	} else if (state->in_pane) {
		put(&state->pane_search, text);
		found = !*text || state_search_lines(state, text, false, !last);
	} else if (last || state_search_is_cheap(state)) {
		state_search_new(state, text);
		found = !*text || state_search_step(state, false);
	} else {
		return;
	}
	if (!found)
		state_tell(state, "not found: %s", text);
}

/* Takes the search as it was typed; Esc then goes back to where it began. */
static void accept_search(struct state *state)
{
	const char *text = str_text(&state->typing.text);
	struct state_place began = state->typing.before;

	if (!*text) {
		/* As everywhere: an empty search repeats the last one. */
		if (state->histories[PROMPT_SEARCH].n)
			put(&state->typing.text, state->histories[PROMPT_SEARCH].lines[0]);
		text = str_text(&state->typing.text);
	}
	remember(&state->histories[PROMPT_SEARCH], text);
	if (state->in_pane && !state->help) {
		/* Where typing has led; it is said once more. */
		put(&state->pane_search, text);
		if (*text && !state_search_lines(state, text, false, true))
			state_tell(state, "not found: %s", text);
		return;
	}
	search_typed(state, true);
	if (state->help)
		return;
	if (!same_rank(state->rank, began.rank) || state->when != began.when) {
		struct state_place here = state_here(state);

		state_restore(state, &began);
		state_remember(state);
		state_restore(state, &here);
	}
}

/* Takes the line. */
static void accept(struct state *state)
{
	enum state_prompt kind = state->typing.kind;
	struct str line = {0};

	str_add(&line, str_text(&state->typing.text));
	state->typing.kind = PROMPT_NONE;
	if (kind == PROMPT_SEARCH) {
		accept_search(state);
	} else if (kind == PROMPT_FILTER) {
		remember(&state->histories[kind], str_text(&line));
		/* A wrong one stays there to be mended. */
		if (!state_set_filter(state, str_text(&line)))
			state->typing.kind = kind;
	} else {
		remember(&state->histories[kind], str_text(&line));
		state_command(state, str_text(&line));
	}
	str_release(&line);
}

/* Closes the line; a search goes back. */
static void cancel(struct state *state)
{
	bool search = state->typing.kind == PROMPT_SEARCH;

	state->typing.kind = PROMPT_NONE;
	if (!search)
		return;
	go_where_it_began(state);
	if (state->help)
		str_cut(&state->help_search, 0);
	else if (!state->in_pane)
		state_search_new(state, "");
	str_cut(&state->message, 0);
}

/* Takes the letter of a mark. */
static void mark_key(struct state *state, const char *key)
{
	bool set = state->typing.kind == PROMPT_MARK_SET;
	struct state_place *mark;

	state->typing.kind = PROMPT_NONE;
	if (key[0] < 'a' || key[0] > 'z' || key[1]) {
		state_tell(state, "marks are a to z");
		return;
	}
	mark = &state->marks[key[0] - 'a'];
	if (set) {
		*mark = state_here(state);
		state_tell(state, "mark %c is set: ' %c comes back", key[0], key[0]);
	} else if (!is_rank(mark->rank)) {
		state_tell(state, "mark %c is not set", key[0]);
	} else {
		state_choose_pane(state, mark->pane);
		state_go(state, mark->rank, mark->when);
	}
}

void state_prompt_key(struct state *state, const char *key)
{
	enum state_prompt kind = state->typing.kind;

	if (kind == PROMPT_MARK_SET || kind == PROMPT_MARK_JUMP) {
		mark_key(state, key);
	} else if (!strcmp(key, "Enter")) {
		accept(state);
	} else if (!strcmp(key, "Esc") || !strcmp(key, "Ctrl-C") || !strcmp(key, "Ctrl-G")) {
		cancel(state);
	} else if (!strcmp(key, "Backspace") && !state->typing.text.len) {
		cancel(state);
	} else if (edit(state, key) && kind == PROMPT_SEARCH) {
		search_typed(state, false);
	}
}
