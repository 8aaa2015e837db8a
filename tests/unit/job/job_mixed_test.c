/* SPDX-License-Identifier: Apache-2.0 */
/* Each node's agent has an id of its own: when exhibits with different ids are of one job. */
#include "tests/unit/unit.h"

#include "job/seal/build.h"

static const char *const hosts[] = {"a", "b"};

/* A rank on each of two hosts, which both say the same of `key`, or each its own. */
static struct job *job_of(const char *key, const char *of_first, const char *of_second)
{
	const char *const texts[] = {of_first, of_second};
	struct job_builder *b = job_builder_new();

	for (int rank = 0; rank < 2; rank++) {
		const struct job_who who = {hosts[rank], 20, 120};
		const struct job_identity identity = {
			.world_rank = world_rank(rank), .promoted = true};
		const struct job_trait trait = {
			.key = key, .text = texts[rank], .number = JOB_UNKNOWN, .cite = "history"};
		struct job_process process = job_process_unknown;

		process.end = JOB_ALIVE;
		process.cite = "proc";
		job_add_process(b, who, &process, &identity);
		if (texts[rank])
			job_add_trait(b, who, &trait);
		job_add_identity(b, hosts[rank], "");
	}
	return job_seal(b);
}

static void assert_mixed(bool mixed, const char *key, const char *first, const char *second)
{
	struct job *job = job_of(key, first, second);

	assert_string_equal(job->id, "a");
	assert_int_equal(job->nlosses, mixed);
	job_free(job);
}

static void ids_alone_mix_jobs(void **state)
{
	assert_mixed(true, "cwd", "/w", "/w");
}

static void one_step_of_slurm_is_one_job(void **state)
{
	assert_mixed(false, "slurm", "8841.0", "8841.0");
	assert_mixed(true, "slurm", "8841.0", "8841.1");
	assert_mixed(true, "slurm", "8841", "8841"); /* may have many steps */
	assert_mixed(true, "slurm", "8841.0", NULL);
}

static void one_store_is_one_job(void **state)
{
	assert_mixed(false, "master", "10.1.0.4:29500", "10.1.0.4:29500");
	assert_mixed(true, "master", "10.1.0.4:29500", "10.1.0.4:29501");
	assert_mixed(true, "master", "127.0.0.1:29500", "127.0.0.1:29500");
	assert_mixed(true, "master", "localhost:29500", "localhost:29500");
	assert_mixed(true, "master", "::1:29500", "::1:29500");
	assert_mixed(true, "master", ":29500", ":29500");
	assert_mixed(true, "master", "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_alone_mix_jobs),
		cmocka_unit_test(one_step_of_slurm_is_one_job),
		cmocka_unit_test(one_store_is_one_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
