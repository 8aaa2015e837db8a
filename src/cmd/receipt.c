/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/redact.h"
#include "base/str.h"
#include "cmd/budget.h"
#include "cmd/cmd.h"
#include "cmd/outlet.h"
#include "cmd/receipts.h"
#include "decode/decode-receipts.h"
#include "envrules/envrules.h"
#include "job/job-receipt.h"
#include "report/receipt-json.h"
#include "report/receipt-text.h"

/* --- What the environment did ----------------------------------------------------------------- */

/*
 * True if it is known what a variable was: it is set, and its value kept; or it would be kept, so
 * that it was not set.
 */
static bool is_known(const struct job_launch *launch, const char *name)
{
	return launch_variable(launch, name) || redact_keeps_variable(name);
}

/* Returns the environment as an argv, which the caller frees with its words. */
static char **env_of(const struct job_launch *launch)
{
	char **env = alloc_zeroed(launch->nenv + 1, sizeof(*env));

	for (size_t i = 0; i < launch->nenv; i++) {
		struct str one = {0};

		str_printf(&one, "%s=%s", launch->env[i].name, launch->env[i].value);
		env[i] = str_detach(&one);
	}
	return env;
}

/* Returns 215 for "torch 2.15.0+cu132"; -1 for anything else. */
static int torch_of(const char *framework)
{
	int major, minor;

	return sscanf(framework, "torch %3d.%3d", &major, &minor) == 2 ? major * 100 + minor : -1;
}

/* Returns it as an int; -1 where it is none or not known. */
static int small(int64_t n)
{
	return n >= 0 && n < INT_MAX ? (int)n : -1;
}

/* Returns how long the slowest rank has compiled, in seconds; -1 not known. */
static int64_t longest_compile(const struct receipt *receipt)
{
	int64_t longest = -1;

	for (size_t i = 0; i < receipt->nranks; i++)
		if (receipt->ranks[i].compiling > longest)
			longest = receipt->ranks[i].compiling;
	return longest < 0 ? -1 : longest / CLOCK_NS_PER_S;
}

/* Appends the line for one rule. */
static void add_rule(struct str *into, const struct receipt *receipt, const struct envrule *rule,
	bool first, bool utf8)
{
	const char *value = launch_variable(&receipt->launch, rule->name);
	struct str words = {0};

	if (value)
		str_printf(&words, "%s=%s ", rule->name, value);
	else
		str_printf(&words, "%s ", rule->name);
	str_add(&words, rule->does);
	if (rule->fix)
		str_printf(&words, "; %s", rule->fix);
	receipt_text_line(into, first ? "env rules" : "", str_text(&words), utf8);
	str_release(&words);
}

/*
 * Appends a line for each rule that speaks of the run; nothing where none does, or the environment
 * is not known. A rule about a variable that a receipt does not keep is not asked.
 */
static void receipt_rules(struct str *into, const struct receipt *receipt, bool utf8)
{
	char **env = env_of(&receipt->launch);
	const struct envrules_launch launch = {.env = env,
		.ranks = receipt->nranks ? small((int64_t)receipt->nranks) : -1,
		.world = small(receipt->world_size),
		.hosts = -1,
		.cpus = small(receipt->launch.cpus),
		.torch = torch_of(receipt->framework),
		.compile_s = longest_compile(receipt)};
	const struct envrule *rule = NULL;
	bool first = true;

	while (receipt->launch.env_known && (rule = envrules_next(&launch, rule))) {
		if (!is_known(&receipt->launch, rule->name))
			continue;
		add_rule(into, receipt, rule, first, utf8);
		first = false;
	}
	for (size_t i = 0; i < receipt->launch.nenv; i++)
		free(env[i]);
	free(env);
}

/* What was asked for. */
/* --- The command line ------------------------------------------------------------------------- */

struct arguments {
	bool json;
	bool all; /* each variable; of several runs each whole */
	struct budget budget;
	ARRAY(const char *) paths;
};

static const struct argp_child children[] = {{&budget_argp, 0, NULL, 0}, {0}};

/* Takes one option, as argp does. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		cmd_give(state, children, &budget_argp, &arguments->budget);
		return 0;
	case 'j':
		arguments->json = true;
		return 0;
	case 'a':
		arguments->all = true;
		return 0;
	case ARGP_KEY_ARG:
		*array_add(&arguments->paths) = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"json", 'j', NULL, 0, "JSON (schema inquest-receipt/1), a line for each run", 0},
	{"all", 'a', NULL, 0, "Each variable of the environment; of several runs, each whole", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "[DIR|FILE]...",
	.doc = "Print the receipt of a run: what ran, where, with what, how it went and how it "
	       "ended.\v"
	       "Without a path, those in INQUEST_OUT or ./inquest-out. Several are listed, the "
	       "newest first. Exit status: 0 printed, 2 usage, 3 unreadable.",
};

/* Appends the receipts as they were asked for: a table, each whole, or JSON. */
static void format(const struct receipts *receipts, const struct arguments *arguments,
	struct str *into)
{
	bool utf8 = outlet_is_utf8();

	if (!arguments->json && !arguments->all && receipts->all.nr > 1) {
		receipt_text_table(into, receipts->all.items, receipts->all.nr, utf8);
		return;
	}
	for (size_t i = 0; i < receipts->all.nr; i++) {
		if (arguments->json) {
			receipt_json(into, &receipts->all.items[i], RECEIPT_FILE_CAP);
			str_add_char(into, '\n');
			continue;
		}
		str_add(into, i ? "\n" : "");
		receipt_text(into, &receipts->all.items[i], arguments->all, utf8);
		receipt_rules(into, &receipts->all.items[i], utf8);
	}
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {0};
	struct receipts receipts = {0};
	struct str text = {0};
	int status = CMD_FINE;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	receipts.meter = &arguments.budget.meter;
	budget_watch(&arguments.budget);
	if (!arguments.paths.nr)
		*array_add(&arguments.paths) = receipts_folder();
	for (size_t i = 0; i < arguments.paths.nr; i++)
		receipts_add(&receipts, arguments.paths.items[i]);
	receipts_sort(&receipts);
	format(&receipts, &arguments, &text);
	fputs(str_text(&text), stdout);
	if (receipts.failed || !receipts.all.nr)
		status = CMD_UNREADABLE;
	if (fflush(stdout) || ferror(stdout)) {
		cmd_complain("cannot write the receipt to stdout: %s", strerror(errno));
		status = CMD_UNREADABLE;
	}
	budget_unwatch(&arguments.budget);
	str_release(&text);
	receipts_release(&receipts);
	array_release(&arguments.paths);
	return status;
}

const struct verb verb_receipt = {"receipt", "print what a run was, and how it went", run};
