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

/* Takes the job over. */
void look_at_job(struct look *look, struct job *job);
/* Seals the facts and frees them. */
void look_at(struct look *look, struct facts *f);
void look_away(struct look *look);

/* The pane as text: its lines, two bars and the cite. The caller frees. */
char *look_page(const struct look *look, enum pane_number pane);
void look_expect(const struct look *look, enum pane_number pane, const char *expected);

/* Where Enter leads on the first line that begins so: rank, and seconds (below 0: no time). */
void look_expect_goal(const struct look *look, enum pane_number pane, const char *begin, int rank,
	double at);

#endif
