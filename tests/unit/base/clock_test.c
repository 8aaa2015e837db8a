/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <time.h>

#include "tests/unit/unit.h"

#define MS CLOCK_NS_PER_MS
#define S  CLOCK_NS_PER_S

static void durations_read_as_people_say_them(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} expected[] = {
		{0, "0.0 ms"},
		{3456 * CLOCK_NS_PER_US, "3.4 ms"},
		{10 * MS - 1, "9.9 ms"},
		{10 * MS, "10 ms"},
		{S - 1, "999 ms"},
		{S, "1 s"},
		{41 * S + 250 * MS, "41.2 s"},
		{60 * S - 1, "59.9 s"},
		{60 * S, "1:00"},
		{668 * S + 900 * MS, "11:08"},
		{3600 * S - 1, "59:59"},
		{3600 * S, "1:00:00"},
		{3723 * S, "1:02:03"},
		{360000 * S, "100:00:00"},
		{-41 * S - 200 * MS, "-41.2 s"},
		{INT64_MAX, "2562047:47:16"},
		{INT64_MIN, "-2562047:47:16"},
	};
	char text[CLOCK_TEXT_SIZE];

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_string_equal(clock_format(expected[i].ns, text), expected[i].text);
}

static void durations_are_read_as_people_type_them(void **state)
{
	static const struct {
		const char *text;
		double seconds; /* -1: it is none */
	} expected[] = {{"30", 30}, {"0.5", 0.5}, {"30s", 30}, {"5m", 300}, {"1.5h", 5400},
		{"0", 0}, {"", -1}, {"s", -1}, {"5x", -1}, {"5 s", -1}, {"-1", -1}, {"1e3", -1},
		{"0x10", -1}, {"nan", -1}, {"inf", -1}, {"1.2.3", -1}, {"5ms", -1}, {"7201", -1},
		{"3h", -1}};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		double seconds = -1;
		bool is = clock_read_seconds(expected[i].text, 0, 7200, &seconds);

		assert_int_equal(is, expected[i].seconds >= 0);
		if (is)
			assert_true(seconds == expected[i].seconds);
	}
	assert_false(clock_read_seconds("0", 0.1, 10, &(double){0}));
	(void)state;
}

static void clocks_go_forward_and_tell_todays_date(void **state)
{
	int64_t monotonic = clock_monotonic_ns();
	int64_t boottime = clock_boottime_ns();
	time_t now = time(NULL);

	assert_true(monotonic > 0);
	assert_true(boottime > 0);
	assert_true(clock_monotonic_ns() >= monotonic);
	assert_true(clock_boottime_ns() >= boottime);
	assert_true(clock_realtime_ns() / S >= now - 60);
	assert_true(clock_realtime_ns() / S <= now + 3600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_read_as_people_say_them),
		cmocka_unit_test(durations_are_read_as_people_type_them),
		cmocka_unit_test(clocks_go_forward_and_tell_todays_date),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
