/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of several pid namespaces that bear one pid and start time, in one census. */
#include "tests/unit/unit.h"

#include "base/alloc.h"
#include "evidence/gather/twins.h"
#include "ring/census-read.h"
#include "ring/census-write.h"

#define OWN (proc_ns_own())

struct one {
	uint32_t pid;
	uint64_t start_time, ns;
	uint32_t here; /* 0: it is gone */
	uint32_t becomes;
};

static void assert_become(const struct one *all, uint32_t n, size_t twins)
{
	struct liveness_census census = {.bytes = alloc_zeroed(1, CENSUS_SIZE),
		.size = CENSUS_SIZE,
		.of = alloc_zeroed(CENSUS_SLOTS, sizeof(*census.of))};
	struct twins found = {0};
	struct census_view view;
	struct census_slot slot;

	census_format(census.bytes);
	census_open(census.bytes);
	for (uint32_t i = 0; i < n; i++) {
		const struct census_who who = {all[i].pid, 1, all[i].start_time, all[i].ns};

		assert_int_equal(census_claim(census.bytes, &who), i);
		census_publish(census.bytes, (int)i, CENSUS_RANK);
		census.of[i] = (struct liveness){
			.here = all[i].here, .there = all[i].here, .state = 'S'};
	}
	twins_tell_apart(&found, &census);
	assert_int_equal(found.all.nr, twins);
	assert_int_equal(census_view_open(&view, census.bytes, census.size), 0);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(census_view_slot(&view, i, &slot), 1);
		assert_int_equal(slot.pid, all[i].becomes);
	}
	array_release(&found.all);
	free(census.bytes);
	free(census.of);
}

static void each_of_another_namespace_has_its_pid_here(void **state)
{
	const struct one two[] = {{1, 100, 7, 501, 501}, {1, 100, 8, 502, 502}};
	const struct one ours[] = {{501, 100, OWN, 501, 501}, {501, 100, 8, 502, 502}};
	const struct one gone[] = {
		{1, 100, 7, 0, 1}, {1, 100, 8, 502, 502}, {1, 100, 9, 503, 503}};

	assert_become(two, 2, 2);
	assert_become(ours, 2, 1);
	assert_become(gone, 3, 2);
	(void)state;
}

static void others_keep_theirs(void **state)
{
	const struct one all[] = {{1, 100, 7, 501, 1}, {1, 101, 8, 502, 1}, {2, 100, 8, 503, 2},
		{9, 100, OWN, 9, 9}, {1, 102, 0, 1, 1}};

	assert_become(all, 5, 0);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_of_another_namespace_has_its_pid_here),
		cmocka_unit_test(others_keep_theirs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
