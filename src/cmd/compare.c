/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cmd/budget.h"
#include "cmd/cmd.h"
#include "cmd/outlet.h"
#include "cmd/receipts.h"
#include "report/compare-json.h"
#include "report/receipt-text.h"

struct arguments {
	bool json;
	struct budget budget;
	ARRAY(const char *) paths;
};

static const struct argp_child children[] = {{&budget_argp, 0, NULL, 0}, {0}};

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
	case ARGP_KEY_ARG:
		*array_add(&arguments->paths) = arg;
		return 0;
	case ARGP_KEY_END:
		if (arguments->paths.nr < 2)
			argp_error(state, "which runs? Give two or more receipts");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"json", 'j', NULL, 0, "One JSON object (schema inquest-compare/1) instead of text", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "RUN RUN...",
	.doc = "Tell whether runs are of one class, and what drifted between them.\v"
	       "Each RUN is a receipt, a bundle, or a folder, whose newest run is meant; all are "
	       "held against the first. Exit status: 0 one class, 1 drifted, 2 usage, "
	       "3 unreadable, 4 not enough known.",
};

/* Finds the newest run at the path. Returns false, with words on stderr, if there is none. */
static bool take(struct receipts *receipts, const char *path, struct receipt *ret)
{
	struct receipts here = {.meter = receipts->meter};
	bool found = receipts_add(&here, path) > 0;

	receipts_sort(&here);
	if (found)
		receipts_add(receipts, here.all.items[0].path);
	receipts_release(&here);
	if (found && receipts->all.nr)
		*ret = receipts->all.items[receipts->all.nr - 1];
	return found;
}

/* Returns the exit status for these comparisons. */
static int status_of(const struct drifts *drifts, size_t n)
{
	int status = CMD_FINE;

	for (size_t i = 0; i < n; i++) {
		enum drift_class class = drifts_class(&drifts[i]);

		if (class == DRIFT_DRIFTED)
			return CMD_VERDICT;
		if (class == DRIFT_NOT_ENOUGH)
			status = CMD_INCONCLUSIVE;
	}
	return status;
}

/* Compares all runs with the first one and prints that. Returns the exit status. */
static int compare(const struct receipt *all, const struct arguments *arguments)
{
	size_t n = arguments->paths.nr;
	struct drifts *drifts = alloc_zeroed(n, sizeof(*drifts));
	struct str text = {0};
	int status;

	for (size_t i = 1; i < n; i++)
		drifts_of(&drifts[i - 1], &all[0], &all[i]);
	if (arguments->json)
		compare_json(&text, all, arguments->paths.items, n, drifts);
	else
		receipt_text_compare(
			&text, all, arguments->paths.items, n, drifts, outlet_is_utf8());
	fputs(str_text(&text), stdout);
	status = status_of(drifts, n - 1);
	for (size_t i = 0; i < n; i++)
		drifts_release(&drifts[i]);
	free(drifts);
	str_release(&text);
	return status;
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {0};
	struct receipts receipts = {0};
	struct receipt *all;
	int status = CMD_FINE;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	receipts.meter = &arguments.budget.meter;
	budget_watch(&arguments.budget);
	all = alloc_zeroed(arguments.paths.nr, sizeof(*all));
	for (size_t i = 0; i < arguments.paths.nr; i++)
		if (!take(&receipts, arguments.paths.items[i], &all[i]))
			status = CMD_UNREADABLE;
	if (status == CMD_FINE)
		status = compare(all, &arguments);
	if (fflush(stdout) || ferror(stdout)) {
		cmd_complain("cannot write the comparison to stdout: %s", strerror(errno));
		status = CMD_UNREADABLE;
	}
	budget_unwatch(&arguments.budget);
	free(all);
	receipts_release(&receipts);
	array_release(&arguments.paths);
	return status;
}

const struct verb verb_compare = {"compare", "tell what drifted between runs", run};
