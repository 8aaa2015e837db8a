/* SPDX-License-Identifier: Apache-2.0 */
/* For how long a thread has slept: never too long, and about right where the kernel tells. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "proc/read.h"
#include "proc/threads/sleep-clock.h"
#include "tests/unit/proc/child.h"

/* What the kernel says of a process now; false: it has no such file. */
static bool read_sched(pid_t pid, char *text, size_t size)
{
	char path[64];
	FILE *file;
	size_t got;

	snprintf(path, sizeof(path), "/proc/%d/sched", (int)pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	got = fread(text, 1, size - 1, file);
	text[got] = '\0';
	fclose(file);
	return strstr(text, "\nse.exec_start") != NULL;
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * CLOCK_NS_PER_MS}, NULL);
}

static void who_sleeps_slept_since_then(void **state)
{
	struct sleep_clock *clock = sleep_clock_new();
	int64_t began = clock_monotonic_ns(), asleep, at_least;
	pid_t pid = child_of(NULL);
	struct procstat stat;
	char text[4096];

	(void)state;
	do
		assert_int_equal(proc_read_stat((struct proc_id){(uint32_t)pid, 0}, &stat), 0);
	while (stat.state != 'S');
	at_least = clock_monotonic_ns();
	pause_ms(300);
	at_least = clock_monotonic_ns() - at_least;
	if (!read_sched(pid, text, sizeof(text)))
		skip();
	asleep = (int64_t)sleep_clock_since(clock, text, stat.processor);
	/* Before it was born it did not sleep; a clock that leaves out interrupts is slower. */
	assert_true(asleep <= clock_monotonic_ns() - began);
	assert_true(asleep >= at_least / 2);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	sleep_clock_free(clock);
}

/* A clock that was read before it ran is behind: then nothing is known, not a negative time. */
static void a_clock_that_has_aged_says_nothing(void **state)
{
	struct sleep_clock *clock = sleep_clock_new();
	pid_t pid = child_of(NULL);
	struct procstat stat;
	char text[4096];

	(void)state;
	assert_int_equal(proc_read_stat((struct proc_id){(uint32_t)pid, 0}, &stat), 0);
	(void)sleep_clock_since(clock, "x\nse.exec_start : 1.000000\n", stat.processor);
	pause_ms(50);
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	if (!read_sched(pid, text, sizeof(text)))
		skip();
	assert_int_equal(proc_read_stat((struct proc_id){(uint32_t)pid, 0}, &stat), 0);
	assert_true(sleep_clock_since(clock, text, stat.processor) < CLOCK_NS_PER_S);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	sleep_clock_free(clock);
}

static void what_is_no_time_is_not_known(void **state)
{
	static const char *const texts[] = {"", "cat (1, #threads: 1)\n", "x\nse.exec_start",
		"x\nse.exec_start : \n", "x\nse.exec_start : 0.000000\n",
		"x\nse.exec_start : 99999999999999999999999.000000\n"};
	struct sleep_clock *clock = sleep_clock_new();

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(sleep_clock_since(clock, texts[i], 0), 0);
	/* A processor that nobody has. */
	assert_int_equal(sleep_clock_since(clock, "x\nse.exec_start : 1.000000\n", 4000), 0);
	assert_int_equal(sleep_clock_since(clock, "x\nse.exec_start : 1.000000\n", 1u << 31), 0);
	sleep_clock_free(clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_sleeps_slept_since_then),
		cmocka_unit_test(a_clock_that_has_aged_says_nothing),
		cmocka_unit_test(what_is_no_time_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
