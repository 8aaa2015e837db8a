/* SPDX-License-Identifier: Apache-2.0 */
/* When a job is over: each node may have a launch of its own, and tells of no other one's end. */
#include "decode/decode.h"

#include <string.h>

#include "job/job.h"
#include "tests/decode/forge.h"
#include "tests/unit/unit.h"

static void add_manifest(struct evidence *evidence, const char *host, const char *text)
{
	const struct exhibit about = {.kind = EXHIBIT_MANIFEST,
		.host = (char *)host,
		.rank = -1,
		.when = FORGE_T0_REAL};

	evidence_add(evidence, &about, alloc_copy(text, strlen(text)), strlen(text));
}

static void the_job_is_over_when_its_last_launch_is(void **state)
{
	static const struct {
		const char *one, *other;
		enum job_known ended;
		int exit_status;
	} cases[] = {
		{"{\"job\": \"j\", \"exit_status\": 1}", "{\"job\": \"j\"}", JOB_MAYBE, 1},
		{"{\"job\": \"j\"}", "{\"job\": \"j\", \"exit_status\": 0}", JOB_MAYBE, 0},
		{"{\"job\": \"j\", \"exit_status\": 1}", "{\"job\": \"j\", \"exit_status\": 0}",
			JOB_YES, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct evidence evidence = {0};
		struct job *job;

		add_manifest(&evidence, "hostA", cases[i].one);
		add_manifest(&evidence, "hostB", cases[i].other);
		job = decode_job(&evidence);
		assert_int_equal(job->ended, cases[i].ended);
		assert_int_equal(job->exit_status, cases[i].exit_status);
		job_free(job);
		evidence_release(&evidence);
	}
	(void)state;
}

/* A bundle from before a rank ended, beside one with the list of ends: only a later look denies. */
static void the_end_counts_that_came_after_the_look(void **state)
{
	static const struct {
		double after; /* s between the look and the end */
		const char *end;
		enum job_end expected;
	} cases[] = {
		{20, "\"wait_status\": 256, ", JOB_EXITED},
		{20, "", JOB_GONE},
		{-20, "\"wait_status\": 256, ", JOB_ALIVE},
		{-20, "", JOB_ALIVE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct evidence evidence = {0};
		const struct job_process *process;
		char text[256];
		struct job *job;

		snprintf(text, sizeof(text),
			"{\"exits\": [{\"pid\": %u, \"start_time\": %u, %s\"when\": %lld}]}",
			FORGE_PID(0), FORGE_START(0), cases[i].end,
			(long long)forge_real(-cases[i].after));
		forge_gather(&evidence);
		forge_census(&evidence, 1, CENSUS_RANK);
		forge_liveness(&evidence, 0, true);
		forge_text(&evidence, EXHIBIT_EXIT, 0, text);
		job = decode_job(&evidence);
		process = &job->processes[job->ranks[0].process];
		assert_int_equal(process->end, cases[i].expected);
		assert_int_equal(process->ended,
			cases[i].after > 0 ? forge_real(-cases[i].after) : JOB_UNKNOWN);
		job_free(job);
		evidence_release(&evidence);
	}
	(void)state;
}

/* Two agents of one host took their ranks' evidence 30 s apart: each rank has its own "now". */
static void each_rank_was_looked_at_when_its_ring_was(void **state)
{
	struct evidence evidence = {0};
	struct exhibit *ring;
	struct job *job;

	for (int later = 0; later < 2; later++) {
		forge_gather_before(&evidence, later * 30);
		ring = forge_ring(&evidence, forge_rank((uint32_t)later));
		ring->when = forge_real(later * 30) + 2000000;
	}
	job = decode_job(&evidence);
	assert_int_equal(job->nranks, 2);
	assert_int_equal(job->hosts[0].gathered, FORGE_T0_REAL);
	for (int rank = 0; rank < 2; rank++)
		assert_int_equal(
			job_looked_at(job, (struct rank_index){rank}), forge_real(rank * 30));
	job_free(job);
	evidence_release(&evidence);
	(void)state;
}

/* The exception of a launcher that spawned its ranks: of which of them it tells, and what. */
static void who_spawned_ranks_says_which_ended(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"exception: torch.multiprocessing.spawn.ProcessExitedException: process 2 "
		 "terminated with signal SIGKILL", "terminated with signal SIGKILL"},
		{"exception: torch.multiprocessing.spawn.ProcessRaisedException: \n\n-- Process 2 "
		 "terminated with the following error:\nTraceback (most recent call last):\n"
		 "  File \"x.py\", line 1, in f\nValueError: oops\n", "ValueError: oops"},
		{"exception: ValueError: process 2 terminated", NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct evidence evidence = {0};
		struct fixture *f = forge_rank(0);
		struct ring_record note = {.meta = ring_meta(RING_NOTE, 0, RING_NO_GROUP,
			ring_string(&f->w, rows[i].text, strlen(rows[i].text)))};
		struct job *job;

		ring_pin(&f->w, RING_PIN_NOTE, forge_tsc(6), &note);
		forge_gather(&evidence);
		forge_ring(&evidence, f);
		job = decode_job(&evidence);
		evidence_release(&evidence);
		assert_int_equal(job->nsayings, rows[i].says ? 1 : 0);
		if (rows[i].says) {
			assert_int_equal(job->sayings[0].a, 2);
			assert_false(is_rank(job->sayings[0].rank));
			assert_string_equal(job->sayings[0].text, rows[i].says);
		}
		job_free(job);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_job_is_over_when_its_last_launch_is),
		cmocka_unit_test(the_end_counts_that_came_after_the_look),
		cmocka_unit_test(each_rank_was_looked_at_when_its_ring_was),
		cmocka_unit_test(who_spawned_ranks_says_which_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
