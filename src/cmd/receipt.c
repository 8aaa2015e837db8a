/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "cmd/budget.h"
#include "cmd/cmd.h"
#include "cmd/outlet.h"
#include "cmd/receipt-rules.h"
#include "cmd/receipts.h"
#include "decode/receipts.h"
#include "report/receipt-json.h"
#include "report/receipt-text.h"

/* What was asked for. */
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
