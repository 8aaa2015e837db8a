/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/cmd.h"
#include "cmd/outlet.h"
#include "cmd/viewing.h"
#include "evidence/gather/source.h"
#include "viewer/state/keys.h"

/* Options without a short form: beyond all letters. */
enum { KEYS = 256 };

/* What was asked for. */
struct arguments {
	struct viewing_wish wish;
	struct budget budget;
	bool all, list; /* jobs without probe too; only the keys */
	ARRAY(const char *) names; /* jobs, or what they left */
};

static const struct argp_child children[] = {
	{&viewing_argp, 0, NULL, 0}, {&budget_argp, 0, NULL, 0}, {0}};

/* Takes one option, as argp does. */
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
	case ARGP_KEY_INIT:
		cmd_give(state, children, &viewing_argp, &arguments->wish);
		cmd_give(state, children, &budget_argp, &arguments->budget);
		return 0;
	case ARGP_KEY_ARG:
		*array_add(&arguments->names) = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"all", 'a', NULL, 0, "Look for jobs without probe as well: ask all processes here", 0},
	{"keys", KEYS, NULL, 0, "List all keys", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "[JOB|NAME|PID|BUNDLE|DIR...]",
	.doc = "Show a job over time, on the terminal: the live one, followed, or what it left.\v"
	       "Without an argument it takes the only job that hangs. ? shows the keys. Exit "
	       "status: 0 shown, 2 usage or no terminal, 3 unreadable.",
};

/* Prints all keys. Returns the exit status. */
static int list_keys(void)
{
	struct str text = {0};

	keys_print(&text);
	outlet_write(stdout, &text);
	str_release(&text);
	return CMD_FINE;
}

/* True if the name is of what a job left; else it is a job. */
static bool is_path(const char *name)
{
	const struct source *source = source_of(name);

	if (source)
		return source != &source_live;
	return strchr(name, '/') || access(name, F_OK) == 0;
}

/* Shows a live job. Returns the exit status. */
static int view_live(struct arguments *arguments)
{
	const struct live_options stacks = LIVE_OPTIONS_STACKS;
	struct job_pick pick = {.verb = "view"};
	int status;

	viewing_wait(&arguments->wish, &stacks);
	status = job_pick_make(
		&pick, arguments->names.items, arguments->names.nr, arguments->all);
	if (!status)
		status = viewing_live(&pick, &stacks, &arguments->wish, &arguments->budget);
	job_pick_release(&pick);
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
				&arguments.wish, &arguments.budget);
		else if (!status)
			status = view_live(&arguments);
	}
	array_release(&arguments.names);
	viewing_wish_release(&arguments.wish);
	return status;
}

const struct verb verb_view = {"view", "show a job over time, on the terminal", run};
