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

/* Takes the facts. */
struct screen_test screen_new(struct facts *facts, int w, int h);
/* The same of a live job. */
struct screen_test screen_live(struct facts *facts, int w, int h);
/* The next look: other facts about the same job. */
void screen_reload(struct screen_test *t, struct facts *facts);
void screen_free(struct screen_test *t);

/* Keys apart by blanks; "type TEXT" as in keys_parse(). */
void screen_keys(struct screen_test *t, const char *keys);
/* The whole screen as it is now, or a line of it; valid until the next of these. */
const char *screen_text(struct screen_test *t);
const char *screen_line(struct screen_test *t, int y);
/* The line that the text is on, or fails with the screen. */
int screen_find(struct screen_test *t, const char *text);
void screen_lacks(struct screen_test *t, const char *text);

/* The cursor's time, in seconds of facts.h. */
double screen_seconds(const struct screen_test *t);
/* The last message has this in it. */
void screen_says(struct screen_test *t, const char *part);
/* The keys ask the outside for this, and for nothing else. */
void screen_asks(struct screen_test *t, enum state_effect effect, const char *with);

/* Eight ranks: 3 compiles since second 4, all others wait in the first AllReduce since 44. */
struct facts *screen_skew(void);
/* The same on 80x24. */
struct screen_test screen_of_skew(void);

#endif
