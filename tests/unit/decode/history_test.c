/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's samples over time. */
#include "decode/decode.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "job/job.h"
#include "tests/decode/forge.h"
#include "tests/unit/process_of.h"
#include "tests/unit/unit.h"

#define PID0 FORGE_PID(0)

static struct job *decoded(struct evidence *evidence)
{
	struct job *job = decode_job(evidence);

	evidence_release(evidence);
	return job;
}

/* Ten samples, a second apart; CPU grew until six seconds ago; it last ran four seconds ago. */
static void history_tells_since_when_it_idles(void **state)
{
	struct evidence evidence = {0};
	struct str text = {0};
	const struct job_process *process;
	struct job *job;

	str_printf(&text, "{\"processes\": [{\"pid\": %u, \"start_time\": %u, \"samples\": [", PID0,
		FORGE_START(0));
	for (int i = 0; i < 10; i++)
		str_printf(&text, "%s[%lld, %d, 100, \"S\", 0, %d, %d]", i ? "," : "",
			(long long)forge_real(9 - i), i < 4 ? 100 * i : 300, 1000 * i,
			i < 5 ? i : 5);
	str_add(&text, "]}]}");
	forge_gather(&evidence);
	forge_census(&evidence, 1, CENSUS_RANK);
	forge_text(&evidence, EXHIBIT_HISTORY, 0, text.text);
	job = decoded(&evidence);
	process = process_of(job, PID0);
	assert_int_equal(process->idle_for, 6 * CLOCK_NS_PER_S);
	assert_int_equal(process->runs, 5);
	assert_int_equal(process->asleep_since, forge_real(4));
	assert_int_equal(process->cpu_delta, 0);
	assert_int_equal(process->write_delta, 2000);
	str_release(&text);
	job_free(job);
}

/* Ten samples, a second apart, of which the last is of a zombie. */
static void history_tells_since_when_it_is_stopped(void **state)
{
	static const struct {
		const char *states;
		int since; /* seconds ago; -1 it was not stopped */
	} cases[] = {{"SSSTTTTTTZ", 6}, {"SSStttttTT", 6}, {"TTTTTTTTTS", -1},
		{"TTTTTTTSTT", 1}, {"SSSSSSSSSS", -1}, {"ZZZZZZZZZZ", -1}};

	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct evidence evidence = {0};
		struct str text = {0};
		struct job *job;

		str_printf(&text,
			"{\"processes\": [{\"pid\": %u, \"start_time\": %u, \"samples\": [", PID0,
			FORGE_START(0));
		for (int i = 0; i < 10; i++)
			str_printf(&text, "%s[%lld, 100, 100, \"%c\", 0]", i ? "," : "",
				(long long)forge_real(9 - i), cases[k].states[i]);
		str_add(&text, "]}]}");
		forge_gather(&evidence);
		forge_census(&evidence, 1, CENSUS_RANK);
		forge_text(&evidence, EXHIBIT_HISTORY, 0, text.text);
		job = decoded(&evidence);
		assert_int_equal(process_of(job, PID0)->stopped_since,
			cases[k].since < 0 ? JOB_UNKNOWN : forge_real(cases[k].since));
		str_release(&text);
		job_free(job);
	}
}

/* A worker that used the CPU until it was killed moves no more. */
static void history_tells_what_children_were_and_how_they_ended(void **state)
{
	struct evidence evidence = {0};
	struct str text = {0};
	const struct job_process *process;
	struct job *job;

	str_printf(&text,
		"{\"processes\": [{\"pid\": 500, \"start_time\": 9000, \"ppid\": %u, "
		"\"comm\": \"python\", \"command\": \"python "
		"/x/torch/_inductor/compile_worker/__main__.py --workers=4 \", "
		"\"ended\": %lld, \"wait_status\": 9, \"samples\": "
		"[[%lld, 100, 100, \"R\", 0, 0], [%lld, 200, 100, \"R\", 0, 0]]}, "
		"{\"pid\": 501, \"start_time\": 9001, \"ppid\": %u, "
		"\"comm\": \"pt_data_worker\", \"command\": \"python train.py \", "
		"\"ended\": %lld, \"samples\": [[%lld, 1, 1, \"S\", 0, 0]]}]}",
		PID0, (long long)forge_real(3), (long long)forge_real(5),
		(long long)forge_real(4), PID0, (long long)forge_real(2),
		(long long)forge_real(4));
	forge_gather(&evidence);
	forge_census(&evidence, 1, CENSUS_RANK);
	forge_text(&evidence, EXHIBIT_HISTORY, 0, text.text);
	job = decoded(&evidence);
	process = process_of(job, 500);
	assert_int_equal(process->role, JOB_ROLE_CHILD);
	assert_int_equal(process->rank.i, 0);
	assert_string_equal(process->what, "inductor compile worker");
	assert_int_equal(process->end, JOB_SIGNALED);
	assert_int_equal(process->status, 9);
	assert_int_equal(process->ended, forge_real(3));
	process = process_of(job, 501);
	assert_string_equal(process->what, "DataLoader worker");
	assert_int_equal(process->end, JOB_GONE);
	str_release(&text);
	job_free(job);
}

#define HOSTS 300 /* far more than are prepared at once */

/* Of that host: bad JSON, damaged, or a process with so many samples that several threads parse. */
static void add_host(struct evidence *evidence, int i)
{
	struct exhibit about = {.kind = EXHIBIT_HISTORY, .rank = -1, .damaged = i % 10 == 3};
	struct str text = {0}, host = {0};
	size_t len;

	str_printf(&host, "host-%03d", i);
	about.host = host.text;
	str_printf(&text, "{\"processes\": [{\"pid\": %d, \"start_time\": 7, \"samples\": [",
		1000 + i);
	for (int k = 0; k < 60; k++)
		str_printf(&text, "%s[%lld, %d, 100, \"S\", 0, 5, %d]", k ? "," : "",
			(long long)forge_real(60 - k), 10 * k, i);
	str_add(&text, i % 10 == 4 ? "]" : "]}]}");
	len = text.len;
	evidence_add(evidence, &about, (uint8_t *)str_detach(&text), len);
	str_release(&host);
}

/* What several threads prepare stays with its exhibit, whatever is wrong with others. */
static void many_histories_are_each_their_own(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	(void)state;
	for (int i = HOSTS; i-- > 0;)
		add_host(&evidence, i);
	job = decoded(&evidence);
	for (int i = 0; i < HOSTS; i++)
		if (i % 10 != 3 && i % 10 != 4)
			assert_int_equal(process_of(job, (uint32_t)(1000 + i))->runs, i);
	assert_int_equal(job->nprocesses, HOSTS / 10 * 8);
	assert_int_equal(job->nlosses, HOSTS / 10 * 2);
	for (size_t i = 0; i < job->nlosses; i++) {
		bool damaged = strtoul(strrchr(job->losses[i].cite, '-') + 1, NULL, 10) % 10 == 3;

		assert_string_equal(job->losses[i].what,
			damaged ? "history: damaged in the bundle" : "history: no valid JSON");
	}
	job_free(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(history_tells_since_when_it_idles),
		cmocka_unit_test(history_tells_since_when_it_is_stopped),
		cmocka_unit_test(history_tells_what_children_were_and_how_they_ended),
		cmocka_unit_test(many_histories_are_each_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
