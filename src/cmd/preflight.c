/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells before a launch what would be regretted after it. Nothing is launched: the command is read,
 * not run.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/preflight-page.h"
#include "preflight/preflight-launch.h"
#include "preflight/preflight.h"

/* Options without a short form, numbered beyond all letters. */
enum { RANKS = 256, HOSTS, GPUS, PCIE, BANDWIDTH, DATA, CHECKPOINT, CACHE, STRICT, DEADLINE };

struct arguments {
	struct preflight_wish wish;
	ARRAY(struct preflight_path) paths;
	struct preflight_page_options page;
	bool json;
};

/* Returns the argument's number; ends the program where it is none from 1 on. */
static int number(const char *arg, struct argp_state *state)
{
	if (strspn(arg, "0123456789") != strlen(arg) || strlen(arg) > 6 || atoi(arg) < 1)
		argp_error(state, "not a number from 1 on: %s", arg);
	return atoi(arg);
}

/* Returns the argument in GB/s; ends the program where it is no such number. */
static double gigabytes(const char *arg, struct argp_state *state)
{
	char *end;
	double value = strtod(arg, &end);

	if (end == arg || *end || !(value > 0))
		argp_error(state, "not a number of GB/s: %s", arg);
	return value;
}

static void add_path(struct arguments *arguments, enum storage_role role, const char *path)
{
	*array_add(&arguments->paths) = (struct preflight_path){role, path};
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct preflight_wish *wish = &arguments->wish;
	double seconds;

	switch (key) {
	case RANKS:
		wish->ranks = number(arg, state);
		return 0;
	case HOSTS:
		wish->hosts = number(arg, state);
		return 0;
	case GPUS:
		wish->gpus = arg;
		return 0;
	case PCIE:
		wish->pcie = true;
		return 0;
	case BANDWIDTH:
		wish->bandwidth = gigabytes(arg, state);
		return 0;
	case DATA:
	case CHECKPOINT:
	case CACHE:
		add_path(arguments, STORAGE_FOR_DATA + (key - DATA), arg);
		return 0;
	case DEADLINE:
		if (!clock_read_seconds(arg, 1, 86400, &seconds))
			argp_error(state, "no time: %s: say 30, 30s or 5m", arg);
		wish->deadline_s = (int)seconds;
		return 0;
	case STRICT:
		arguments->page.strict = true;
		return 0;
	case 'a':
		arguments->page.all = true;
		return 0;
	case 'j':
		arguments->json = true;
		return 0;
	case ARGP_KEY_ARG:
		wish->argv = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"ranks", RANKS, "N", 0, "Ranks on this machine (else as the command says)", 0},
	{"hosts", HOSTS, "N", 0, "Machines of the job (else as the command says)", 0},
	{"gpus", GPUS, "NAME", 0, "Each GPU's name must have this in it: H200", 0},
	{"pcie", PCIE, NULL, 0, "GPUs without NVLink are meant", 0},
	{"bandwidth", BANDWIDTH, "GB/s", 0, "all_reduce_perf must reach this", 0},
	{"data", DATA, "PATH", 0, "Where the data are", 1},
	{"checkpoint", CHECKPOINT, "PATH", 0, "Where checkpoints go", 1},
	{"cache", CACHE, "PATH", 0, "Where a cache is", 1},
	{"deadline", DEADLINE, "SECONDS", 0, "How long each check may take", 2},
	{"strict", STRICT, NULL, 0, "What is warned of fails", 2},
	{"all", 'a', NULL, 0, "Also what is merely worth knowing, a line each", 2},
	{"json", 'j', NULL, 0, "A JSON document instead of a page", 2},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[-- COMMAND...]",
	.doc = "Say what a launch on this machine would regret. The command is not run.\v"
	       "Exit status: 0 nothing fails, 1 something does, 2 usage.",
};

static int run(int argc, char **argv)
{
	struct arguments arguments = {
		.wish = {.env = environ, .ranks = -1, .hosts = -1},
		.page = {.color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR")},
	};
	struct preflight preflight = {0};
	int status;

	/* What stands behind the first word is another program's: its options are not ours. */
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	if (arguments.wish.argv && arguments.wish.ranks < 0)
		arguments.wish.ranks = launch_ranks(arguments.wish.argv);
	if (arguments.wish.argv && arguments.wish.hosts < 0)
		arguments.wish.hosts = launch_hosts(arguments.wish.argv);
	arguments.wish.paths = arguments.paths.items;
	arguments.wish.nr_paths = arguments.paths.nr;
	preflight_look(&arguments.wish, &preflight);
	status = preflight_page_fails(&preflight, arguments.page.strict) ? CMD_VERDICT : CMD_FINE;
	if (arguments.json)
		preflight_page_json(&preflight, &arguments.page, stdout);
	else
		preflight_page_print(&preflight, &arguments.page, stdout);
	preflight_release(&preflight);
	array_release(&arguments.paths);
	if (fflush(stdout) || ferror(stdout)) {
		cmd_complain("cannot write to stdout");
		return CMD_UNREADABLE;
	}
	return status;
}

const struct verb verb_preflight = {"preflight", "say what a launch here would regret", run};
