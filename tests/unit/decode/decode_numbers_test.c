/* SPDX-License-Identifier: Apache-2.0 */
/* The largest numbers that a stranger can write: nothing wraps; times that cannot be are none. */
#include "decode/decode.h"
#include "decode/exhibits/joblog-lines.h"

#include <string.h>

#include "base/procstat.h"
#include "job/job.h"
#include "tests/decode/forge.h"
#include "tests/unit/unit.h"

#define PID   FORGE_PID(0)
#define MOST  "9223372036854775807"
#define LEAST "-9223372036854775808"

static void add_stat(struct evidence *evidence, const char *ticks, const char *pages, double when)
{
	char text[400];

	snprintf(text, sizeof(text),
		"%u (x) S 42 1 1 0 -1 0 0 0 0 0 %s %s %s %s 20 0 3 0 %u 1000 %s\n", PID, ticks,
		ticks, ticks, ticks, FORGE_START(0), pages);
	forge_text(evidence, EXHIBIT_PROC_STAT, PID, text)->when = forge_real(when);
}

static struct job *decoded(struct evidence *evidence)
{
	struct job *job = decode_job(evidence);

	evidence_release(evidence);
	return job;
}

static void ticks_are_summed_up_to_the_end(void **state)
{
	const char text[] = "7 (x) S 1 2 3 4 5 6 7 8 9 10 " MOST " " MOST " " MOST " " MOST
			    " 20 0 3 0 5555 1000 " MOST "\n";
	struct procstat stat;

	assert_true(procstat_parse(text, strlen(text), &stat));
	assert_int_equal(stat.cpu_ticks, INT64_MAX);
	assert_int_equal(stat.reaped_ticks, INT64_MAX);
}

static void counters_of_a_process_do_not_wrap(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	add_stat(&evidence, "1", "1", 0.5);
	add_stat(&evidence, MOST, MOST, 0);
	forge_text(&evidence, EXHIBIT_PROC_IO, PID, "wchar: " MOST "\n");
	job = decoded(&evidence);
	assert_int_equal(job->nprocesses, 1);
	assert_int_equal(job->processes[0].rss, INT64_MAX);
	assert_int_equal(job->processes[0].cpu_delta, INT64_MAX);
	job_free(job);
}

/* The least of all numbers stands for none; from the next one on it is more than a number holds. */
static void kills_do_not_wrap(void **state)
{
	static const struct {
		const char *before;
		int64_t kills;
	} cases[] = {{LEAST, JOB_UNKNOWN}, {"-" MOST, INT64_MAX}, {"0", INT64_MAX}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct evidence evidence = {0};
		struct exhibit *launch;
		struct job *job;
		char text[200];

		snprintf(text, sizeof(text),
			"{\"cgroups\": [{\"first\": \"path a\\nmemory.events.oom_kill %s\\n\"}]}",
			cases[i].before);
		forge_gather(&evidence);
		launch = forge_text(&evidence, EXHIBIT_HISTORY, 0, text);
		launch->when = forge_real(5);
		forge_text(&evidence, EXHIBIT_CGROUP, 0,
			"path a\nmemory.events.oom_kill " MOST "\nx\n");
		job = decoded(&evidence);
		assert_int_equal(job->nhosts, 1);
		assert_true(job->hosts[0].oom_kills == cases[i].kills);
		job_free(job);
	}
}

static void times_that_cannot_be_are_not_believed(void **state)
{
	struct evidence evidence = {0};
	const struct exhibit about = {.kind = EXHIBIT_PROC_WCHAN, .pid = PID, .when = INT64_MIN};
	struct job *job;

	assert_int_equal(evidence_add(&evidence, &about, alloc_copy("x", 1), 1)->when, 0);
	forge_text(&evidence, EXHIBIT_GATHER, 0,
		"{\"tsc\": 1, \"monotonic\": " MOST ", \"realtime\": " MOST ", \"boottime\": " LEAST
		", \"clk_tck\": " MOST ", \"page_size\": " MOST "}");
	forge_text(&evidence, EXHIBIT_HISTORY, 0,
		"{\"processes\": [{\"pid\": 9, \"start_time\": " MOST ", \"ended\": " MOST
		", \"samples\": [[" MOST ", " MOST ", " MOST ", \"S\", 0, " MOST ", " MOST "], "
		"[" LEAST ", 1, 1, \"S\", 0, 1, 1], [5, 1, 1, \"S\", 0, 1, 1]]}]}");
	job = decoded(&evidence);
	for (size_t i = 0; i < job->nprocesses; i++)
		assert_true(job->processes[i].ended == JOB_UNKNOWN ||
			    job->processes[i].ended <= INT64_MAX / 2);
	job_free(job);
}

/* One that no clock shows: the agent is of those of whom nobody knows when they were there. */
static void beats_that_cannot_be_are_not_believed(void **state)
{
	struct evidence evidence = {0};
	struct census_header *header;
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 1, CENSUS_RANK);
	header = (void *)evidence.at[evidence.n - 1].bytes;
	header->agent_pid = 77;
	header->agent_beat = INT64_MAX - 1;
	header->created_realtime = (uint64_t)INT64_MAX / 2 + 1;
	job = decoded(&evidence);
	assert_int_equal(job->nhosts, 1);
	assert_int_equal(job->hosts[0].agent_beat, JOB_UNKNOWN);
	assert_int_equal(job->launched, JOB_UNKNOWN);
	job_free(job);
}

/* A line behind them has the next number: of the largest there is none, and it stays words. */
static void a_line_of_a_log_has_no_number_that_cannot_be(void **state)
{
	static const struct {
		const char *line, *words;
		int64_t number;
	} lines[] = {
		{"7\tstep 1", "step 1", 7},
		{MOST "\tstep 1", MOST "\tstep 1", 3},
		{LEAST "\tstep 1", LEAST "\tstep 1", 3},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		int64_t number = 3; /* that of the line before */

		assert_string_equal(
			joblog_lines_unnumbered(lines[i].line, &number), lines[i].words);
		assert_int_equal(number, lines[i].number);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_are_summed_up_to_the_end),
		cmocka_unit_test(counters_of_a_process_do_not_wrap),
		cmocka_unit_test(kills_do_not_wrap),
		cmocka_unit_test(times_that_cannot_be_are_not_believed),
		cmocka_unit_test(beats_that_cannot_be_are_not_believed),
		cmocka_unit_test(a_line_of_a_log_has_no_number_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
