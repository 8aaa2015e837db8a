/* SPDX-License-Identifier: Apache-2.0 */
/* Law 9: what was not seen bounds what may be said. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/facts.h"

/* The first verdict must be of that class, as sure as that, and lack that. */
static void expect(const struct facts *f, enum verdict_class class,
	enum verdict_confidence confidence, enum verdict_lack lack)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);

	if (v->at[0].class != class || v->at[0].confidence != confidence || v->lack != lack) {
		facts_print(v);
		fail_msg("expected %s, %s, lack %d, not %d", verdict_class_name(class),
			verdict_confidence_name(confidence), lack, v->lack);
	}
	verdicts_free(v);
	job_free(job);
}

/* Rank 1 of four compiles, and the others wait for it. */
static struct facts *compiling(void)
{
	struct facts *f = facts_missing(4, 1, 61);

	facts_span(f, 1, JOB_SPAN_COMPILE, "codegen", "0/0", 62, FACTS_OPEN);
	facts_cpu(f, 1, 1, 1, 0);
	return f;
}

static void the_whole_view_establishes(void **state)
{
	struct facts *f = compiling();

	(void)state;
	expect(f, VERDICT_COMPILE_SKEW, VERDICT_ESTABLISHED, VERDICT_LACKS_NOTHING);
	facts_free(f);
}

static void a_rank_that_nobody_saw_leaves_it_supported(void **state)
{
	struct facts *f = compiling();

	(void)state;
	f->hidden = 3;
	expect(f, VERDICT_COMPILE_SKEW, VERDICT_SUPPORTED, VERDICT_LACKS_RANKS);
	facts_free(f);
}

/* The group that was seen is not all of the job. */
static void a_launcher_that_started_more_leaves_it_supported(void **state)
{
	struct facts *f = compiling();

	(void)state;
	f->world_size = 8;
	expect(f, VERDICT_COMPILE_SKEW, VERDICT_SUPPORTED, VERDICT_LACKS_RANKS);
	facts_free(f);
}

static void a_rank_that_only_lives_has_not_testified(void **state)
{
	struct facts *f = compiling();

	(void)state;
	facts_lose_ring(f, 3);
	expect(f, VERDICT_COMPILE_SKEW, VERDICT_SUPPORTED, VERDICT_LACKS_TESTIMONY);
	facts_stack(f, 3, "ncclAllReduce@libnccl.so.2 < step@/me/train.py:88");
	expect(f, VERDICT_COMPILE_SKEW, VERDICT_ESTABLISHED, VERDICT_LACKS_NOTHING);
	facts_free(f);
}

/* No launcher says how many there should be, and no group is known: nobody knows who is missing. */
static void an_unknown_size_is_unknown(void **state)
{
	struct facts *f = facts_new(4);
	struct job *job;

	(void)state;
	facts_no_probe(f);
	facts_no_group(f);
	f->world_size = 0;
	for (int i = 0; i < 4; i++)
		facts_stack(f, i, "compute@libtorch_cpu.so < step@/me/train.py:88")->moved =
			JOB_YES;
	job = facts_job(f);
	assert_int_equal(job->coverage.ranks.n, JOB_NONE);
	assert_string_equal(job->coverage.ranks.by, "");
	job_free(job);
	expect(f, VERDICT_INCONCLUSIVE, VERDICT_UNKNOWN, VERDICT_LACKS_SIZE);
	f->world_size = 4;
	expect(f, VERDICT_HEALTHY, VERDICT_SUPPORTED, VERDICT_LACKS_NOTHING);
	facts_free(f);
}

/* All ranks were seen; yet their host said that it has more than it gave. */
static void a_part_of_a_host_leaves_it_supported(void **state)
{
	struct facts *f = compiling();

	(void)state;
	f->part_host = "hostA";
	expect(f, VERDICT_COMPILE_SKEW, VERDICT_SUPPORTED, VERDICT_LACKS_PART);
	f->hidden = 3;
	expect(f, VERDICT_COMPILE_SKEW, VERDICT_SUPPORTED, VERDICT_LACKS_RANKS);
	facts_free(f);
	f = facts_new(4);
	facts_rounds(f, 0, 10, 90, 1);
	f->part_host = "hostA";
	expect(f, VERDICT_INCONCLUSIVE, VERDICT_UNKNOWN, VERDICT_LACKS_PART);
	facts_free(f);
}

static void nobody_is_well_while_some_were_not_seen(void **state)
{
	struct facts *f = facts_new(4);

	(void)state;
	facts_rounds(f, 0, 10, 90, 1);
	expect(f, VERDICT_HEALTHY, VERDICT_ESTABLISHED, VERDICT_LACKS_NOTHING);
	f->hidden = 2;
	expect(f, VERDICT_INCONCLUSIVE, VERDICT_UNKNOWN, VERDICT_LACKS_RANKS);
	facts_free(f);
}

/*
 * All but one are in the init, and of the last there is no process: where the census was read whole
 * it never came. In a bundle that is cut its entry may be in the part that lacks.
 */
static void absence_from_a_cut_bundle_is_none(void **state)
{
	struct facts *f = facts_new(4);

	(void)state;
	for (int i = 0; i < 3; i++)
		facts_in_init(f, 0, i, 10);
	facts_never_seen(f, 3);
	facts_expect(f, VERDICT_NOT_STARTED, "3", "0-2");
	facts_cut(f, "the end of the bundle: it is cut");
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/* A death that was seen is one, and that others died first cannot be excluded. */
static void a_death_seen_on_one_of_two_nodes_is_supported(void **state)
{
	struct facts *f = facts_missing(4, 1, 61);

	(void)state;
	facts_signal(f, 1, 11, 0, "trainer", 61);
	facts_end(f, 1, JOB_SIGNALED, 11, 61);
	expect(f, VERDICT_RANK_DEATH, VERDICT_ESTABLISHED, VERDICT_LACKS_NOTHING);
	f->hidden = 3;
	expect(f, VERDICT_RANK_DEATH, VERDICT_SUPPORTED, VERDICT_LACKS_RANKS);
	facts_free(f);
}

/*
 * Who is held in the first of two operations may have left the other one out, as who closed that
 * group has; who launched both on two streams has shown the order itself.
 */
static void only_launches_on_both_sides_establish_an_order(void **state)
{
	for (int launched = 0; launched < 2; launched++) {
		struct facts *f = facts_new(4);
		int b = facts_group_of(f, 4, 0, 1, 2, 3);

		for (int i = 0; i < 4; i++) {
			int first = i == 3 ? b : 0;

			if (!launched) {
				facts_hold(f, first, i, JOB_OP_ALLREDUCE, 64, 30);
				continue;
			}
			facts_enter(f, first, i, JOB_OP_ALLREDUCE, 64, 30);
			facts_enter(f, b - first, i, JOB_OP_ALLREDUCE, 64, 31)->stream = 2;
			facts_sync(f, i, 32);
		}
		facts_expect(f, VERDICT_ORDER_INVERSION, "3", "0-2");
		expect(f, VERDICT_ORDER_INVERSION,
			launched ? VERDICT_ESTABLISHED : VERDICT_SUPPORTED, VERDICT_LACKS_NOTHING);
		facts_free(f);
	}
	(void)state;
}

/* Each may have left out the receive that the other waits for. */
static void sends_against_each_other_are_supported(void **state)
{
	struct facts *f = facts_new(4);

	facts_p2p(f, 0, 1, JOB_OP_SEND, 2, 30, true);
	facts_p2p(f, 0, 2, JOB_OP_SEND, 1, 30, true);
	expect(f, VERDICT_ORDER_INVERSION, VERDICT_SUPPORTED, VERDICT_LACKS_NOTHING);
	facts_free(f);
	(void)state;
}

static void who_says_how_many_there_should_be_is_kept(void **state)
{
	struct facts *f = facts_new(4);
	struct job *job = facts_job(f);

	(void)state;
	assert_int_equal(job->coverage.ranks.n, 4);
	assert_int_equal(job->coverage.ranks_seen, 4);
	assert_true(job->coverage.kinds & JOB_KNOWS_RING);
	job_free(job);
	f->world_size = 0;
	job = facts_job(f);
	assert_int_equal(job->coverage.ranks.n, 4);
	assert_string_equal(job->coverage.ranks.by, "size of the largest group");
	job_free(job);
	facts_free(f);
}

/* An elastic job goes on with fewer: those who were given up are not missing. */
static void a_world_that_shrank_at_a_restart_is_whole(void **state)
{
	static const struct {
		int size, restart;
	} words[] = {{8, 0}, {6, 1}, {8, 0}, {6, 1}};
	(void)state;
	for (size_t from = 0; from < 2; from++) {
		struct job_builder *b = job_builder_new();
		struct job *job;

		for (size_t i = from; i < from + 3; i++)
			job_add_world_size_since(
				b, words[i].size, "WORLD_SIZE", words[i].restart);
		job = job_seal(b);
		assert_int_equal(job->coverage.ranks.n, 6);
		assert_int_equal(job->nranks, 6);
		job_free(job);
	}
}

/* Hosts have one name for their launcher and another for themselves. */
static void expected_hosts_are_missed_by_their_names(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job_host seen = job_host_unknown;
	struct job *job;

	(void)state;
	seen.name = "m2.cluster.example";
	seen.cite = "gather:m2";
	job_add_host(b, &seen);
	job_add_expected_hosts(b, 3, "Slurm step");
	job_add_expected_host(b, "m3");
	job_add_expected_host(b, "m2");
	job_add_expected_host(b, "m1");
	job_add_expected_host(b, "m1");
	job = job_seal(b);
	assert_int_equal(job->coverage.hosts.n, 3);
	assert_string_equal(job->coverage.hosts.by, "Slurm step");
	assert_int_equal(job->coverage.hosts_seen, 1);
	assert_string_equal(job->coverage.hosts_missing, "m1,m3");
	job_free(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_view_establishes),
		cmocka_unit_test(a_rank_that_nobody_saw_leaves_it_supported),
		cmocka_unit_test(a_part_of_a_host_leaves_it_supported),
		cmocka_unit_test(a_launcher_that_started_more_leaves_it_supported),
		cmocka_unit_test(a_rank_that_only_lives_has_not_testified),
		cmocka_unit_test(an_unknown_size_is_unknown),
		cmocka_unit_test(nobody_is_well_while_some_were_not_seen),
		cmocka_unit_test(absence_from_a_cut_bundle_is_none),
		cmocka_unit_test(a_death_seen_on_one_of_two_nodes_is_supported),
		cmocka_unit_test(only_launches_on_both_sides_establish_an_order),
		cmocka_unit_test(sends_against_each_other_are_supported),
		cmocka_unit_test(who_says_how_many_there_should_be_is_kept),
		cmocka_unit_test(a_world_that_shrank_at_a_restart_is_whole),
		cmocka_unit_test(expected_hosts_are_missed_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
