/* SPDX-License-Identifier: Apache-2.0 */
/* A bound on memory, and arithmetic on numbers that strangers tell. */
#include "base/meter.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "tests/unit/unit.h"

#define MIB ((uint64_t)1 << 20)

static void of_sizes(void **unused)
{
	static const struct {
		const char *text;
		uint64_t bytes; /* 0: refused */
	} sizes[] = {
		{"512M", 512 * MIB},
		{"512MiB", 512 * MIB},
		{"512m", 512 * MIB},
		{"4G", 4096 * MIB},
		{"1.5G", 1536 * MIB},
		{"1000000", 1000000},
		{"64kB", 65536},
		{"0", 0},
		{"-1G", 0},
		{"", 0},
		{"G", 0},
		{"5X", 0},
		{"5GG", 0},
		{"5G ", 0},
		{"nan", 0},
		{"inf", 0},
		{"1e30", 0},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint64_t bytes = 0;

		assert_int_equal(meter_parse(sizes[i].text, &bytes), sizes[i].bytes != 0);
		assert_int_equal(bytes, sizes[i].bytes);
	}
}

/* What was asked for and never touched does not count once it matters. */
static void of_what_is_held(void **unused)
{
	struct meter meter = {.most = meter_held() + 512 * MIB};

	(void)unused;
	assert_true(meter_held() > 0);
	meter.most *= 2;
	for (int i = 0; i < 100; i++)
		assert_true(meter_admits(&meter, 64 * MIB, METER_READING));
	assert_false(meter_admits(&meter, meter.most, METER_READING));
	assert_true(meter_admits(&meter, meter.most / 8 * 5, METER_DECODING) ||
		    meter_held() > meter.most / 8);
}

/* And what was touched does. */
static void of_what_was_touched(void **unused)
{
	struct meter meter = {.most = 2 * (meter_held() + 96 * MIB)};
	char *memory = malloc(64 * MIB);

	(void)unused;
	assert_non_null(memory);
	assert_true(meter_admits(&meter, 64 * MIB, METER_READING));
	memset(memory, 1, 64 * MIB);
	assert_false(meter_admits(&meter, 64 * MIB, METER_READING));
	assert_true(meter_admits(&meter, 64 * MIB, METER_DECODING));
	assert_int_equal(memory[MIB], 1);
	free(memory);
}

/* What one worker was admitted counts when others look, touched or not; until it asks again. */
static void of_workers(void **unused)
{
	struct meter meter = {.most = 2 * (meter_held() + 96 * MIB)};
	struct meter one = meter_of_worker(&meter), other = meter_of_worker(&meter);

	(void)unused;
	assert_true(meter_admits(&one, 64 * MIB, METER_READING));
	assert_false(meter_admits(&other, 64 * MIB, METER_READING));
	assert_true(meter_admits(&other, 16 * MIB, METER_READING));
	assert_false(meter_admits(&one, 88 * MIB, METER_READING));
	meter_join(&other);
	assert_true(meter_admits(&one, 88 * MIB, METER_READING));
	meter_join(&one);
	assert_true(meter_admits(&meter, 88 * MIB, METER_READING));
}

static void of_workers_without_bound(void **unused)
{
	struct meter unbound = {0}, of_none = meter_of_worker(NULL);
	struct meter of_one = meter_of_worker(&unbound);

	(void)unused;
	assert_true(meter_admits(&of_none, UINT64_MAX, METER_READING));
	assert_true(meter_admits(&of_one, UINT64_MAX, METER_READING));
	meter_join(&of_none);
	meter_join(&of_one);
}

static void of_no_bound(void **unused)
{
	struct meter meter = {0};

	(void)unused;
	assert_true(meter_admits(NULL, UINT64_MAX, METER_READING));
	assert_true(meter_admits(&meter, UINT64_MAX, METER_READING));
}

static void of_sums(void **unused)
{
	(void)unused;
	assert_int_equal(checked_add(2, 3), 5);
	assert_int_equal(checked_add(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(checked_add(-INT64_MAX, -1), -INT64_MAX);
	assert_int_equal(checked_sub(INT64_MIN, 1), -INT64_MAX);
	assert_int_equal(checked_sub(0, INT64_MIN), INT64_MAX);
	assert_int_equal(checked_mul(INT64_MAX, 10), INT64_MAX);
	assert_int_equal(checked_mul(INT64_MAX, -10), -INT64_MAX);
	assert_int_equal(checked_mul(INT64_MIN, 1), -INT64_MAX);
	assert_int_equal(checked_mul(-7, -6), 42);
	assert_int_equal(checked_count(UINT64_MAX), INT64_MAX);
	assert_int_equal(checked_time(-1, 0), 0);
	assert_int_equal(checked_time(INT64_MAX, INT64_MIN), INT64_MIN);
	assert_int_equal(checked_time(CHECKED_TIME_MOST, 0), CHECKED_TIME_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_sizes),
		cmocka_unit_test(of_what_is_held),
		cmocka_unit_test(of_workers),
		cmocka_unit_test(of_what_was_touched),
		cmocka_unit_test(of_workers_without_bound),
		cmocka_unit_test(of_no_bound),
		cmocka_unit_test(of_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
