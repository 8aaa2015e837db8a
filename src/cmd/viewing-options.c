/* SPDX-License-Identifier: Apache-2.0 */
/* The viewer's options, for the verbs that show it: view, and attach with --view. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/outlet.h"
#include "cmd/viewing.h"
#include "viewer/state/keys.h"
#include "viewer/term/cells.h"

#define KEYS_CAP (1u << 20) /* of a script of keys */

/* Options without a short form: beyond all letters, and those of the verbs. */
enum {
	SCREEN = 512,
	SCREEN_FORMAT,
	HTML,
	PERFETTO,
	KEYS_IN,
	ASCII,
	UTF8,
	COLOR,
	THEME,
	MOUSE,
	CLIPBOARD
};

/* True if colours are wanted: by https://no-color.org, and before it our own word. */
static bool wants_color(void)
{
	const char *own = getenv("INQUEST_COLOR"), *none = getenv("NO_COLOR");

	if (own && !strcmp(own, "always"))
		return true;
	if (own && !strcmp(own, "never"))
		return false;
	return !(none && *none);
}

/*
 * Returns the theme that fits this terminal. "15;0": the background's number is the last; 7 and
 * from 9 on are light ones.
 */
static enum theme theme_here(void)
{
	const char *said = getenv("COLORFGBG");
	const char *last = said ? strrchr(said, ';') : NULL;
	int background = last ? atoi(last + 1) : 0;

	return background == 7 || background > 8 ? THEME_LIGHT : THEME_DARK;
}

struct view_options viewing_options(void)
{
	return (struct view_options){
		.color = wants_color(),
		.utf8 = outlet_is_utf8(),
		.theme = theme_here(),
	};
}

void viewing_wish_release(struct viewing_wish *wish)
{
	str_release(&wish->keys);
}

/* Reads "120x40". False: it is no size, or too large. */
static bool parse_size(const char *text, int *ret_w, int *ret_h)
{
	char *end;
	long w = strtol(text, &end, 10), h;

	if (end == text || *end++ != 'x' || *text < '0' || *text > '9' || *end < '0' || *end > '9')
		return false;
	h = strtol(end, &end, 10);
	if (*end || w < 1 || h < 1 || w > CELLS_W || h > CELLS_H)
		return false;
	*ret_w = (int)w;
	*ret_h = (int)h;
	return true;
}

/* Reads "always", "never", "auto": over what the environment says. False: no such word. */
static bool parse_color(const char *word, struct view_options *into)
{
	if (!strcmp(word, "always"))
		into->color = true;
	else if (!strcmp(word, "never"))
		into->color = false;
	else
		return !strcmp(word, "auto");
	return true;
}

/* Reads a theme's name, or "auto". False: no such word. */
static bool parse_theme(const char *word, struct view_options *into)
{
	static const char *const names[THEMES] = {
		[THEME_DARK] = "dark", [THEME_LIGHT] = "light", [THEME_MONO] = "mono"};

	for (int i = 0; i < THEMES; i++)
		if (!strcmp(word, names[i])) {
			into->theme = (enum theme)i;
			return true;
		}
	return !strcmp(word, "auto");
}

/* Reads a script from a file or a pipe, "-" is stdin. 0, or negative with words. */
static int read_script(const char *path, struct str *into, struct complaint *why)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	int err = 0;

	if (!file)
		return complaint_errno(why, errno, "cannot read %s", path);
	while (into->len < KEYS_CAP && !feof(file) && !ferror(file))
		str_grow(into, fread(str_room(into, 4096), 1, 4096, file));
	if (ferror(file))
		err = complaint_errno(why, errno, "cannot read %s", path);
	else if (into->len >= KEYS_CAP)
		err = complaint_set(why, "%s is too long for a script of keys", path);
	if (file != stdin)
		fclose(file);
	str_add(into, "");
	return err;
}

/* Takes the keys in a file, if they are all keys; else ends us with words. */
static void read_keys(const char *path, struct viewing_wish *wish, struct argp_state *state)
{
	struct complaint why = {0};
	struct key *keys = NULL;
	size_t n, line = 0;

	if (read_script(path, &wish->keys, &why) < 0)
		argp_failure(state, CMD_USAGE, 0, "%s", complaint_text(&why));
	else if (strlen(str_text(&wish->keys)) != wish->keys.len ||
		 keys_parse(str_text(&wish->keys), &keys, &n, &line) < 0)
		argp_failure(state, CMD_USAGE, 0, "%s, line %zu: no such key: see `inquest view "
						  "--keys'", path, line);
	free(keys);
	wish->view.keys = str_text(&wish->keys);
	complaint_release(&why);
}

/* Takes an option about how it looks. */
static error_t parse_look(int key, char *arg, struct argp_state *state)
{
	struct view_options *view = &((struct viewing_wish *)state->input)->view;

	switch (key) {
	case ASCII:
	case UTF8:
		view->utf8 = key == UTF8;
		return 0;
	case COLOR:
		if (!parse_color(arg, view))
			argp_error(state, "always, never or auto, not %s", arg);
		return 0;
	case THEME:
		if (!parse_theme(arg, view))
			argp_error(state, "auto, dark, light or mono, not %s", arg);
		return 0;
	case MOUSE:
		view->mouse = true;
		return 0;
	case CLIPBOARD:
		view->clipboard = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Takes one option, as argp does. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct viewing_wish *wish = state->input;

	if (key >= SCREEN && key <= CLIPBOARD)
		wish->given = true;
	switch (key) {
	case SCREEN:
		if (!parse_size(arg, &wish->w, &wish->h))
			argp_error(state, "no size of a screen, as 120x40: %s", arg);
		return 0;
	case SCREEN_FORMAT:
		if (strcmp(arg, "text") && strcmp(arg, "svg"))
			argp_error(state, "text or svg, not %s", arg);
		wish->format = *arg == 's' ? VIEW_SVG : VIEW_TEXT;
		return 0;
	case HTML:
	case PERFETTO:
		if (wish->file)
			argp_error(state, "one document at a time: --html or --perfetto");
		if (!*arg)
			argp_error(state, "no file is named for the document");
		wish->document = key == HTML ? VIEW_HTML : VIEW_PERFETTO;
		wish->file = arg;
		return 0;
	case KEYS_IN:
		read_keys(arg, wish, state);
		return 0;
	case ARGP_KEY_END:
		if (wish->file && wish->w)
			argp_error(state, "--screen draws one screen, --%s the whole: name one",
				wish->document == VIEW_HTML ? "html" : "perfetto");
		return 0;
	default:
		return parse_look(key, arg, state);
	}
}

static const struct argp_option options[] = {
	{"screen", SCREEN, "COLSxROWS", 0, "Print one screen of this size, without a terminal", 0},
	{"screen-format", SCREEN_FORMAT, "text|svg", 0, "How it is printed: text, or a picture", 0},
	{"html", HTML, "FILE", 0, "Write it as one page for a browser (- is stdout)", 0},
	{"perfetto", PERFETTO, "FILE", 0, "Write it as a trace for ui.perfetto.dev", 0},
	{"keys-in", KEYS_IN, "FILE", 0, "Press the keys in this file first", 0},
	{"ascii", ASCII, NULL, 0, "Draw with ASCII only", 0},
	{"utf8", UTF8, NULL, 0, "Draw with UTF-8, whatever the locale says", 0},
	{"color", COLOR, "WHEN", 0, "always, never or auto (INQUEST_COLOR, NO_COLOR)", 0},
	{"theme", THEME, "NAME", 0, "dark, light, mono or auto (COLORFGBG, else dark)", 0},
	{"mouse", MOUSE, NULL, 0, "Let clicks and the wheel select", 0},
	{"clipboard", CLIPBOARD, NULL, 0, "Let y copy to the clipboard, by the terminal", 0},
	{0},
};

const struct argp viewing_argp = {.options = options, .parser = parse};
