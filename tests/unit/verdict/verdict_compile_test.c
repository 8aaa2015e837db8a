/* SPDX-License-Identifier: Apache-2.0 */
/* Compile divergence: the scenarios S01-S12 of how it really shows, and what only looks like it. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "tests/unit/facts.h"

/* Three ranks in the first AllReduce, rank 3 in the middle of its compile. */
static struct facts *cold_job(void)
{
	struct facts *f = facts_new(4);

	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 40);
	facts_span(f, 3, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 10, FACTS_OPEN);
	for (int i = 0; i < 3; i++)
		facts_span(f, i, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 10, 38);
	return f;
}

static void s01_a_cold_rank_still_compiles(void **state)
{
	struct facts *f = cold_job();

	facts_cpu(f, 3, 4.5, 5, 0.2);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	facts_free(f);
}

static void s02_all_compile_and_nobody_waits(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_span(f, i, JOB_SPAN_COMPILE, "dynamo", "", 10, FACTS_OPEN);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

static void s03_a_compile_without_cpu_is_stuck(void **state)
{
	struct facts *f = cold_job();

	facts_cpu(f, 3, 0, 10, 12);
	facts_expect(f, VERDICT_COMPILE_STUCK, "3", "0-2");
	facts_free(f);
}

/* The most important verdict's outlook, and how sure it is. */
static void expect_standing(
	const struct facts *f, enum verdict_outlook outlook, enum verdict_confidence confidence)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);

	if (v->at[0].outlook != outlook || v->at[0].confidence != confidence)
		facts_print(v);
	assert_int_equal(v->at[0].outlook, outlook);
	assert_int_equal(v->at[0].confidence, confidence);
	verdicts_free(v);
	job_free(job);
}

/* The first fact of that kind in the most important verdict; its cite "" where there is none. */
static struct verdict_fact told(const struct facts *f, enum verdict_fact_kind kind)
{
	static char texts[2][64];
	struct verdict_fact found = {.cite = ""};
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);

	for (size_t i = v->at[0].nevidence; i-- > 0;)
		if (v->at[0].evidence[i].kind == kind)
			found = v->at[0].evidence[i];
	snprintf(texts[0], sizeof(texts[0]), "%s", found.text ? found.text : "");
	snprintf(texts[1], sizeof(texts[1]), "%s", found.text2 ? found.text2 : "");
	found.text = texts[0];
	found.text2 = texts[1];
	found.cite = *found.cite ? "cited" : "";
	verdicts_free(v);
	job_free(job);
	return found;
}

/* Its ring alone would go on saying so if it had been killed. */
static void a_rank_of_whose_life_nobody_has_a_word_is_not_surely_compiling(void **state)
{
	struct facts *f = cold_job();

	facts_cpu(f, 3, 4.5, 5, 0.2);
	expect_standing(f, VERDICT_WAIT, VERDICT_ESTABLISHED);
	f->ranks[3].exit_known = false;
	expect_standing(f, VERDICT_WAIT, VERDICT_SUPPORTED);
	facts_free(f);
	/* Gone, and nobody says how: it may have been killed in it. */
	f = cold_job();
	facts_span(f, 3, JOB_SPAN_COMPILE, "backend compile", "0/0", 99, FACTS_OPEN);
	for (int i = 0; i < 4; i++) {
		facts_end(f, i, JOB_GONE, 0, 0);
		f->ranks[i].process.ended = JOB_UNKNOWN;
	}
	expect_standing(f, VERDICT_OVER, VERDICT_SUPPORTED);
	facts_free(f);
}

/* Quiet is not dead: it waits for the network, which may answer. */
static void a_compile_that_waits_for_the_network_may_resolve(void **state)
{
	struct facts *f = cold_job();
	struct verdict_fact fact;

	facts_cpu(f, 3, 0, 10, 12);
	expect_standing(f, VERDICT_OUTLOOK_UNKNOWN, VERDICT_SUPPORTED);
	f->ranks[3].process.call = "recvfrom";
	f->ranks[3].process.on = "socket to 10.0.0.5:443";
	f->ranks[3].process.on_cite = "open";
	facts_expect(f, VERDICT_COMPILE_STUCK, "3", "0-2");
	expect_standing(f, VERDICT_OUTLOOK_UNKNOWN, VERDICT_SUPPORTED);
	fact = told(f, FACT_WAITS_OUTSIDE);
	assert_string_equal(fact.text, "recvfrom");
	assert_string_equal(fact.text2, "socket to 10.0.0.5:443");
	assert_string_equal(fact.cite, "cited");
	facts_free(f);
}

static void a_compile_whose_child_waits_for_the_network_may_resolve(void **state)
{
	struct facts *f = cold_job();
	struct job_process *child = facts_child(f, 3, "git");
	struct verdict_fact fact;

	facts_cpu(f, 3, 0, 10, 12);
	child->cpu_delta = 0;
	child->sample_span = 10000000000;
	child->idle_for = 12000000000;
	child->on = "socket to 10.0.0.5:443";
	facts_expect(f, VERDICT_COMPILE_STUCK, "3", "0-2");
	expect_standing(f, VERDICT_OUTLOOK_UNKNOWN, VERDICT_SUPPORTED);
	fact = told(f, FACT_CHILD_OUTSIDE);
	assert_string_equal(fact.text, "git");
	assert_string_equal(fact.text2, "socket to 10.0.0.5:443");
	facts_free(f);
}

/* Frozen, its workers dead, or dead itself: nothing outside will end that. */
static void a_compile_that_cannot_end_is_to_be_killed(void **state)
{
	struct facts *f = cold_job();
	struct job_process *worker;

	facts_cpu(f, 3, 0, 10, 12);
	f->ranks[3].process.state = 'T';
	expect_standing(f, VERDICT_KILL, VERDICT_ESTABLISHED);
	f->ranks[3].process.state = 'S';
	worker = facts_child(f, 3, "pt_compile_work");
	worker->end = JOB_SIGNALED;
	worker->status = 9;
	worker->ended = facts_ns(60);
	facts_expect_cause(f, VERDICT_COMPILE_STUCK, "3", VERDICT_BY_CHILD_DEATH);
	expect_standing(f, VERDICT_KILL, VERDICT_ESTABLISHED);
	facts_free(f);
}

/* WAIT says in proportion to what: this one is open for 90 s, its peers took 0.5 s. */
static void a_compile_out_of_proportion_is_told(void **state)
{
	struct facts *f = facts_new(4);
	struct verdict_fact fact;

	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 40);
	facts_span(f, 3, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 10, FACTS_OPEN);
	for (int i = 0; i < 3; i++)
		facts_span(f, i, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 10, 10.5);
	facts_cpu(f, 3, 4.5, 5, 0.2);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	expect_standing(f, VERDICT_WAIT, VERDICT_ESTABLISHED);
	fact = told(f, FACT_MANY_TIMES);
	assert_int_equal(fact.a, 90000000000);
	assert_int_equal(fact.b, 500000000);
	assert_int_equal(fact.c, 180);
	facts_cpu(f, 3, 0, 1, -1); /* nobody sees it move: no WAIT */
	expect_standing(f, VERDICT_OUTLOOK_UNKNOWN, VERDICT_SUPPORTED);
	facts_free(f);
}

static void a_slow_compile_is_in_proportion(void **state)
{
	struct facts *f = cold_job(); /* 90 s, and peers took 28 s */

	facts_cpu(f, 3, 4.5, 5, 0.2);
	assert_string_equal(told(f, FACT_MANY_TIMES).cite, "");
	facts_free(f);
}

/*
 * Eight that share a cold cache (PyTorch 2.6): each kernel is compiled by one of them, while the
 * workers of the others poll its lock, which nothing shows.
 */
static void who_may_wait_for_a_peers_compile_is_not_stuck(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 2; i++)
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 4096, 40);
	for (int i = 2; i < 4; i++)
		facts_span(f, i, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 10, FACTS_OPEN);
	facts_cpu(f, 2, 4.5, 5, 0.2);
	facts_cpu(f, 3, 0, 10, 12);
	facts_expect(f, VERDICT_COMPILE_SKEW, "2", "0,1");
	f->ranks[3].process.state = 'T'; /* this one waits for no lock */
	facts_expect(f, VERDICT_COMPILE_STUCK, "3", NULL);
	f->ranks[3].process.state = 'S';
	facts_cpu(f, 2, 0, 10, 12); /* and nobody compiles for anybody */
	facts_expect(f, VERDICT_COMPILE_STUCK, "2,3", "0,1");
	facts_free(f);
}

static void a_quiet_second_is_not_yet_stuck(void **state)
{
	struct facts *f = cold_job();

	facts_cpu(f, 3, 0, 0.1, 2);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	facts_free(f);
}

static void a_busy_worker_is_progress(void **state)
{
	struct facts *f = cold_job();
	struct job_process *worker = facts_child(f, 3, "ptxas");

	facts_cpu(f, 3, 0, 10, 60);
	worker->cpu_delta = 9000000000;
	worker->sample_span = 10000000000;
	worker->idle_for = 100000000;
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	facts_free(f);
}

static void a_new_worker_is_progress(void **state)
{
	struct facts *f = cold_job();

	facts_cpu(f, 3, 0, 10, 60);
	facts_child(f, 3, "cc1plus")->born = facts_ns(98);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	facts_free(f);
}

/* No compiler is left to be seen, but one ran a moment ago. */
static void a_compiler_that_has_just_ended_is_progress(void **state)
{
	struct facts *f = cold_job();
	struct job_trait *tools = facts_trait(f, 3, "tools", "cc1plus", 41);

	facts_cpu(f, 3, 0, 10, 60);
	facts_expect(f, VERDICT_COMPILE_STUCK, "3", "0-2");
	tools->when = facts_ns(98);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	facts_free(f);
}

static void s04_the_lock_holder_compiles_and_nobody_waits_in_an_op(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_span(f, i, JOB_SPAN_COMPILE, "codegen", "", 10, FACTS_OPEN);
	f->ranks[1].process.wchan = "flock_lock_inode";
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

/* r0-5 compile and wait for the GPU, whose queue waits for r6 and r7, who wait for r0-5 elsewhere.
 */
static void s05_a_compile_that_waits_for_the_gpu_is_no_culprit(void **state)
{
	struct facts *f = facts_new(8);
	int b = facts_group_of(f, 8, 0, 1, 2, 3, 4, 5, 6, 7);

	f->completion = false;
	for (int g = 0; g < 2; g++)
		for (int i = 0; i < 8; i++)
			f->members[g][i].fact.done_known = false;
	for (int i = 0; i < 6; i++) {
		facts_enter(f, 0, i, JOB_OP_ALLTOALL, 64, 20);
		facts_span(f, i, JOB_SPAN_COMPILE, "benchmark_gpu", "1/0", 21, FACTS_OPEN);
		facts_sync(f, i, 22);
	}
	for (int i = 6; i < 8; i++) {
		facts_enter(f, b, i, JOB_OP_ALLREDUCE, 8, 20);
		facts_sync(f, i, 21);
	}
	facts_expect(f, VERDICT_ORDER_INVERSION, "6,7", "0-5");
	facts_free(f);
}

static void s07_a_dead_worker_explains_a_stuck_compile(void **state)
{
	struct facts *f = cold_job();
	struct job_process *worker = facts_child(f, 3, "pt_compile_work");

	facts_cpu(f, 3, 0, 10, 20);
	worker->end = JOB_SIGNALED;
	worker->status = 9;
	worker->ended = facts_ns(60);
	f->hosts[0].oom_kills = 1;
	facts_expect_cause(f, VERDICT_COMPILE_STUCK, "3", VERDICT_BY_CHILD_DEATH);
	facts_free(f);
}

static void s08_a_recompile_in_mid_run(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 20, 20, 0.5);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 31);
	facts_span(f, 1, JOB_SPAN_COMPILE, "dynamo", "0/1", 31, FACTS_OPEN);
	facts_cpu(f, 1, 0.9, 1, 0);
	facts_expect(f, VERDICT_COMPILE_SKEW, "1", "0,2,3");
	facts_free(f);
}

static void compiled(struct facts *f, int rank, const char *graph)
{
	facts_span(f, rank, JOB_SPAN_COMPILE, "dynamo", graph, 10, 15);
}

static void s09_another_graph_issues_another_operation(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++) {
		compiled(f, i, i == 1 ? "0/0 b" : "0/0 a");
		facts_hold(f, 0, i, i == 1 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 64, 20);
	}
	facts_expect(f, VERDICT_GRAPH_DIVERGENCE, "1", "0,2,3");
	facts_free(f);
}

static void s10_a_split_in_halves_has_camps_and_no_culprit(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 8; i++) {
		compiled(f, i, i < 4 ? "a" : "b");
		facts_hold(f, 0, i, i < 4 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 64, 20);
	}
	facts_expect(f, VERDICT_GRAPH_DIVERGENCE, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

static void a_graph_that_is_no_different_is_a_mismatch(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++) {
		compiled(f, i, "a");
		facts_hold(f, 0, i, i == 1 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 64, 20);
	}
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "1", "0,2,3");
	facts_free(f);
}

/* r1 recompiles and meets nobody in the compile group; the others wait for it in the world. */
static void s11_a_compiler_collective_alone(void **state)
{
	struct facts *f = facts_new(4);
	int compile = facts_group_of(f, 4, 0, 1, 2, 3);

	facts_round(f, 0, JOB_OP_ALLREDUCE, 64, 10);
	facts_span(f, 1, JOB_SPAN_COMPILE, "dynamo", "0/1", 20, FACTS_OPEN);
	facts_hold(f, compile, 1, JOB_OP_ALLGATHER, 8, 21);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 64, 21);
	facts_expect(f, VERDICT_COMPILE_SKEW, "1", "0,2,3");
	facts_free(f);
}

static void a_compile_before_communicator_init(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 3; i++)
		facts_in_init(f, 0, i, 20);
	facts_candidate(f, 3);
	facts_span(f, 3, JOB_SPAN_COMPILE, "warmup", "", 10, FACTS_OPEN);
	facts_cpu(f, 3, 1, 1, 0);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	facts_free(f);
}

static void a_majority_that_compiles_is_not_late(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 3; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, 40);
	for (int i = 3; i < 8; i++) {
		facts_span(f, i, JOB_SPAN_COMPILE, "codegen", "", 10, FACTS_OPEN);
		facts_cpu(f, i, 1, 1, 0);
	}
	assert_int_equal(facts_culprits(f), 0);
	facts_expect(f, VERDICT_COMPILE_SKEW, "", NULL);
	facts_free(f);
}

/* Law 3: without the ring of the one that compiles nobody is accused. */
static void without_its_ring_nobody_is_accused(void **state)
{
	struct facts *f = cold_job();

	facts_lose_ring(f, 3);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-2");
	facts_free(f);
}

static void a_wait_below_the_threshold_blames_nobody(void **state)
{
	struct facts *f = facts_new(4);

	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 99);
	facts_span(f, 3, JOB_SPAN_COMPILE, "codegen", "", 10, FACTS_OPEN);
	facts_expect(f, VERDICT_TOO_EARLY, "", "0-2");
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(s01_a_cold_rank_still_compiles),
		cmocka_unit_test(a_rank_of_whose_life_nobody_has_a_word_is_not_surely_compiling),
		cmocka_unit_test(s02_all_compile_and_nobody_waits),
		cmocka_unit_test(s03_a_compile_without_cpu_is_stuck),
		cmocka_unit_test(a_compile_that_waits_for_the_network_may_resolve),
		cmocka_unit_test(a_compile_whose_child_waits_for_the_network_may_resolve),
		cmocka_unit_test(a_compile_that_cannot_end_is_to_be_killed),
		cmocka_unit_test(a_compile_out_of_proportion_is_told),
		cmocka_unit_test(a_slow_compile_is_in_proportion),
		cmocka_unit_test(who_may_wait_for_a_peers_compile_is_not_stuck),
		cmocka_unit_test(a_quiet_second_is_not_yet_stuck),
		cmocka_unit_test(a_busy_worker_is_progress),
		cmocka_unit_test(a_new_worker_is_progress),
		cmocka_unit_test(a_compiler_that_has_just_ended_is_progress),
		cmocka_unit_test(s04_the_lock_holder_compiles_and_nobody_waits_in_an_op),
		cmocka_unit_test(s05_a_compile_that_waits_for_the_gpu_is_no_culprit),
		cmocka_unit_test(s07_a_dead_worker_explains_a_stuck_compile),
		cmocka_unit_test(s08_a_recompile_in_mid_run),
		cmocka_unit_test(s09_another_graph_issues_another_operation),
		cmocka_unit_test(s10_a_split_in_halves_has_camps_and_no_culprit),
		cmocka_unit_test(a_graph_that_is_no_different_is_a_mismatch),
		cmocka_unit_test(s11_a_compiler_collective_alone),
		cmocka_unit_test(a_compile_before_communicator_init),
		cmocka_unit_test(a_majority_that_compiles_is_not_late),
		cmocka_unit_test(without_its_ring_nobody_is_accused),
		cmocka_unit_test(a_wait_below_the_threshold_blames_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
