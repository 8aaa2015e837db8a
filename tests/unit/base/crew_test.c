/* SPDX-License-Identifier: Apache-2.0 */
/* Things that several threads do: each once, by a worker of a right number, and done on return. */
#include "base/crew.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "tests/unit/unit.h"

#define THINGS 100000

struct counting {
	unsigned char done[THINGS]; /* each thing's own */
	size_t by[64];		    /* each worker's own */
	atomic_bool others_open;
	atomic_bool signals_open;
};

static void count(void *context, size_t worker, size_t i)
{
	struct counting *counting = context;

	counting->done[i]++;
	counting->by[worker]++;
}

static void each_thing_is_done_once(void **state)
{
	static const size_t cases[] = {0, 1, 2, 3, 7, 1000, THINGS};

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		static struct counting counting;
		size_t all = 0;

		counting = (struct counting){.by = {0}};
		crew_each(crew_size(cases[c]), cases[c], count, &counting);
		for (size_t i = 0; i < THINGS; i++)
			assert_int_equal(counting.done[i], i < cases[c]);
		for (size_t worker = 0; worker < 64; worker++) {
			assert_true(!counting.by[worker] || worker < crew_size(cases[c]));
			all += counting.by[worker];
		}
		assert_int_equal(all, cases[c]);
	}
}

static void one_processor_is_one_worker(void **state)
{
	cpu_set_t before, one;

	CPU_ZERO(&one);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &before) && !CPU_COUNT(&one))
			CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(crew_size(1000), 1);
	assert_int_equal(crew_size(0), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	assert_true(crew_size(1000) >= 1);
}

/* Who has made room for two has two, whatever processors there are meanwhile. */
static void there_are_no_more_workers_than_was_told(void **state)
{
	for (size_t workers = 0; workers < 20; workers++) {
		static struct counting counting;
		size_t all = 0;

		counting = (struct counting){.by = {0}};
		crew_each(workers, THINGS, count, &counting);
		for (size_t worker = 0; worker < 64; worker++) {
			assert_true(!counting.by[worker] || !worker || worker < workers);
			all += counting.by[worker];
		}
		assert_int_equal(all, THINGS);
	}
}

/* Of the caller they are as they were, of all others blocked. */
static void look_at_signals(void *context, size_t worker, size_t i)
{
	struct counting *counting = context;
	sigset_t mask;

	(void)i;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	if (!worker)
		atomic_store(&counting->signals_open, !sigismember(&mask, SIGINT));
	else if (!sigismember(&mask, SIGINT))
		atomic_store(&counting->others_open, true);
}

static void signals_are_the_callers(void **state)
{
	static struct counting counting;

	atomic_store(&counting.signals_open, true);
	crew_each(crew_size(THINGS), THINGS, look_at_signals, &counting);
	assert_true(counting.signals_open);
	assert_false(counting.others_open);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thing_is_done_once),
		cmocka_unit_test(there_are_no_more_workers_than_was_told),
		cmocka_unit_test(one_processor_is_one_worker),
		cmocka_unit_test(signals_are_the_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
