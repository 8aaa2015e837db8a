/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

/* What was gathered of all paths. */
struct harvest {
	struct evidence *into;
	size_t bundles, cores; /* paths that gave such */
};

/* Adds what a path has of that kind; where it has nothing, that is said and becomes a gap. */
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

/* A folder may hold cores only: then it is no complaint that it has no bundle. */
static void gather_bundles(struct harvest *harvest, const char *path)
{
	bool has_core = source_core.claims(path);
	struct stat st;

	if (!has_core)
		harvest->bundles += gather_one(&source_bundle, path, harvest->into);
	else if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		harvest->bundles += source_bundle.gather(path, harvest->into, NULL) == 0;
}

/*
 * Adds what is in all paths; one that cannot be read is a gap as long as another can. Bundles come
 * first, whatever the order: they tell whose the cores are.
 */
static void gather(const struct arguments *arguments, struct harvest *harvest)
{
	for (size_t i = 0; i < arguments->paths.nr; i++)
		gather_bundles(harvest, arguments->paths.items[i]);
	for (size_t i = 0; i < arguments->paths.nr; i++)
		if (source_core.claims(arguments->paths.items[i]))
			harvest->cores += gather_one(
				&source_core, arguments->paths.items[i], harvest->into);
}

static int run(int argc, char **argv)
{
	const struct look_wish threads = {.stacks = true, .all = true, .below = true};
	struct report_options reader = outlet_options(stdout);
	struct arguments arguments = {0};
	struct look look = {0};
	struct harvest harvest = {.into = &look.evidence};
	int status = CMD_UNREADABLE;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	gather(&arguments, &harvest);
	if (harvest.bundles + harvest.cores) {
		look_judge(&look);
		status = look_print_wish(&look, &reader, arguments.wish);
		if (status != CMD_UNREADABLE && !harvest.bundles && !arguments.wish.json &&
			!arguments.wish.stacks) {
			puts("");
			status = look_print_wish(&look, &reader, threads);
		}
	}
	look_release(&look);
	array_release(&arguments.paths);
	return status;
}

const struct verb verb_diagnose = {"diagnose", "judge a job from what it left", run};
