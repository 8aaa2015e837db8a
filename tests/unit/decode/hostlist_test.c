/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "decode/decode.h"
#include "decode/exhibits/hostlist.h"
#include "job/job.h"
#include "tests/decode/forge.h"

static void join(const char *name, void *user)
{
	struct str *into = user;

	str_printf(into, "%s%s", into->len ? " " : "", name);
}

static void assert_hosts(const char *list, size_t n, const char *expected)
{
	struct str names = {0};

	assert_int_equal(hostlist_expand(list, join, &names), n);
	assert_string_equal(str_text(&names), expected);
	str_release(&names);
}

static void lists_are_expanded(void **state)
{
	(void)state;
	assert_hosts("m1", 1, "m1");
	assert_hosts("m1,gpu-b", 2, "m1 gpu-b");
	assert_hosts("m[1-3]", 3, "m1 m2 m3");
	assert_hosts("m[1-2,07,09-10],x", 6, "m1 m2 m07 m09 m10 x");
	assert_hosts("r[1-2]n[3-4].ib", 4, "r1n3.ib r1n4.ib r2n3.ib r2n4.ib");
	assert_hosts("", 0, "");
}

/* Text from outside: nothing is told of a list that is none, or names more than anybody has. */
static void what_is_no_list_tells_nothing(void **state)
{
	static const char *const lists[] = {"m[", "m[1-", "m[1-3", "m[]", "m[a]", "m[3-1]", "m[-1]",
		"m[1--2]", "m[1-99999999]", "a[1-9999]b[1-9999]", "m[99999999999999999999]", ",",
		"m[1-2]x[", "[", "]["};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		assert_hosts(lists[i], 0, "");
}

/* The coverage of a job whose launch the receipt tells so. */
static struct job_coverage coverage_of_receipt(const char *receipt)
{
	struct evidence evidence = {0};
	struct job_coverage coverage;
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 1, CENSUS_RANK);
	forge_text(&evidence, EXHIBIT_RECEIPT, 0, receipt);
	job = decode_job(&evidence);
	evidence_release(&evidence);
	coverage = job->coverage;
	assert_int_equal(coverage.hosts_seen, 1);
	if (coverage.hosts.n == 3)
		assert_string_equal(coverage.hosts_missing, "hostB,hostC");
	job_free(job);
	return coverage;
}

static void the_receipt_says_on_which_hosts_a_job_runs(void **state)
{
	assert_int_equal(coverage_of_receipt("{\"env\": {\"SLURM_STEP_NODELIST\": "
					     "\"host[A-C]\"}}")
				 .hosts.n,
		JOB_NONE);
	assert_int_equal(coverage_of_receipt("{\"env\": {\"SLURM_STEP_NODELIST\": "
					     "\"hostA,hostB,hostC\", "
					     "\"SLURM_STEP_NUM_NODES\": \"3\", "
					     "\"SLURM_JOB_NODELIST\": \"hostA\", "
					     "\"SLURM_JOB_NUM_NODES\": \"1\"}}")
				 .hosts.n,
		3);
	assert_int_equal(
		coverage_of_receipt("{\"argv\": [\"torchrun\", \"--nnodes\", \"2\", \"t.py\"]}")
			.hosts.n,
		2);
	assert_int_equal(
		coverage_of_receipt("{\"argv\": [\"torchrun\", \"--nnodes=2:4\"]}").hosts.n, 2);
	/* One node of an allocation of three was asked for. */
	assert_int_equal(coverage_of_receipt("{\"argv\": [\"torchrun\", \"--nnodes=1\"], \"env\": "
					     "{\"SLURM_JOB_NODELIST\": \"hostA,hostB,hostC\", "
					     "\"SLURM_JOB_NUM_NODES\": \"3\"}}")
				 .hosts.n,
		1);
}

#define RECEIPT(job, step)                                                                         \
	"{\"env\": {\"SLURM_JOB_ID\": \"" job "\", \"SLURM_STEP_ID\": \"" step "\"}}"

/*
 * The step that rank 1 of two is in, by the launches on its host and what its launcher gave it
 * ("" nothing); of rank 0 nothing is given. The caller's.
 */
static char *step_of(const char *launch, const char *other, const char *given, int rank)
{
	struct evidence evidence = {0};
	struct str text = {0}, ret = {0};
	struct job *job;

	str_printf(&text, "{\"processes\": [{\"pid\": %u, \"start_time\": %u, \"env\": {%s}}]}",
		FORGE_PID(1), FORGE_START(1), given);
	forge_gather(&evidence);
	forge_census(&evidence, 2, CENSUS_RANK);
	forge_text(&evidence, EXHIBIT_RECEIPT, 0, launch);
	if (other)
		forge_text(&evidence, EXHIBIT_RECEIPT, 7, other);
	forge_text(&evidence, EXHIBIT_HISTORY, 0, text.text);
	job = decode_job(&evidence);
	for (size_t i = 0; i < job->ntraits; i++)
		if (!strcmp(job->traits[i].key, "slurm") && job->traits[i].rank.i == rank)
			str_add(&ret, job->traits[i].text);
	evidence_release(&evidence);
	job_free(job);
	str_release(&text);
	return str_detach(&ret);
}

static void a_rank_says_in_which_step_it_is(void **state)
{
	static const struct {
		const char *launch, *other, *given, *first, *second;
	} all[] = {
		{RECEIPT("33", "0"), NULL, "", "33.0", "33.0"},
		{RECEIPT("33", "0"), RECEIPT("33", "0"), "", "33.0", "33.0"},
		{RECEIPT("33", "0"), RECEIPT("33", "1"), "", "33", "33"},
		{RECEIPT("33", "0"), RECEIPT("34", "0"), "", "", ""},
		/* A batch script launches: its step has no number, and srun's is given. */
		{RECEIPT("33", "4294967291"), NULL, "\"SLURM_STEP_ID\": \"2\"", "33", "33.2"},
		{"{\"env\": {}}", NULL,
			"\"SLURM_JOB_ID\": \"33\", \"SLURM_STEP_ID\": \"2\"", "", "33.2"},
		{RECEIPT("33", "0"), NULL, "\"SLURM_STEP_ID\": \"x;y\"", "33.0", "33"},
		{RECEIPT("", "0"), NULL, "", "", ""},
		{RECEIPT("3a", "0"), NULL, "", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *first = step_of(all[i].launch, all[i].other, all[i].given, 0);
		char *second = step_of(all[i].launch, all[i].other, all[i].given, 1);

		assert_string_equal(first, all[i].first);
		assert_string_equal(second, all[i].second);
		free(first);
		free(second);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_expanded),
		cmocka_unit_test(what_is_no_list_tells_nothing),
		cmocka_unit_test(the_receipt_says_on_which_hosts_a_job_runs),
		cmocka_unit_test(a_rank_says_in_which_step_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
