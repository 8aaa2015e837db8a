/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/live-options.h"

#include <string.h>

/* Options without a short form, numbered beyond all letters, and beyond those of other parsers. */
enum { SAMPLES = 1536, NO_STACKS, NO_LOGS };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct live_wish *wish = state->input;
	struct live_options *live = wish->live;

	switch (key) {
	case SAMPLES:
		if (strlen(arg) != 1 || *arg < '1' || *arg > '3')
			argp_error(state, "not a number of samples from 1 to 3: %s", arg);
		live->stacks.samples = (unsigned)(*arg - '0');
		live->no_stacks = false;
		wish->counted = true;
		return 0;
	case NO_STACKS:
		live->stacks.samples = 0;
		live->no_stacks = true;
		return 0;
	case NO_LOGS:
		live->no_logs = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"samples", SAMPLES, "N", 0, "How often to take stacks, 1 to 3 (default 3)", 0},
	{"no-stacks", NO_STACKS, NULL, 0, "Take no stacks", 0},
	{"no-logs", NO_LOGS, NULL, 0, "Read nothing that the job wrote, nor the text of its errors",
		0},
	{0},
};

const struct argp live_argp = {.options = options, .parser = parse};
