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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_job_is_over_when_its_last_launch_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
