/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/ring-write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ring/fixture.h"
#include "tests/unit/unit.h"

static void rings_are_as_small_as_promised(void **state)
{
	struct ring_layout l;

	ring_layout(0, RING_RANK, &l);
	assert_true(l.size <= 5 << 20);
	assert_int_equal(l.big[0], 32768);
	ring_layout(1, RING_RANK, &l);
	assert_true(l.size <= 21 << 16);
	ring_layout(2, RING_RANK, &l);
	assert_true(l.size <= 512 << 10);
	ring_layout(99, RING_RANK, &l);
	assert_int_equal(l.profile, 2);
	ring_layout(0, RING_CANDIDATE, &l);
	assert_true(l.size <= 128 << 10);
	assert_int_equal(l.size % 4096, 0);
}

static void sections_do_not_overlap(void **state)
{
	struct ring_layout l;
	uint64_t end = RING_HEADER_SIZE;

	ring_layout(0, RING_RANK, &l);
	for (int i = 0; i < RING_SECTIONS && l.section[i].id; i++) {
		assert_int_equal(l.section[i].offset % 64, 0);
		assert_true(l.section[i].offset >= end);
		end = l.section[i].offset + l.section[i].count * l.section[i].elem_size;
	}
	assert_true(end <= l.size);
}

static void a_lane_goes_to_its_next_owner_with_its_history(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_record r = sealed_record(1, 1);
	struct ring_lane *a = ring_lane_claim(&f->w, 10, "first thread of all");
	struct ring_lane *b = ring_lane_claim(&f->w, 11, NULL);
	struct ring_lane_view lane;
	struct ring_view view;

	assert_true(a->n > b->n);
	assert_int_equal(ring_put(&f->w, a, 1, &r), 0);
	assert_int_equal(ring_put(&f->w, a, 2, &r), 1);
	ring_lane_release(&f->w, a);
	assert_ptr_equal(ring_lane_claim(&f->w, 12, "heir"), a);
	assert_int_equal(ring_put(&f->w, a, 3, &r), 2);
	view = fixture_view(f);
	assert_int_equal(ring_view_lane(&view, 0, &lane), 0);
	assert_int_equal(lane.claims, 2);
	assert_int_equal(lane.tid, 12);
	assert_int_equal(lane.head, 3);
	assert_string_equal(lane.name, "heir");
	fixture_free(f);
}

static void threads_without_a_lane_share_the_last_one(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	struct ring_record r = sealed_record(4, 2);
	struct ring_lane *lane = NULL;
	struct ring_lane_view last;
	struct ring_view view;

	for (uint32_t i = 0; i < f->layout.lanes; i++)
		assert_non_null(ring_lane_claim(&f->w, i + 1, "busy"));
	lane = ring_lane_claim(&f->w, 99, "late");
	assert_null(lane);
	assert_int_equal(ring_put(&f->w, lane, sealed_tsc(4, 2), &r), 0);
	ring_lane_release(&f->w, lane);
	view = fixture_view(f);
	assert_int_equal(ring_view_lane(&view, f->layout.lanes, &last), 0);
	assert_true(last.overflow);
	assert_int_equal(last.head, 1);
	fixture_free(f);
}

/* As after the death of a thread in the middle of a record: one slot is lost per lap, no more. */
static void an_orphaned_slot_of_the_overflow_lane_costs_one_record_a_lap(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	struct ring_record r = sealed_record(4, 2);
	uint64_t n = f->w.overflow->n;

	f->w.slots[f->w.overflow->first + 3].seq = 7;
	for (uint64_t i = 0; i < 2 * n; i++)
		assert_int_equal(ring_put(&f->w, NULL, 1, &r), i % n == 3 ? RING_NO_TICKET : i);
	assert_int_equal(f->w.header->losses.records, 2);
	fixture_free(f);
}

static void a_board_shows_the_newer_whole_half(void **state)
{
	struct ring_slot ab[2] = {{0}}, s;
	struct ring_record r = sealed_record(1, 1);
	uint64_t version = 0;

	assert_int_equal(ring_board_read(ab, &s), 0);
	for (uint64_t n = 1; n < 10; n++) {
		r = sealed_record(n, 1);
		ring_board_put(ab, &version, sealed_tsc(n, 1), &r);
		assert_int_equal(ring_board_read(ab, &s), 1);
		assert_int_equal(s.index, n);
		assert_true(sealed(&s));
	}
	ab[version & 1].seq |= 1; /* killed while it wrote the next */
	assert_int_equal(ring_board_read(ab, &s), 1);
	assert_int_equal(s.index, 9);
	ab[!(version & 1)].seq |= 1;
	assert_int_equal(ring_board_read(ab, &s), -1);
}

/* Else a kill would find a writer in each half, and no half whole. */
static void a_shared_board_keeps_a_whole_half(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	struct ring_slot ab[2] = {{0}}, s;
	struct ring_record r = sealed_record(8, 1);
	uint64_t word = 0, version = 0;

	assert_int_equal(ring_board_put_shared(&f->w, ab, &word, sealed_tsc(8, 1), &r), 0);
	assert_int_equal(ring_claim(&f->w, &word, &version), 0);
	ab[version & 1].seq = 2 * version + 1; /* here a thread stalls, and may never go on */
	for (int i = 0; i < 5; i++)
		assert_int_equal(ring_board_put_shared(&f->w, ab, &word, 3, &r), -1);
	assert_int_equal(f->w.header->losses.contended, 5);
	assert_true(word & RING_CLAIM_STUCK); /* only the first of the five has waited */
	assert_int_equal(ring_board_read(ab, &s), 1);
	assert_true(sealed(&s));

	ring_slot_publish(ab + (version & 1), version, sealed_tsc(8, 1), &r);
	ring_unclaim(&word, version);
	assert_int_equal(ring_board_put_shared(&f->w, ab, &word, sealed_tsc(8, 1), &r), 0);
	assert_int_equal(ring_board_read(ab, &s), 1);
	assert_int_equal(s.seq, 6);
	assert_int_equal(f->w.header->losses.contended, 5);
	fixture_free(f);
}

static void pinned_records_keep_the_first_and_the_latest(void **state)
{
	struct fixture *f = fixture_new(0, RING_RANK);
	struct ring_pinned *p = &f->w.pinned[RING_PIN_NOTE];
	uint64_t offered = p->first + 3ull * p->latest + 5;
	struct ring_view view;
	struct ring_pins pins;
	struct ring_slot s;

	for (uint64_t n = 0; n < offered; n++) {
		struct ring_record r = sealed_record(n, 1);

		ring_pin(&f->w, RING_PIN_NOTE, sealed_tsc(n, 1), &r);
	}
	view = fixture_view(f);
	assert_int_equal(ring_view_pins(&view, RING_PIN_NOTE, &pins), 0);
	for (uint64_t n = 0; n < p->first; n++) {
		assert_int_equal(ring_pins_next(&pins, &s), 1);
		assert_int_equal(s.index, n);
	}
	for (uint64_t n = offered - p->latest; n < offered; n++) {
		assert_int_equal(ring_pins_next(&pins, &s), 1);
		assert_int_equal(s.index, n);
		assert_true(sealed(&s));
	}
	assert_int_equal(ring_pins_next(&pins, &s), 0);
	assert_int_equal(pins.tally.overwritten, 2ull * p->latest + 5);
	fixture_free(f);
}

static void equal_strings_get_equal_ids(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	char longer[RING_STRING_MAX + 10];
	uint32_t a = ring_string(&f->w, "AllReduce", 9), none, cut;
	struct ring_view view;

	memset(longer, 'x', sizeof(longer));
	assert_int_equal(ring_string(&f->w, "AllReduce, but only the front", 9), a);
	assert_int_not_equal(ring_string(&f->w, "AllReduc", 8), a);
	none = ring_string(&f->w, "", 0);
	cut = ring_string(&f->w, longer, sizeof(longer));
	assert_int_equal(ring_string(&f->w, NULL, 0), 0);
	view = fixture_view(f);
	assert_string_equal(ring_view_string(&view, a), "AllReduce");
	assert_string_equal(ring_view_string(&view, none), "");
	assert_int_equal(strlen(ring_view_string(&view, cut)), RING_STRING_MAX);
	assert_null(ring_view_string(&view, 0));
	assert_null(ring_view_string(&view, a + 8));
	assert_null(ring_view_string(&view, a + 1));
	fixture_free(f);
}

static void strings_that_find_no_room_are_counted(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	uint32_t first = ring_string(&f->w, "0", 1), id, kept = 0, tried = 0;
	char text[16];

	do {
		int len = snprintf(text, sizeof(text), "%u", ++tried);

		id = ring_string(&f->w, text, (size_t)len);
		kept += id != 0;
	} while (f->w.header->losses.strings < 10 && tried < 100000);
	assert_int_equal(f->w.header->losses.strings, tried - kept);
	assert_true(kept > 400);
	assert_int_equal(ring_string(&f->w, "0", 1), first);
	fixture_free(f);
}

static void stderr_keeps_its_end(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	size_t size = f->layout.text;
	char *long_text = malloc(size + 100), *back = malloc(size + 100);
	struct ring_view view;

	for (size_t i = 0; i < size + 100; i++)
		long_text[i] = (char)('a' + i % 23);
	ring_text_append(&f->w, "one ", 4);
	ring_text_append(&f->w, "two", 3);
	view = fixture_view(f);
	assert_int_equal(ring_view_text(&view, back, size), 7);
	assert_memory_equal(back, "one two", 7);
	assert_int_equal(ring_view_text(&view, back, 3), 3);
	assert_memory_equal(back, "two", 3);
	ring_text_append(&f->w, long_text, size + 100);
	assert_int_equal(ring_view_text(&view, back, size + 100), size);
	assert_memory_equal(back, long_text + 100, size);
	free(long_text);
	free(back);
	fixture_free(f);
}

static void deaths_find_a_place_or_are_counted(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_fatal *a = ring_fatal_claim(&f->w), *b = ring_fatal_claim(&f->w);
	struct ring_fatal got;
	struct ring_view view = fixture_view(f);

	a->signo = 11;
	a->nregs = a->stack_len = UINT32_MAX;
	ring_fatal_publish(a);
	b->signo = 6;
	assert_null(ring_fatal_claim(&f->w));
	assert_int_equal(f->w.header->losses.fatal, 1);
	assert_int_equal(ring_view_fatal(&view, 0, &got), 1);
	assert_int_equal(got.signo, 11);
	assert_int_equal(got.nregs, RING_FATAL_REGS);
	assert_int_equal(got.stack_len, RING_FATAL_STACK);
	assert_int_equal(ring_view_fatal(&view, 1, &got), 2);
	assert_int_equal(ring_view_fatal(&view, 2, &got), -1);
	fixture_free(f);
}

static void times_follow_from_two_anchors(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	struct ring_anchor a = {1000000, 5000000, 7000000, 1, 1, 1};
	struct ring_view view;
	uint64_t ns;

	f->w.header->clock = RING_CLOCK_TSC;
	ring_anchor_put(&f->w, &a);
	view = fixture_view(f);
	assert_int_equal(ring_view_time(&view, RING_TIME_REALTIME, 1000500, &ns), -1);
	for (int i = 0; i < 5; i++) { /* 2 ticks a ns; the clock is then set by 1000 s */
		a.tsc += 2000000;
		a.monotonic += 1000000;
		a.realtime += 1000000 + (i == 4 ? 1000000000000ull : 0);
		ring_anchor_put(&f->w, &a);
	}
	view = fixture_view(f);
	assert_int_equal(ring_view_time(&view, RING_TIME_MONOTONIC, 2000000, &ns), 0);
	assert_int_equal(ns, 5500000);
	assert_int_equal(ring_view_time(&view, RING_TIME_REALTIME, 900000, &ns), 0);
	assert_int_equal(ns, 6950000);
	assert_int_equal(ring_view_time(&view, RING_TIME_REALTIME, 11000002, &ns), 0);
	assert_int_equal(ns, 1000012000001ull);
	assert_int_equal(ring_view_time(&view, RING_TIME_REALTIME, 0, &ns), -1);
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_are_as_small_as_promised),
		cmocka_unit_test(sections_do_not_overlap),
		cmocka_unit_test(a_lane_goes_to_its_next_owner_with_its_history),
		cmocka_unit_test(threads_without_a_lane_share_the_last_one),
		cmocka_unit_test(an_orphaned_slot_of_the_overflow_lane_costs_one_record_a_lap),
		cmocka_unit_test(a_board_shows_the_newer_whole_half),
		cmocka_unit_test(a_shared_board_keeps_a_whole_half),
		cmocka_unit_test(pinned_records_keep_the_first_and_the_latest),
		cmocka_unit_test(equal_strings_get_equal_ids),
		cmocka_unit_test(strings_that_find_no_room_are_counted),
		cmocka_unit_test(stderr_keeps_its_end),
		cmocka_unit_test(deaths_find_a_place_or_are_counted),
		cmocka_unit_test(times_follow_from_two_anchors),
	};

	return cmocka_run_group_tests_name("ring_write", tests, NULL, NULL);
}
