/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/view_screen.h"
#include "viewer/state/state-private.h"

static struct screen_test make(struct facts *facts, int w, int h, bool live)
{
	struct screen_test t = {.job = facts_job(facts)};

	facts_free(facts);
	t.verdicts = verdicts_of(t.job);
	t.state = state_new();
	state_resize(t.state, w, h);
	state_load(t.state, t.job, t.verdicts, "test.inq", live, t.job->gathered);
	return t;
}

struct screen_test screen_new(struct facts *facts, int w, int h)
{
	return make(facts, w, h, false);
}

struct screen_test screen_live(struct facts *facts, int w, int h)
{
	return make(facts, w, h, true);
}

void screen_reload(struct screen_test *t, struct facts *facts)
{
	struct job *old = t->job;
	struct verdicts *old_verdicts = t->verdicts;

	t->job = facts_job(facts);
	facts_free(facts);
	t->verdicts = verdicts_of(t->job);
	state_load(t->state, t->job, t->verdicts, "test.inq", true, t->job->gathered);
	verdicts_free(old_verdicts);
	job_free(old);
}

void screen_free(struct screen_test *t)
{
	state_free(t->state);
	verdicts_free(t->verdicts);
	job_free(t->job);
	cells_release(&t->cells);
	str_release(&t->text);
	str_release(&t->line);
}

void screen_keys(struct screen_test *t, const char *keys)
{
	struct key *all = NULL;
	size_t n = 0, line = 0;

	assert_int_equal(keys_parse(keys, &all, &n, &line), 0);
	for (size_t i = 0; i < n; i++) {
		int w, h;

		if (keys_size(all[i].name, &w, &h))
			state_resize(t->state, w, h);
		else
			state_key(t->state, all[i].name);
	}
	free(all);
}

const char *screen_text(struct screen_test *t)
{
	draw_screen(t->state, &t->cells);
	str_cut(&t->text, 0);
	cells_text(&t->cells, &t->text);
	return str_text(&t->text);
}

const char *screen_line(struct screen_test *t, int y)
{
	const char *at = screen_text(t);

	while (y-- > 0 && strchr(at, '\n'))
		at = strchr(at, '\n') + 1;
	str_cut(&t->line, 0);
	str_add_bytes(&t->line, at, strcspn(at, "\n"));
	return str_text(&t->line);
}

int screen_find(struct screen_test *t, const char *text)
{
	const char *all = screen_text(t), *at = strstr(all, text);
	int line = 0;

	if (!at) {
		print_message("no \"%s\" on this screen:\n%s", text, all);
		fail();
	}
	for (; all < at; all++)
		line += *all == '\n';
	return line;
}

void screen_lacks(struct screen_test *t, const char *text)
{
	if (!strstr(screen_text(t), text))
		return;
	print_message("\"%s\" should not be on this screen:\n%s", text, str_text(&t->text));
	fail();
}

double screen_seconds(const struct screen_test *t)
{
	return (double)(t->state->when - facts_ns(0)) / 1e9;
}

void screen_says(struct screen_test *t, const char *part)
{
	const char *message = str_text(&t->state->message);

	if (strstr(message, part))
		return;
	print_message("no \"%s\" in the message: %s\n", part, message);
	fail();
}

void screen_asks(struct screen_test *t, enum state_effect effect, const char *with)
{
	const char *argument;

	assert_int_equal(state_effect(t->state, &argument), effect);
	assert_string_equal(argument, with);
	assert_int_equal(state_effect(t->state, &argument), EFFECT_NONE);
}

struct facts *screen_skew(void)
{
	struct facts *f = facts_new(8);

	for (int rank = 0; rank < 8; rank++) {
		facts_span(f, rank, JOB_SPAN_COMPILE, "dynamo", "0/0", 2, 4);
		facts_span(f, rank, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 4,
			rank == 3 ? FACTS_OPEN : 12);
	}
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 13);
	return f;
}

struct screen_test screen_of_skew(void)
{
	return screen_new(screen_skew(), 80, 24);
}
