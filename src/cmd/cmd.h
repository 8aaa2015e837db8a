/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roof: one verb is one file, and only this floor prints errors and ends the program.
 *
 * A verb gets its arguments with argv[0] "inquest VERB" and returns the exit status. Output that
 * was asked for goes to stdout, everything else to stderr, errors as one line:
 *
 *	inquest: what failed: on what: what to do
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit statuses of the verbs that look at a job; `run` gives its command's. */
enum {
	CMD_FINE = 0,
	CMD_VERDICT = 1,
	CMD_USAGE = 2,
	CMD_UNREADABLE = 3,
	CMD_INCONCLUSIVE = 4,
};

/* One verb of the program. */
struct verb {
	const char *name;
	const char *line; /* what it does, for the list of verbs */
	int (*run)(int argc, char **argv);
};

extern const struct verb verb_attach;
extern const struct verb verb_compare;
extern const struct verb verb_demo;
extern const struct verb verb_diagnose;
extern const struct verb verb_gather;
extern const struct verb verb_ls;
extern const struct verb verb_preflight;
extern const struct verb verb_receipt;
extern const struct verb verb_ring;
extern const struct verb verb_run;
extern const struct verb verb_view;

/*
 * Gives one of a verb's child parsers its input, at ARGP_KEY_INIT. The child is found by its
 * parser, so the children may stand in any order.
 */
static inline void cmd_give(struct argp_state *state, const struct argp_child *children,
	const struct argp *child, void *input)
{
	for (size_t i = 0; children[i].argp; i++)
		if (children[i].argp == child)
			state->child_inputs[i] = input;
}

/* Writes one line on stderr, after "inquest: ". What came from outside in it is escaped. */
void cmd_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
