/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_CHOOSE_H
#define CMD_CHOOSE_H

/*
 * Which job of this machine is meant, with probe or without.
 *
 *	struct choice choice = {.verb = "attach"};
 *
 *	status = choice_make(&choice, names, n, false);
 *	if (!status && choice_gather(&choice, &options, &evidence, &why) < 0)
 *		...
 *	choice_release(&choice);
 */

#include "cmd/foreign-job.h"
#include "evidence/agent/jobs.h"
#include "evidence/gather/live.h"

struct choice {
	const char *verb; /* what to say instead: "attach", "view" */
	struct jobs jobs;
	const struct jobs_entry *own; /* NULL: a job without probe; of several folders the head's */
	ARRAY(const char *) fellows;  /* the other folders of that job */
	struct evidence unprobed;     /* its ranks in whom the probe does not work */
	struct foreign_choice foreign;
};

/*
 * Finds the one job that all names mean (ids, names, pids); without any the only one that lives,
 * else the only one that hangs; all: the only one here, with probe or without. CMD_FINE, or
 * another status after a complaint; choice_release() in any case.
 */
int choice_make(struct choice *choice, const char *const *names, size_t n, bool all);

/* What a quick look at a job with folders says: look_status(), or CMD_UNREADABLE. */
int choice_look(const struct jobs *jobs, const struct jobs_entry *entry);

/* What a report says about the other jobs here; how many there are. */
size_t choice_describe_others(const struct choice *choice, struct str *into);

/* True if it ran when it was chosen: a job that was over by then will not move any more. */
bool choice_is_live(const struct choice *choice);

/* Looks at it: 0, or negative with words. As often as wanted. */
int choice_gather(struct choice *choice, const struct live_options *options,
	struct evidence *into, struct complaint *why);

void choice_release(struct choice *choice);

#endif
