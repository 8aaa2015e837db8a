/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_LIVE_OPTIONS_H
#define CMD_LIVE_OPTIONS_H

/* --samples, --no-stacks, --no-logs: what to take from a living job, for the verbs that gather. */

#include <argp.h>
#include <stdbool.h>

#include "evidence/gather/live/live.h"

/* What the options ask for. */
struct live_wish {
	struct live_options *live; /* borrowed: what is taken if no option says otherwise */
	bool counted;		   /* true if a number of samples was asked for */
};

/*
 * The options, a child of the verbs' parsers. Its input is a struct live_wish. The last one of
 * --samples and --no-stacks holds.
 */
extern const struct argp live_argp;

#endif
