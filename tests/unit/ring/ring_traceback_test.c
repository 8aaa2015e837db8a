/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of a death in a ring: what is written is read, and what is forged stays in bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ring/fixture.h"

static struct ring_view view_of(const struct fixture *f)
{
	struct ring_view view;

	assert_int_equal(ring_view_open(&view, f->base, f->layout.size), 0);
	return view;
}

static void it_belongs_to_the_death_of_its_number(void **state)
{
	struct fixture *f = fixture_new(0, RING_RANK);
	struct ring_traceback *got = malloc(sizeof(*got));
	struct ring_view view = view_of(f);

	ring_fatal_claim(&f->w);
	fixture_furnish_death(&f->w);
	assert_int_equal(ring_view_traceback(&view, 0, got), 0);
	assert_int_equal(ring_view_traceback(&view, 1, got), 1);
	assert_int_equal(got->nframes, 2);
	assert_int_equal(got->frame[0].pc - got->module[got->frame[0].module - 1].bias, 0x1010);
	assert_string_equal(got->text + got->module[0].path, "/usr/bin/python3");
	assert_string_equal(got->text + got->py[0].file, "train.py");
	assert_string_equal(got->text + got->exception, "");
	assert_int_equal(ring_view_traceback(&view, 4, got), -1);
	free(got);
	fixture_free(f);
}

static void begun_anew_it_is_empty_and_unfinished(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	struct ring_traceback *got = malloc(sizeof(*got));
	struct ring_view view = view_of(f);

	fixture_furnish_death(&f->w);
	assert_non_null(ring_traceback_begin(&f->w, f->w.fatal));
	assert_int_equal(ring_view_traceback(&view, 0, got), 2);
	assert_int_equal(got->nframes + got->nmodules + got->npy, 0);
	assert_int_equal(got->end, RING_TRACE_UNBEGUN);
	assert_null(ring_traceback_begin(&f->w, f->w.fatal + 1));
	free(got);
	fixture_free(f);
}

static void texts_fit_or_are_left_out(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	struct ring_traceback *t, *got = malloc(sizeof(*got));
	struct ring_view view = view_of(f);
	char text[1000];
	uint32_t at[20], n = 0;

	memset(text, 'x', sizeof(text));
	t = ring_traceback_begin(&f->w, ring_fatal_claim(&f->w));
	for (n = 0; n < 20; n++)
		at[n] = ring_traceback_text(t, text, sizeof(text));
	assert_int_not_equal(at[11], 0);
	assert_int_equal(at[12], 0);
	assert_int_not_equal(ring_traceback_text(t, "short", 5), 0);
	t->exception = at[11];
	t->message = at[11] + 1; /* the middle of a text is none */
	ring_traceback_publish(&f->w, t);
	assert_int_equal(ring_view_traceback(&view, 0, got), 1);
	assert_int_equal(strlen(got->text + got->exception), sizeof(text));
	assert_int_equal(got->message, 0);
	free(got);
	fixture_free(f);
}

static void forged_numbers_are_brought_within_bounds(void **state)
{
	struct fixture *f = fixture_new(0, RING_RANK);
	struct ring_traceback *got = malloc(sizeof(*got));
	struct ring_view view = view_of(f);
	unsigned seed = 7;

	fixture_furnish_death(&f->w);
	memset(f->w.traces, 0xff, sizeof(*f->w.traces));
	assert_int_equal(ring_view_traceback(&view, 0, got), 2);
	assert_int_equal(got->nframes, RING_TRACE_FRAMES);
	assert_true(walk_traceback(got) > 0);
	for (int round = 0; round < 200; round++) {
		uint8_t *bytes = (uint8_t *)f->w.traces;

		for (size_t i = 0; i < sizeof(*f->w.traces); i++)
			bytes[i] = (uint8_t)(rand_r(&seed) % 5 ? rand_r(&seed) : 0);
		f->w.traces->seq = 2;
		assert_int_equal(ring_view_traceback(&view, 0, got), 1);
		walk_traceback(got);
		for (uint32_t i = 0; i < got->nframes; i++)
			assert_true(got->frame[i].module <= got->nmodules);
	}
	free(got);
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_belongs_to_the_death_of_its_number),
		cmocka_unit_test(begun_anew_it_is_empty_and_unfinished),
		cmocka_unit_test(texts_fit_or_are_left_out),
		cmocka_unit_test(forged_numbers_are_brought_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
