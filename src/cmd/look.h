/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One look at a job, from evidence to verdicts.
 *
 *	struct look look = {0};
 *
 *	live_gather(folder, NULL, &look.evidence, &why);
 *	look_judge(&look);
 *	... look.verdicts
 *	look_release(&look);
 */
#ifndef CMD_LOOK_H
#define CMD_LOOK_H

#include <argp.h>
#include <stdbool.h>

#include "evidence/format/exhibit.h"
#include "verdict/verdict.h"

/* Evidence, and what was made of it; NULL before it was judged. */
struct look {
	struct evidence evidence;
	struct job *job;
	struct verdicts *verdicts;
};

/* Decodes and judges the evidence. Never fails. */
void look_judge(struct look *look);
/* Does the same, and keeps what each thread did over time, for drawing it. */
void look_judge_drawn(struct look *look);

/* Judges again, after evidence was added or taken away. */
void look_judge_again(struct look *look);

/* Returns the exit status for these verdicts: nothing wrong, a verdict, or inconclusive. */
int look_status(const struct look *look);

/* True if a rank of the attempt that was judged has died, and not in good order. */
bool look_shows_death(const struct look *look);

struct report_options;

/* Which report of a look is wanted. {0}: the verdicts as text. */
struct look_wish {
	bool json; /* in place of text */
	bool stacks; /* in place of verdicts */
	bool folded; /* as folded stacks */
	bool all; /* of stacks: all threads */
	bool below; /* of stacks: the verdicts stand above */
};

/*
 * The options --json and --stacks, a child of the verbs' parsers. Its input is a struct look_wish,
 * which begins as {0}.
 */
extern const struct argp look_argp;

/*
 * Reads the value of --stacks: "all", "folded" and "json" with commas between them; NULL: there is
 * none. Returns false where it is none of these.
 */
bool look_parse_stacks(const char *value, struct look_wish *into);

/*
 * Prints the report that is wished for to stdout. If it is of stacks and there are none, a line on
 * stderr says why. Returns look_status(), or CMD_UNREADABLE with a complaint on stderr if stdout
 * cannot be written.
 */
int look_print_wish(
	const struct look *look, const struct report_options *options, struct look_wish wish);

/* Prints the verdicts, as JSON or text, likewise. */
int look_print(const struct look *look, const struct report_options *options, bool json);

/* Frees what the look has, and leaves an empty one. Takes NULL and an empty one. */
void look_release(struct look *look);

#endif
