/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/ring-redact.h"

#include <stdio.h>

#include "tests/ring/fixture.h"
#include "tests/unit/unit.h"

#define STACK "on the stack: "

/* A ring that has a secret in each place where there is text; `before`: bytes written before. */
static struct fixture *secrets(size_t before)
{
	static const char note[] = "exception: ValueError: password=canary in step 3";
	static const char log[] = "said token=canary12345 and went on\n";
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_fatal *death = ring_fatal_claim(&f->w);
	struct ring_traceback *trace = ring_traceback_begin(&f->w, death);

	(void)ring_string(&f->w, "plain", 5);
	(void)ring_string(&f->w, note, strlen(note));
	for (size_t i = 0; i < before; i++)
		ring_text_append(&f->w, ".", 1);
	ring_text_append(&f->w, log, strlen(log));
	death->stack_len = sizeof(STACK);
	memcpy(death->stack, STACK, sizeof(STACK));
	ring_fatal_publish(death);
	trace->message = ring_traceback_text(trace, "bad free, secret: canary", 24);
	ring_traceback_publish(&f->w, trace);
	return f;
}

static struct ring_view redacted(struct fixture *f, bool raw_stacks, bool no_logs)
{
	const struct ring_redact_options options = {.raw_stacks = raw_stacks, .no_logs = no_logs};

	ring_redact(f->base, f->layout.size, &options);
	assert_null(memmem(f->base, f->layout.size, "canary", 6));
	return fixture_view(f);
}

/* True if these bytes are in it. */
static bool has(const struct fixture *f, const char *text)
{
	return memmem(f->base, f->layout.size, text, strlen(text)) != NULL;
}

static void secrets_go_and_texts_stay(void **state)
{
	struct fixture *f = secrets(0);
	struct ring_view view = redacted(f, false, false);
	struct ring_fatal death;

	(void)state;
	assert_int_equal(ring_view_fatal(&view, 0, &death), 1);
	assert_int_equal(death.stack_len, 0);
	assert_false(has(f, STACK));
	assert_true(has(f, "plain"));
	assert_true(has(f, "exception: ValueError: password=****** in step 3"));
	assert_true(has(f, "said token=*********** and went on"));
	assert_true(has(f, "bad free, secret: ******"));
	fixture_free(f);
}

static void stacks_stay_where_they_are_wanted(void **state)
{
	struct fixture *f = secrets(0);

	(void)state;
	(void)redacted(f, true, false);
	assert_true(has(f, STACK));
	fixture_free(f);
}

static void without_logs_the_type_of_an_error_is_left(void **state)
{
	struct fixture *f = secrets(0);
	struct ring_view view = redacted(f, false, true);
	char text[16];

	(void)state;
	assert_true(has(f, "exception: ValueError: ****"));
	assert_false(has(f, "step 3"));
	assert_false(has(f, "went on"));
	assert_false(has(f, "bad free"));
	assert_int_equal(ring_view_text(&view, text, sizeof(text)), 0);
	fixture_free(f);
}

/* What was written lies in a circle: a secret across its end is one, too. */
static void wherever_the_log_lies_it_is_read_straight(void **state)
{
	struct fixture *f = secrets(0);
	uint64_t size = f->w.text->size;
	char text[64] = "";

	(void)state;
	fixture_free(f);
	for (size_t behind = 1; behind < 40; behind += 3) {
		struct ring_view view;

		f = secrets((size_t)size - behind);
		view = redacted(f, false, false);
		assert_int_equal(ring_view_text(&view, text, 35), 35);
		assert_memory_equal(text, "said token=*********** and went on\n", 35);
		fixture_free(f);
	}
}

static void of_what_is_no_ring_nothing_is_kept_but_its_head(void **state)
{
	struct fixture *f = secrets(0);

	(void)state;
	memset(f->base, 'x', 8);
	ring_redact(f->base, f->layout.size, &(struct ring_redact_options){0});
	assert_false(has(f, "canary"));
	assert_true(has(f, "xxxxxxxx"));
	ring_redact(f->base, 100, &(struct ring_redact_options){0});
	ring_redact(f->base, 0, &(struct ring_redact_options){0});
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_go_and_texts_stay),
		cmocka_unit_test(stacks_stay_where_they_are_wanted),
		cmocka_unit_test(without_logs_the_type_of_an_error_is_left),
		cmocka_unit_test(wherever_the_log_lies_it_is_read_straight),
		cmocka_unit_test(of_what_is_no_ring_nothing_is_kept_but_its_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
