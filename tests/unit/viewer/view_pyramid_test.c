/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks summed up: each cell against a count of all that lies under it. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "viewer/timeline/pyramid.h"

#define FROM INT64_C(1700000000000000000)

static const struct job_span no_recompile = {.name = "graph 0/0"};

/* Numbers that are the same on each run. */
static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

struct made {
	struct tracks tracks;
	struct track *at;
};

static struct made *make(size_t n, int64_t lasts)
{
	struct made *made = alloc_zeroed(1, sizeof(*made));

	made->at = alloc_zeroed(n, sizeof(*made->at));
	made->tracks = (struct tracks){.from = FROM, .to = FROM + lasts, .at = made->at, .n = n};
	return made;
}

/* What begins with a state: each kind that is drawn, and one that is not. */
static enum track_kind kind_at(enum track_state state)
{
	return state == TRACK_COLLECTIVE  ? TRACK_ENTER
	       : state == TRACK_DEVICE ? TRACK_STEP
	       : state == TRACK_OTHER	  ? TRACK_EXCEPTION
					  : TRACK_BEGIN;
}

/* One track: spans of those states and lengths, the last up to the end; an entry at each begin. */
static void give(struct made *made, size_t row, const uint8_t *states, const int64_t *lengths,
	size_t n)
{
	struct track_span *spans = alloc_zeroed(n, sizeof(*spans));
	struct track_event *events = alloc_zeroed(n, sizeof(*events));
	int64_t at = made->tracks.from;
	size_t nevents = 0;

	for (size_t i = 0; i < n; i++) {
		spans[i] = (struct track_span){.from = at,
			.to = i + 1 < n ? at + lengths[i] : made->tracks.to,
			.state = (enum track_state)states[i],
			.name = "",
			.cite = ""};
		at = spans[i].to;
		if (states[i] != TRACK_COMPUTE)
			events[nevents++] = (struct track_event){.when = spans[i].from,
				.kind = kind_at((enum track_state)states[i]),
				.fact = &no_recompile};
	}
	assert_true(at == made->tracks.to);
	made->at[row] = (struct track){
		.spans = spans, .nspans = n, .events = events, .nevents = nevents};
}

static void give_some(struct made *made, size_t row, size_t n, uint32_t *seed)
{
	int64_t left = made->tracks.to - made->tracks.from;
	int64_t *lengths = alloc_zeroed(n, sizeof(*lengths));
	uint8_t *states = alloc_zeroed(n, 1);

	for (size_t i = 0; i < n; i++) {
		lengths[i] = 1 + draw(seed, (uint32_t)(left / (int64_t)n * 2 - 1));
		if (draw(seed, 10) == 0)
			lengths[i] = draw(seed, 2);
		/* Bad ones are rare, as they are in jobs. */
		states[i] = (uint8_t)draw(seed, draw(seed, 50) ? 6 : TRACK_STATES);
	}
	for (size_t i = 0; i < n; i++) {
		lengths[i] = lengths[i] < left - (int64_t)(n - i) ? lengths[i] : 0;
		left -= lengths[i];
	}
	give(made, row, states, lengths, n);
	free(lengths);
	free(states);
}

static void release(struct made *made)
{
	for (size_t i = 0; i < made->tracks.n; i++) {
		free((void *)(uintptr_t)made->at[i].spans);
		free((void *)(uintptr_t)made->at[i].events);
	}
	free(made->at);
	free(made);
}

/* The same by looking at all. */
static struct bin count_bin(const struct tracks *tracks, size_t row, int64_t from, int64_t to)
{
	const struct track *track = &tracks->at[row];
	struct bin bin = {.state = TRACK_NODATA};
	int64_t lasts[TRACK_STATES], width = to - from, most = -1;

	memset(lasts, 0xff, sizeof(lasts));
	for (size_t i = 0; i < track->nspans; i++) {
		const struct track_span *span = &track->spans[i];
		int64_t a = span->from > from ? span->from : from;
		int64_t b = span->to < to ? span->to : to;
		bool point = span->from == span->to && from <= span->from &&
			     (span->from < to || to >= tracks->to);

		if (b <= a && !point)
			continue;
		lasts[span->state] = (lasts[span->state] < 0 ? 0 : lasts[span->state]) + b - a;
	}
	for (int state = 0; state < TRACK_STATES; state++) {
		bool ordinary = state >= TRACK_COMPUTE && state <= TRACK_DEVICE;

		if (lasts[state] < 0 || (ordinary && lasts[state] < most))
			continue;
		bin.state = (enum track_state)state;
		most = ordinary ? lasts[state] : -1;
	}
	most = lasts[bin.state];
	for (size_t i = 0; i < track->nevents; i++) {
		const struct track_event *event = &track->events[i];

		if (event->when < from || (event->when >= to && to < tracks->to))
			continue;
		bin.marks[TRACK_MARK_ENTERED] |= event->kind == TRACK_ENTER;
		bin.marks[TRACK_MARK_STEP] |= event->kind == TRACK_STEP;
		bin.marks[TRACK_MARK_EXCEPTION] |= event->kind == TRACK_EXCEPTION;
	}
	most = most * 255 / width;
	bin.share = most < 1 ? 1 : (uint8_t)most;
	return bin;
}

/* How long the longest span in that state lies in the cell. */
static int64_t count_longest(
	const struct track *track, enum track_state state, int64_t from, int64_t to)
{
	int64_t longest = 0;

	for (size_t i = 0; i < track->nspans; i++) {
		const struct track_span *span = &track->spans[i];
		int64_t a = span->from > from ? span->from : from;
		int64_t b = span->to < to ? span->to : to;

		if (span->state == state && b - a > longest)
			longest = b - a;
	}
	return longest;
}

static void expect_bin(const struct pyramid *pyramid, const struct tracks *tracks, size_t row,
	int64_t from, int64_t to)
{
	struct bin bin = pyramid_bin(pyramid, row, from, to);
	struct bin wanted = count_bin(tracks, row, from, to);
	int64_t a, b;

	assert_int_equal(bin.state, wanted.state);
	assert_int_equal(bin.share, wanted.share);
	assert_memory_equal(bin.marks, wanted.marks, sizeof(bin.marks));
	assert_int_equal(!bin.span, bin.state >= TRACK_COMPUTE && bin.state <= TRACK_ORDINARY);
	if (!bin.span)
		return;
	assert_int_equal(bin.span->state, bin.state);
	a = bin.span->from > from ? bin.span->from : from;
	b = bin.span->to < to ? bin.span->to : to;
	assert_int_equal(b > a ? b - a : 0,
		count_longest(&tracks->at[row], bin.state, from, to));
	assert_true(bin.span->from < to || to >= tracks->to);
	assert_true(bin.span->to >= from);
}

static void a_cell_is_all_that_lies_under_it(void **state)
{
	static const size_t lengths[] = {1, 2, 3, 15, 16, 17, 31, 33, 255, 256, 257, 300, 5000};
	const size_t n = sizeof(lengths) / sizeof(*lengths);
	struct made *made = make(n, 1000003);
	struct pyramid *pyramid;
	uint32_t seed = 41;

	for (size_t row = 0; row < n; row++)
		give_some(made, row, lengths[row], &seed);
	pyramid = pyramid_new(&made->tracks);
	for (int i = 0; i < 4000; i++) {
		uint32_t width = 1 + draw(&seed, 1u << draw(&seed, 20));
		int64_t from = FROM + draw(&seed, 1000003);
		int64_t to = from + width;

		if (to > made->tracks.to)
			to = made->tracks.to;
		expect_bin(pyramid, &made->tracks, draw(&seed, (uint32_t)n), from, to);
	}
	/* Cells that begin where a span of no width is. */
	for (size_t row = 0; row < n; row++)
		for (size_t i = 0; i < made->at[row].nspans; i += 7)
			if (made->at[row].spans[i].from < made->tracks.to)
				expect_bin(pyramid, &made->tracks, row, made->at[row].spans[i].from,
					made->at[row].spans[i].from + 3);
	for (size_t row = 0; row < n; row++) {
		expect_bin(pyramid, &made->tracks, row, FROM, FROM + 1000003);
		expect_bin(pyramid, &made->tracks, row, FROM, FROM + 1);
		expect_bin(pyramid, &made->tracks, row, FROM + 1000002, FROM + 1000003);
	}
	pyramid_free(pyramid);
	release(made);
}

/* Cells that are asked side by side are what each of them is by itself. */
static void states_side_by_side_are_those_of_the_cells(void **state)
{
	static const size_t lengths[] = {1, 2, 9, 64, 300, 5000};
	const size_t n = sizeof(lengths) / sizeof(*lengths);
	struct made *made = make(n, 1000003);
	struct pyramid *pyramid;
	uint32_t seed = 43;
	int64_t edges[101];
	uint8_t states[100];

	for (size_t row = 0; row < n; row++)
		give_some(made, row, lengths[row], &seed);
	pyramid = pyramid_new(&made->tracks);
	for (int i = 0; i < 300; i++) {
		int64_t step = 1 + draw(&seed, 1u << draw(&seed, 14));
		int64_t from = FROM - 500 + draw(&seed, 1000003);
		size_t row = draw(&seed, (uint32_t)n);

		for (int k = 0; k <= 100; k++)
			edges[k] = from + k * step;
		pyramid_states(pyramid, row, edges, 100, states);
		for (int k = 0; k < 100; k++)
			assert_int_equal(states[k],
				pyramid_bin(pyramid, row, edges[k], edges[k + 1]).state);
	}
	pyramid_free(pyramid);
	release(made);
}

/* Whatever the zoom, one of the cells side by side shows it, and those it lies in do. */
static void a_loss_of_one_event_is_seen_at_every_zoom(void **state)
{
	struct made *made = make(1, 1000000);
	struct pyramid *pyramid;
	int64_t lengths[1001];
	uint8_t states[1001];

	for (int i = 0; i < 1001; i++) {
		lengths[i] = i == 500 ? 1 : 999;
		states[i] = i == 500 ? TRACK_LOST : i % 2 ? TRACK_COLLECTIVE : TRACK_WAITING;
	}
	give(made, 0, states, lengths, 1001);
	pyramid = pyramid_new(&made->tracks);
	for (int64_t width = 1000000; width > 10; width = width * 2 / 3) {
		uint32_t counts[TRACK_STATES];
		int seen = 0, counted = 0;

		for (int64_t at = FROM; at < FROM + 1000000; at += width) {
			bool in_it = at <= FROM + 499500 && FROM + 499500 < at + width;
			struct bin bin = pyramid_bin(pyramid, 0, at, at + width);

			assert_int_equal(bin.state == TRACK_LOST, in_it);
			seen += bin.state == TRACK_LOST;
			pyramid_tally(pyramid, at, at + width, counts);
			counted += (int)counts[TRACK_LOST];
		}
		assert_int_equal(seen, 1);
		/* The strip is that fine down to a few thousandths of the whole. */
		if (width > 600)
			assert_in_range(counted, 1, 2);
	}
	pyramid_free(pyramid);
	release(made);
}

static void a_death_of_no_width_at_the_end_is_seen(void **state)
{
	const uint8_t states[] = {TRACK_BLOCKED, TRACK_DEAD};
	const int64_t lengths[] = {1000, 0};
	struct made *made = make(1, 1000);
	struct pyramid *pyramid;
	uint32_t counts[TRACK_STATES];
	struct bin bin;

	give(made, 0, states, lengths, 2);
	pyramid = pyramid_new(&made->tracks);
	bin = pyramid_bin(pyramid, 0, FROM, FROM + 1000);
	assert_int_equal(bin.state, TRACK_DEAD);
	assert_int_equal(bin.share, 1);
	assert_int_equal(pyramid_bin(pyramid, 0, FROM + 990, FROM + 1000).state, TRACK_DEAD);
	assert_int_equal(pyramid_bin(pyramid, 0, FROM + 990, FROM + 999).state, TRACK_BLOCKED);
	assert_int_equal(pyramid_bin(pyramid, 0, FROM + 1000, FROM + 1001).state, TRACK_DEAD);
	pyramid_tally(pyramid, FROM + 900, FROM + 1000, counts);
	assert_int_equal(counts[TRACK_DEAD], 1);
	assert_int_equal(counts[TRACK_BLOCKED], 0);
	pyramid_free(pyramid);
	release(made);
}

static void outside_of_the_time_is_nothing(void **state)
{
	const uint8_t states[] = {TRACK_WAITING};
	const int64_t lengths[] = {0};
	struct made *made = make(1, 1000);
	uint32_t counts[TRACK_STATES];
	struct pyramid *pyramid;

	give(made, 0, states, lengths, 1);
	pyramid = pyramid_new(&made->tracks);
	assert_null(pyramid_bin(pyramid, 0, FROM - 10, FROM).span);
	assert_null(pyramid_bin(pyramid, 0, FROM + 1000, FROM + 1010).span);
	assert_null(pyramid_bin(pyramid, 0, FROM + 2000, FROM + 2000).span);
	assert_int_equal(pyramid_bin(pyramid, 0, FROM - 10, FROM + 1).state, TRACK_WAITING);
	assert_int_equal(pyramid_bin(pyramid, 0, FROM + 5, FROM + 5).state, TRACK_WAITING);
	assert_int_equal(pyramid_bin(pyramid, 0, FROM + 9, FROM + 5).state, TRACK_WAITING);
	assert_int_equal(pyramid_bin(pyramid, 0, INT64_MIN, INT64_MAX).state, TRACK_WAITING);
	pyramid_tally(pyramid, FROM - 10, FROM, counts);
	assert_int_equal(counts[TRACK_WAITING], 0);
	pyramid_tally(pyramid, INT64_MIN, INT64_MAX, counts);
	assert_int_equal(counts[TRACK_WAITING], 1);
	pyramid_free(pyramid);
	release(made);
}

/* -- how many are in which state --------------------------------------------------------------- */

/* Ranks go into waiting one after another: every column of the strip has the right number. */
static void the_census_follows_a_job_into_its_hang(void **state)
{
	const size_t n = 200;
	struct made *made = make(n, 1000000);
	struct pyramid *pyramid;

	for (size_t i = 0; i < n; i++) {
		const uint8_t states[] = {TRACK_COMPUTE, TRACK_WAITING};
		const int64_t lengths[] = {1 + (int64_t)i * 4000, 0};

		give(made, i, states, lengths, 2);
	}
	pyramid = pyramid_new(&made->tracks);
	for (int64_t width = 1000; width <= 50000; width += 1700)
		for (int64_t at = 0; at + width <= 1000000; at += width) {
			uint32_t counts[TRACK_STATES], wanted = 0;

			for (size_t i = 0; i < n; i++)
				wanted += 1 + (int64_t)i * 4000 < at + width;
			pyramid_tally(pyramid, FROM + at, FROM + at + width, counts);
			/* Its bins end within a quarter of the window from its end. */
			assert_in_range(counts[TRACK_WAITING],
				wanted - (uint32_t)(width / 4 / 4000 + 1), wanted + 1);
			assert_int_equal(counts[TRACK_COMPUTE] + counts[TRACK_WAITING], n);
		}
	pyramid_free(pyramid);
	release(made);
}

/* The worst that a rank was in at an instant: also what began and ended there. */
static enum track_state worst_at(const struct track *track, int64_t when)
{
	enum track_state worst = track_at(track, when)->state;

	for (size_t i = 0; i < track->nspans && track->spans[i].from <= when; i++)
		if (track->spans[i].from == when && track->spans[i].state > worst)
			worst = track->spans[i].state;
	return worst;
}

/* The same by looking at each instant. */
static void count_instants(const struct tracks *tracks, int64_t from, int64_t last,
	uint32_t wanted[TRACK_STATES])
{
	memset(wanted, 0, TRACK_STATES * sizeof(*wanted));
	for (int64_t when = from; when <= last; when++) {
		uint32_t counts[TRACK_STATES] = {0}, sum = 0;

		for (size_t row = 0; row < tracks->n; row++)
			counts[worst_at(&tracks->at[row], when)]++;
		for (unsigned i = TRACK_STATES; i-- > 0;) {
			sum += counts[i];
			wanted[i] = sum > wanted[i] ? sum : wanted[i];
		}
	}
	for (unsigned i = 0; i + 1 < TRACK_STATES; i++)
		wanted[i] -= wanted[i + 1];
}

/* Below the finest bin it is exact, at each instant. */
static void the_census_is_exact_where_it_is_narrow(void **state)
{
	const size_t n = 40;
	struct made *made = make(n, 100000000);
	struct pyramid *pyramid;
	uint32_t seed = 7;

	for (size_t i = 0; i < n; i++)
		give_some(made, i, 100, &seed);
	pyramid = pyramid_new(&made->tracks);
	for (int i = 0; i < 2000; i++) {
		uint32_t counts[TRACK_STATES], wanted[TRACK_STATES];
		int64_t at = FROM + draw(&seed, 100000000);

		count_instants(&made->tracks, at, at, wanted);
		pyramid_tally(pyramid, at, at + 1, counts);
		assert_memory_equal(counts, wanted, sizeof(counts));
	}
	pyramid_free(pyramid);
	release(made);
}

/* Windows of less than four of the finest bins, with some changes in them and with very many. */
static void no_instant_of_a_narrow_window_is_left_out(void **state)
{
	static const size_t changes[] = {20, 300, 4000};
	uint32_t seed = 13;

	for (size_t k = 0; k < 3; k++) {
		struct made *made = make(25, 1000003); /* bins of 62 ns */
		struct pyramid *pyramid;

		for (size_t i = 0; i < made->tracks.n; i++)
			give_some(made, i, changes[k], &seed);
		pyramid = pyramid_new(&made->tracks);
		for (int i = 0; i < 300; i++) {
			uint32_t counts[TRACK_STATES], wanted[TRACK_STATES];
			int64_t width = 1 + draw(&seed, 240);
			int64_t at = FROM + (i < 9 ? 1000003 - width - i % 3
						   : draw(&seed, (uint32_t)(1000003 - width)));
			bool end = at + width == made->tracks.to;

			count_instants(&made->tracks, at, at + width - !end, wanted);
			pyramid_tally(pyramid, at, at + width, counts);
			assert_memory_equal(counts, wanted, sizeof(counts));
		}
		pyramid_free(pyramid);
		release(made);
	}
}

/* All at once, for a moment in the middle of a cell, at neither of whose edges anybody is. */
static void a_moment_between_two_edges_is_counted(void **state)
{
	const uint8_t states[] = {TRACK_COMPUTE, TRACK_BLOCKED, TRACK_COMPUTE};
	struct made *made = make(3000, INT64_C(16384) * 1000);
	uint32_t counts[TRACK_STATES];
	struct pyramid *pyramid;

	for (size_t i = 0; i < made->tracks.n; i++)
		give(made, i, states, (const int64_t[]){500000, 1 + (int64_t)i % 2, 0}, 3);
	pyramid = pyramid_new(&made->tracks);
	for (int64_t before = 1; before < 1999; before += 37) {
		pyramid_tally(pyramid, FROM + 500000 - before, FROM + 502000 - before, counts);
		assert_int_equal(counts[TRACK_BLOCKED], 3000);
		assert_int_equal(counts[TRACK_COMPUTE], 0);
	}
	pyramid_free(pyramid);
	release(made);
}

/* Of times since 1970 a double has but every 256th ns: within fewer it has to be exact as well. */
static void the_census_is_exact_in_the_shortest_jobs(void **state)
{
	static const size_t ranks[] = {1, 33, 1024, 10000};
	static const int64_t lasts[] = {1, 2, 7, 100, 255, 256, 257, 1000, 5003, 16385, 70001};
	uint32_t seed = 11;

	for (size_t k = 0; k < sizeof(ranks) / sizeof(*ranks) * 11; k++) {
		struct made *made = make(ranks[k / 11], lasts[k % 11]);
		uint32_t all = (uint32_t)lasts[k % 11] + 1;
		struct pyramid *pyramid;

		for (size_t i = 0; i < made->tracks.n; i++) {
			uint8_t states[] = {TRACK_NODATA, (uint8_t)draw(&seed, TRACK_STATES),
				(uint8_t)draw(&seed, TRACK_STATES), TRACK_WAITING};
			uint32_t first = draw(&seed, all), second = draw(&seed, all - first);
			const int64_t lengths[] = {first, second, 0, 0};

			give(made, i, states, lengths, 4);
		}
		pyramid = pyramid_new(&made->tracks);
		for (int i = 0; i < 30; i++) {
			uint32_t counts[TRACK_STATES], wanted[TRACK_STATES];
			int64_t at = FROM + (i < 2 ? i * lasts[k % 11] : draw(&seed, all));

			at += at + 1 == made->tracks.to; /* the last cell has the end as well */
			count_instants(&made->tracks, at, at, wanted);
			pyramid_tally(pyramid, at, at + 1, counts);
			assert_memory_equal(counts, wanted, sizeof(counts));
		}
		pyramid_free(pyramid);
		release(made);
	}
}

static void a_job_without_ranks_has_no_cells(void **state)
{
	struct made *made = make(0, 1);
	struct pyramid *pyramid = pyramid_new(&made->tracks);
	uint32_t counts[TRACK_STATES];

	pyramid_tally(pyramid, FROM, FROM + 1, counts);
	for (int i = 0; i < TRACK_STATES; i++)
		assert_int_equal(counts[i], 0);
	pyramid_free(pyramid);
	pyramid_free(NULL);
	release(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_is_all_that_lies_under_it),
		cmocka_unit_test(states_side_by_side_are_those_of_the_cells),
		cmocka_unit_test(a_loss_of_one_event_is_seen_at_every_zoom),
		cmocka_unit_test(a_death_of_no_width_at_the_end_is_seen),
		cmocka_unit_test(outside_of_the_time_is_nothing),
		cmocka_unit_test(the_census_follows_a_job_into_its_hang),
		cmocka_unit_test(the_census_is_exact_where_it_is_narrow),
		cmocka_unit_test(no_instant_of_a_narrow_window_is_left_out),
		cmocka_unit_test(a_moment_between_two_edges_is_counted),
		cmocka_unit_test(the_census_is_exact_in_the_shortest_jobs),
		cmocka_unit_test(a_job_without_ranks_has_no_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
