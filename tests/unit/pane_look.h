/* SPDX-License-Identifier: Apache-2.0 */
/* pane_look.h: a job under judgement as the viewer's panes get it, and a pane as text. */
#ifndef TESTS_PANE_LOOK_H
#define TESTS_PANE_LOOK_H

#include "tests/unit/facts.h"
#include "viewer/pane/pane.h"

struct look {
	struct job *job;
	struct verdicts *verdicts;
	struct tracks *tracks;
	struct stacktree *tree, *mains;
	struct scene scene;
	struct pane_place place; /* the first culprit, at the end, 80 columns */
};

/* Judges the job and makes all that panes need. The look owns the job from now on. */
void look_at_job(struct look *look, struct job *job);
/* Does the same for the job of these facts, which it seals and frees. */
void look_at(struct look *look, struct facts *f);
void look_away(struct look *look);

/* Returns the pane as text, which the caller frees: lines, with " || " in front of a cite. */
char *look_page(const struct look *look, enum pane_number pane);
void look_expect(const struct look *look, enum pane_number pane, const char *expected);

/*
 * Asserts where Enter leads on the first line that begins so: to that rank, and to that time in
 * seconds (below 0: to no time).
 */
void look_expect_goal(const struct look *look, enum pane_number pane, const char *begin, int rank,
	double at);

#endif
