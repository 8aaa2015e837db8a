/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_VIEW_SCREEN_H
#define TESTS_UNIT_VIEW_SCREEN_H

/*
 * A viewer without terminal, over a job made by hand (facts.h): keys in, text out.
 *
 *	struct screen_test t = screen_new(facts, 80, 24);
 *	screen_keys(&t, "j j Enter");
 *	assert_string_equal(screen_line(&t, 0), " job  ...");
 *	screen_free(&t);
 */
#include "tests/unit/facts.h"
#include "viewer/draw.h"

struct screen_test {
	struct job *job;
	struct verdicts *verdicts;
	struct state *state;
	struct cells cells;
	struct str text;
	struct str line;
};

/* Returns a viewer of that size over the job of these facts, which it takes. */
struct screen_test screen_new(struct facts *facts, int w, int h);
/* Does the same over a live job. */
struct screen_test screen_live(struct facts *facts, int w, int h);
/* Gives the viewer its next look: other facts about the same job. */
void screen_reload(struct screen_test *t, struct facts *facts);
void screen_free(struct screen_test *t);

/* Presses keys, which blanks part; "type TEXT" as in keys_parse(). */
void screen_keys(struct screen_test *t, const char *keys);
/* Return the whole screen as it is now, or a line of it; valid until the next of these calls. */
const char *screen_text(struct screen_test *t);
const char *screen_line(struct screen_test *t, int y);
/* Returns the line that the text is on. If there is none, fails the test and shows the screen. */
int screen_find(struct screen_test *t, const char *text);
void screen_lacks(struct screen_test *t, const char *text);

/* Returns the cursor's time, in seconds of facts.h. */
double screen_seconds(const struct screen_test *t);
/* Asserts that the last message has this in it. */
void screen_says(struct screen_test *t, const char *part);
/* Asserts that the keys have asked the outside for this, and takes the wish back. */
void screen_asks(struct screen_test *t, enum state_effect effect, const char *with);

/* Returns eight ranks: 3 compiles since second 4, the others wait in AllReduce #1 since 44. */
struct facts *screen_skew(void);
/* Returns a viewer of that job, of 80x24. */
struct screen_test screen_of_skew(void);

#endif
