/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "cmd/cmd.h"
#include "cmd/look.h"
#include "cmd/outlet.h"
#include "evidence/source.h"

/* Options without a short form: beyond all letters. */
enum { STACKS = 256 };

struct arguments {
	struct look_wish wish;
	ARRAY(const char *) paths;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'j':
		arguments->wish.json = true;
		return 0;
	case STACKS:
		if (!look_parse_stacks(arg, &arguments->wish))
			argp_error(state,
				"no way to show stacks: %s: say all, folded or json", arg);
		return 0;
	case ARGP_KEY_ARG:
		*array_add(&arguments->paths) = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which bundle? Give a file, a folder of them, or a core");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"json", 'j', NULL, 0, "One JSON object (schema inquest/1) instead of text", 0},
	{"stacks", STACKS, "HOW", OPTION_ARG_OPTIONAL,
		"The stacks of all ranks as one tree; of all threads, folded, or as json", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "PATH...",
	.doc = "Judge a job from the bundles and core files it left.\v"
	       "Several paths are nodes of one job. Exit status: 0 nothing wrong, 1 a verdict, "
	       "2 usage, 3 unreadable, 4 inconclusive.",
};

/* Adds what a path has; where it has nothing, that is said and becomes a gap. */
static bool gather_one(const struct source *source, const char *path, struct evidence *into)
{
	struct complaint why = {0};
	bool readable = source->gather(path, into, &why) == 0;

	if (!readable) {
		cmd_complain("%s%s", complaint_text(&why), source == &source_core ? ""
			: ": give a bundle (.inq), a folder with some, or a core file");
		evidence_add_gap(into, "", 0, complaint_text(&why));
	}
	complaint_release(&why);
	return readable;
}

/*
 * Adds what is in all paths; one that cannot be read is a gap as long as another can. Bundles come
 * first, whatever the order: they tell whose the cores are.
 */
static int gather(const struct arguments *arguments, struct evidence *into)
{
	size_t readable = 0;

	for (size_t i = 0; i < arguments->paths.nr; i++)
		if (!source_core.claims(arguments->paths.items[i]))
			readable += gather_one(&source_bundle, arguments->paths.items[i], into);
	for (size_t i = 0; i < arguments->paths.nr; i++)
		if (source_core.claims(arguments->paths.items[i]))
			readable += gather_one(&source_core, arguments->paths.items[i], into);
	return readable ? 0 : -1;
}

/* Whether there is nothing but cores: then their stacks are what there is to see. */
static bool only_cores(const struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->paths.nr; i++)
		if (!source_core.claims(arguments->paths.items[i]))
			return false;
	return !arguments->wish.json && !arguments->wish.stacks;
}

static int run(int argc, char **argv)
{
	const struct look_wish threads = {.stacks = true, .all = true};

	struct report_options reader = outlet_options(stdout);
	struct arguments arguments = {0};
	struct look look = {0};
	int status = CMD_UNREADABLE;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	if (gather(&arguments, &look.evidence) == 0) {
		look_judge(&look);
		status = look_print_wish(&look, &reader, arguments.wish);
		if (status != CMD_UNREADABLE && only_cores(&arguments)) {
			puts("");
			status = look_print_wish(&look, &reader, threads);
		}
	}
	look_release(&look);
	array_release(&arguments.paths);
	return status;
}

const struct verb verb_diagnose = {"diagnose", "judge a job from what it left", run};
