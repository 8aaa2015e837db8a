/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_VIEWING_H
#define CMD_VIEWING_H

/*
 * Looks at a job for the viewer: gathered and judged as by attach and diagnose, the live job again
 * and again. Looking happens on a thread of its own, so that keys are answered meanwhile; what it
 * costs is for the viewer's loop to weigh, and what it takes of memory for the budget, which is
 * watched until the terminal is taken.
 */

#include <argp.h>

#include "cmd/budget.h"
#include "cmd/job-pick.h"
#include "viewer/viewer.h"

/* How the viewer is wished for. */
struct viewing_wish {
	struct view_options view;
	int w, h; /* a picture of so many cells instead of the terminal; 0: the terminal */
	enum view_format format;
	const char *file; /* the whole as a document instead; "-" stdout; NULL: no */
	enum view_document document;
	struct str keys; /* the script that `view` points to */
	bool given;	 /* some option of viewing_argp was */
};

/* Returns what environment and locale say: colours if wanted, their theme, the charset. */
struct view_options viewing_options(void);

/* The viewer's options, a child of the verbs' parsers; its input is a struct viewing_wish. */
extern const struct argp viewing_argp;

/* Frees the keys that it holds. */
void viewing_wish_release(struct viewing_wish *wish);

/*
 * Returns CMD_FINE where the wish can be met: a picture, or stdin and stdout are a terminal that
 * can. Else CMD_USAGE after a complaint.
 */
int viewing_may(const struct viewing_wish *wish);

/*
 * Says in a line, to whoever sits at a terminal, that the first look takes seconds. The line is
 * taken away before the first screen, or before viewing_live() complains: between the two nothing
 * else may be said.
 */
void viewing_wait(const struct viewing_wish *wish, const struct live_options *options);

/*
 * Shows a live job, and follows it; after viewing_wait(). Returns the exit status, after a
 * complaint.
 */
int viewing_live(struct job_pick *pick, const struct live_options *options,
	const struct viewing_wish *wish, struct budget *budget);

/* Shows what a job left. Returns the exit status, after a complaint. */
int viewing_left(const char *const *paths, size_t n, const struct viewing_wish *wish,
	struct budget *budget);

#endif
