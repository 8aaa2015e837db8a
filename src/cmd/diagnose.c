/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <string.h>

#include "base/array.h"
#include "cmd/cmd.h"
#include "cmd/look.h"
#include "cmd/outlet.h"
#include "evidence/source.h"

struct arguments {
	bool json;
	ARRAY(const char *) paths;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'j':
		arguments->json = true;
		return 0;
	case ARGP_KEY_ARG:
		*array_add(&arguments->paths) = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which bundle? Give a file, or a folder of them");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"json", 'j', NULL, 0, "One JSON object (schema inquest/1) instead of text", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "PATH...",
	.doc = "Judge a job from the bundles it left.\v"
	       "Several paths are nodes of one job. Exit status: 0 nothing wrong, 1 a verdict, "
	       "2 usage, 3 unreadable, 4 inconclusive.",
};

/* Adds what is in all paths; one that cannot be read is a gap as long as another can. */
static int gather(const struct arguments *arguments, struct evidence *into)
{
	int readable = 0;

	for (size_t i = 0; i < arguments->paths.nr; i++) {
		const char *path = arguments->paths.items[i];
		struct complaint why = {0};

		if (source_bundle.gather(path, into, &why) == 0) {
			readable++;
		} else {
			cmd_complain("%s: give a bundle (.inq) or a folder with some",
				complaint_text(&why));
			evidence_add_gap(into, "", 0, complaint_text(&why));
		}
		complaint_release(&why);
	}
	return readable ? 0 : -1;
}

static int run(int argc, char **argv)
{
	struct report_options reader = outlet_options(stdout);
	struct arguments arguments = {0};
	struct look look = {0};
	int status = CMD_UNREADABLE;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	if (gather(&arguments, &look.evidence) == 0) {
		look_judge(&look);
		status = look_print(&look, &reader, arguments.json);
	}
	look_release(&look);
	array_release(&arguments.paths);
	return status;
}

const struct verb verb_diagnose = {"diagnose", "judge a job from the bundles it left", run};
