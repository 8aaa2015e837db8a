/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/cmd.h"
#include "cmd/outlet.h"
#include "cmd/viewing.h"
#include "evidence/source.h"
#include "viewer/cells.h"
#include "viewer/keys.h"

#define KEYS_CAP (1u << 20)

/* Options without a short form: beyond all letters. */
enum { SCREEN = 256, SCREEN_FORMAT, KEYS_IN, KEYS, ASCII, UTF8, COLOR, THEME, MOUSE, CLIPBOARD };

struct arguments {
	struct viewing_wish wish;
	struct str keys; /* the script */
	bool all, list;
	ARRAY(const char *) names;
};

/* "120x40" */
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

/* From a file or a pipe, "-" is stdin; 0, or negative with words. */
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

static void read_keys(const char *path, struct arguments *arguments, struct argp_state *state)
{
	struct complaint why = {0};
	struct key *keys = NULL;
	size_t n, line = 0;

	if (read_script(path, &arguments->keys, &why) < 0)
		argp_failure(state, CMD_USAGE, 0, "%s", complaint_text(&why));
	else if (strlen(str_text(&arguments->keys)) != arguments->keys.len ||
		 keys_parse(str_text(&arguments->keys), &keys, &n, &line) < 0)
		argp_failure(state, CMD_USAGE, 0, "%s, line %zu: no such key: see --keys", path,
			line);
	free(keys);
	arguments->wish.view.keys = str_text(&arguments->keys);
	complaint_release(&why);
}

static error_t parse_look(int key, char *arg, struct argp_state *state)
{
	struct view_options *view = &((struct arguments *)state->input)->wish.view;

	switch (key) {
	case ASCII:
	case UTF8:
		view->utf8 = key == UTF8;
		return 0;
	case COLOR:
		if (!viewing_parse_color(arg, view))
			argp_error(state, "always, never or auto, not %s", arg);
		return 0;
	case THEME:
		if (!viewing_parse_theme(arg, view))
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

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'a':
		arguments->all = true;
		return 0;
	case KEYS:
		arguments->list = true;
		return 0;
	case SCREEN:
		if (!parse_size(arg, &arguments->wish.w, &arguments->wish.h))
			argp_error(state, "no size of a screen, as 120x40: %s", arg);
		return 0;
	case SCREEN_FORMAT:
		if (strcmp(arg, "text") && strcmp(arg, "svg"))
			argp_error(state, "text or svg, not %s", arg);
		arguments->wish.format = *arg == 's' ? VIEW_SVG : VIEW_TEXT;
		return 0;
	case KEYS_IN:
		read_keys(arg, arguments, state);
		return 0;
	case ARGP_KEY_ARG:
		*array_add(&arguments->names) = arg;
		return 0;
	default:
		return parse_look(key, arg, state);
	}
}

static const struct argp_option options[] = {
	{"all", 'a', NULL, 0, "Look for jobs without probe as well: ask all processes here", 0},
	{"screen", SCREEN, "COLSxROWS", 0, "Print one screen of this size, without a terminal", 0},
	{"screen-format", SCREEN_FORMAT, "text|svg", 0, "How it is printed: text, or a picture", 0},
	{"keys-in", KEYS_IN, "FILE", 0, "Press the keys in this file first", 0},
	{"keys", KEYS, NULL, 0, "List all keys", 0},
	{"ascii", ASCII, NULL, 0, "Draw with ASCII only", 0},
	{"utf8", UTF8, NULL, 0, "Draw with UTF-8, whatever the locale says", 0},
	{"color", COLOR, "WHEN", 0, "always, never or auto (INQUEST_COLOR, NO_COLOR)", 0},
	{"theme", THEME, "NAME", 0, "dark, light, mono or auto (COLORFGBG, else dark)", 0},
	{"mouse", MOUSE, NULL, 0, "Let clicks and the wheel select", 0},
	{"clipboard", CLIPBOARD, NULL, 0, "Let y copy to the clipboard, by the terminal", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[JOB|NAME|PID|BUNDLE|DIR...]",
	.doc = "Show a job over time, on the terminal: the live one, followed, or what it left.\v"
	       "Without an argument it takes the only job that hangs. ? shows the keys. Exit "
	       "status: 0 shown, 2 usage or no terminal, 3 unreadable.",
};

static int list_keys(void)
{
	struct str text = {0};

	keys_print(&text);
	outlet_write(stdout, &text);
	str_release(&text);
	return CMD_FINE;
}

/* Whether it is what a job left; else it is a job. */
static bool is_path(const char *name)
{
	const struct source *source = source_of(name);

	if (source)
		return source != &source_live;
	return strchr(name, '/') || access(name, F_OK) == 0;
}

static int view_live(struct arguments *arguments)
{
	const struct live_options stacks = LIVE_OPTIONS_STACKS;
	struct choice choice = {.verb = "view"};
	int status = choice_make(
		&choice, arguments->names.items, arguments->names.nr, arguments->all);

	if (!status)
		status = viewing_live(&choice, &stacks, &arguments->wish);
	choice_release(&choice);
	return status;
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {.wish.view = viewing_options()};
	size_t paths = 0;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	for (size_t i = 0; i < arguments.names.nr; i++)
		paths += is_path(arguments.names.items[i]);
	if (arguments.list) {
		status = list_keys();
	} else if (paths && (paths < arguments.names.nr || arguments.all)) {
		cmd_complain("a live job and files in one: view either");
		status = CMD_USAGE;
	} else {
		status = viewing_may(&arguments.wish);
		if (!status && paths)
			status = viewing_left(arguments.names.items, arguments.names.nr,
				&arguments.wish);
		else if (!status)
			status = view_live(&arguments);
	}
	array_release(&arguments.names);
	str_release(&arguments.keys);
	return status;
}

const struct verb verb_view = {"view", "show a job over time, on the terminal", run};
