/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a PyTorch job tells beside its operations: phases of a compile that lie in each other, the
 * identity of graphs, caches, groups whose library says when an op is done.
 */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/judged.h"
#include "words/things.h"
#include "words/wording.h"

static void assert_thing(const struct verdict_thing *thing, const char *expected)
{
	struct str told = {0};

	things_add(&told, thing);
	assert_string_equal(str_text(&told), expected);
	str_release(&told);
}

static void assert_words(const struct verdict_fact *fact, const char *expected)
{
	struct str told = {0};

	wording_fact(&told, fact);
	assert_string_equal(str_text(&told), expected);
	str_release(&told);
}

static const struct verdict_fact *fact_of(const struct judged *j, enum verdict_fact_kind kind)
{
	for (size_t i = 0; i < j->first->nevidence; i++)
		if (j->first->evidence[i].kind == kind)
			return &j->first->evidence[i];
	facts_print(j->v);
	fail_msg("the first verdict has no such fact");
	return NULL;
}

/* -- phases ------------------------------------------------------------------------------------ */

/* Rank 3 is in the middle of its compile, in phases as the shim tells them. */
static struct facts *nested_compile(void)
{
	struct facts *f = facts_new(4);

	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 40);
	facts_span(f, 3, JOB_SPAN_COMPILE, "dynamo", "", 10, FACTS_OPEN);
	facts_span(f, 3, JOB_SPAN_COMPILE, "graph 0/0", "5f3a 9 nodes 0 collectives", 20,
		FACTS_OPEN);
	facts_span(f, 3, JOB_SPAN_COMPILE, "aot", "", 21, FACTS_OPEN);
	facts_span(f, 3, JOB_SPAN_COMPILE, "inductor codegen", "", 30, FACTS_OPEN);
	facts_cpu(f, 3, 4.5, 5, 0.2);
	return f;
}

static void the_innermost_phase_and_the_age_of_the_outermost(void **state)
{
	struct facts *f = nested_compile();
	struct judged j;

	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	j = judge(f);
	assert_int_equal(j.first->headline.kind, FACT_SPAN_OPEN);
	assert_string_equal(j.first->headline.text, "inductor codegen");
	assert_string_equal(j.first->headline.text2, "0/0");
	assert_int_equal(j.first->headline.a, 90000000000);
	dismiss(j);
	facts_free(f);
}

/* S05: the compiler waits for the GPU, which waits for an op that another rank never entered. */
static void s05_a_compiler_behind_an_open_op_is_a_victim(void **state)
{
	struct facts *f = facts_new(4);

	facts_span(f, 1, JOB_SPAN_COMPILE, "dynamo", "", 20, FACTS_OPEN);
	facts_span(f, 1, JOB_SPAN_DEVICE, "gpu benchmark", "", 41, FACTS_OPEN);
	facts_cpu(f, 1, 0, 10, 30);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 40);
	facts_sync(f, 0, 41);
	facts_sync(f, 3, 41);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
}

/* It waits for the GPU, and nothing of its own is open there: it is late all the same. */
static void a_compiler_that_measures_is_late(void **state)
{
	struct facts *f = nested_compile();
	struct judged j;

	facts_span(f, 3, JOB_SPAN_DEVICE, "gpu benchmark", "", 95, FACTS_OPEN);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	j = judge(f);
	assert_string_equal(j.first->headline.text, "inductor codegen");
	dismiss(j);
	facts_free(f);
}

/* S04 with peers in an op: ranks 1 and 2 wait for the lock that rank 0 compiles under. */
static void s04_who_waits_for_the_lock_is_not_the_late_one(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 3; i < 8; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, 40);
	for (int i = 0; i < 3; i++)
		facts_span(f, i, JOB_SPAN_COMPILE, "dynamo", "", 10, FACTS_OPEN);
	facts_cpu(f, 0, 4, 5, 0);
	for (int i = 1; i < 3; i++) {
		facts_span(f, i, JOB_SPAN_COMPILE, "compile lock", "", 15, FACTS_OPEN);
		facts_cpu(f, i, 0, 10, 60);
	}
	facts_expect(f, VERDICT_COMPILE_SKEW, "0", "3-7");
	facts_free(f);
}

/* The lock is held by none of the ranks: then its compile is what stands still. */
static void a_lock_that_nobody_here_holds_is_a_stuck_compile(void **state)
{
	struct facts *f = facts_new(4);

	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 40);
	facts_span(f, 3, JOB_SPAN_COMPILE, "dynamo", "", 10, FACTS_OPEN);
	facts_span(f, 3, JOB_SPAN_COMPILE, "compile lock", "", 15, FACTS_OPEN);
	facts_cpu(f, 3, 0, 10, 60);
	facts_expect_where(f, VERDICT_COMPILE_STUCK, "3", VERDICT_IN_LOCK);
	facts_free(f);
}

static void s07_compile_workers_that_died_are_the_cause(void **state)
{
	struct facts *f = nested_compile();

	facts_cpu(f, 3, 0, 10, 20);
	facts_say(f, 3, "the pool of compile workers died: status -9", 60);
	facts_expect_cause(f, VERDICT_COMPILE_STUCK, "3", VERDICT_BY_CHILD_DEATH);
	facts_free(f);
}

static void s08_a_recompile_says_so(void **state)
{
	struct facts *f = facts_new(4);
	const struct verdict_fact *fact;
	struct judged j;

	facts_rounds(f, 0, 20, 20, 0.5);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 31);
	for (int i = 0; i < 4; i++) {
		facts_step(f, i, 812);
		facts_span(f, i, JOB_SPAN_COMPILE, "graph 0/0", "5f3a", 10, 15);
	}
	facts_span(f, 1, JOB_SPAN_COMPILE, "dynamo", "", 31, FACTS_OPEN);
	facts_span(f, 1, JOB_SPAN_COMPILE, "graph 0/1", "5f3a", 32, FACTS_OPEN);
	facts_cpu(f, 1, 0.9, 1, 0);
	facts_expect(f, VERDICT_COMPILE_SKEW, "1", "0,2,3");
	j = judge(f);
	fact = fact_of(&j, FACT_RECOMPILES);
	assert_string_equal(fact->text, "0/1");
	assert_int_equal(fact->b, 0);
	assert_int_equal(fact->a, 812);
	dismiss(j);
	facts_free(f);
}

/* -- caches ------------------------------------------------------------------------------------ */

static void what_a_rank_counted_goes_before_the_launchers_count(void **state)
{
	struct facts *f = nested_compile();
	const struct verdict_fact *fact;
	struct judged j;

	for (int i = 0; i < 4; i++)
		facts_trait(f, i, "cache", "/tmp/torchinductor_me", i == 3 ? 0 : 412 + i);
	j = judge(f);
	fact = fact_of(&j, FACT_CACHE);
	assert_int_equal(fact->a, 0);
	assert_int_equal(fact->b, 412);
	assert_int_equal(fact->c, 414);
	assert_string_equal(fact->cite, "ring:trait");
	dismiss(j);
	facts_free(f);
}

static void that_all_start_cold_is_told(void **state)
{
	struct facts *f = nested_compile();
	struct judged j;

	(void)state;
	for (int i = 0; i < 4; i++)
		facts_trait(f, i, "cache", "/tmp/torchinductor_me", 0);
	j = judge(f);
	assert_non_null(fact_of(&j, FACT_ALL_COLD));
	assert_int_equal(fact_of(&j, FACT_ALL_COLD)->a, 4);
	dismiss(j);
	facts_free(f);
}

/* One cold rank among warm ones is told by its own cache; two are a seed that is too small. */
static void a_seed_for_some_ranks_only_is_told(void **state)
{
	struct facts *f = nested_compile();
	struct judged j;

	(void)state;
	for (int i = 0; i < 4; i++)
		facts_trait(f, i, "cache", "/tmp/torchinductor_me", i >= 2 ? 0 : 412);
	j = judge(f);
	assert_int_equal(fact_of(&j, FACT_SEED_SMALL)->a, 2);
	assert_int_equal(fact_of(&j, FACT_SEED_SMALL)->b, 4);
	dismiss(j);
	facts_free(f);
}

/* -- graphs ------------------------------------------------------------------------------------ */

static void compiled(struct facts *f, int rank, const char *name, const char *identity)
{
	facts_span(f, rank, JOB_SPAN_COMPILE, name, identity, 10, 15);
}

static void s09_the_first_graph_that_differs_is_named(void **state)
{
	struct facts *f = facts_new(4);
	const struct verdict_fact *fact;
	struct judged j;

	for (int i = 0; i < 4; i++) {
		compiled(f, i, "graph 0/0", "aaaa 9 nodes 1 collectives");
		compiled(f, i, "graph 2/0", i == 1 ? "cccc 8 nodes 41 collectives"
						   : "bbbb 9 nodes 42 collectives");
		compiled(f, i, "graph 10/0", i == 1 ? "eeee" : "dddd");
		facts_hold(f, 0, i, i == 1 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 64, 20);
	}
	facts_expect(f, VERDICT_GRAPH_DIVERGENCE, "1", "0,2,3");
	j = judge(f);
	fact = fact_of(&j, FACT_GRAPH);
	assert_thing(fact->thing, "2/0 = cccc 8 nodes 41 collectives");
	assert_thing(fact->thing2, "2/0 = bbbb 9 nodes 42 collectives");
	dismiss(j);
	facts_free(f);
}

/* Dynamo numbers frames as it meets them: what was compiled counts, not under which number. */
static void equal_graphs_under_other_ids_are_no_divergence(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++) {
		compiled(f, i, i == 1 ? "graph 1/0" : "graph 0/0", "aaaa");
		compiled(f, i, i == 1 ? "graph 0/0" : "graph 1/0", "bbbb");
		facts_hold(f, 0, i, i == 1 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 64, 20);
	}
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "1", "0,2,3");
	facts_free(f);
}

/* An empty batch at compile time makes a graph without the part that it skipped. */
static void an_empty_shard_explains_another_graph(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	for (int i = 0; i < 4; i++) {
		compiled(f, i, "graph 0/0", i == 3 ? "aaaa 4 nodes 41 collectives"
						   : "bbbb 9 nodes 42 collectives");
		facts_shard(f, i, i == 3 ? 0 : 4, 1);
		facts_hold(f, 0, i, i == 3 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 64, 20);
	}
	facts_expect(f, VERDICT_EMPTY_SHARD, "3", "0-2");
	j = judge(f);
	assert_thing(fact_of(&j, FACT_GRAPH)->thing, "0/0 = aaaa 4 nodes 41 collectives");
	dismiss(j);
	facts_free(f);
}

/* All did 5 steps, rank 1 by a graph with fewer operations: it is done, and the others wait. */
static void a_rank_that_is_done_by_a_smaller_graph(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++) {
		compiled(f, i, "graph 0/0", i == 1 ? "aaaa 4 nodes 1 collectives"
						   : "bbbb 9 nodes 2 collectives");
		facts_shard(f, i, 4, 5);
		facts_step(f, i, 5);
	}
	facts_rounds(f, 0, 5, 20, 1);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 30);
	f->members[0][1].fact.state = JOB_MEMBER_CLOSING;
	facts_expect(f, VERDICT_GRAPH_DIVERGENCE, "1", "0,2,3");
	f->nextra = 0; /* no mark tells that it had less to do */
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "1", "0,2,3");
	facts_free(f);
}

/* A difference of graphs is no finding by itself; beside one it is evidence. */
static void graphs_that_differ_are_evidence_of_a_stall(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	for (int i = 0; i < 4; i++)
		compiled(f, i, "graph 0/0", i == 1 ? "aaaa" : "bbbb");
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 30);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	j = judge(f);
	assert_thing(fact_of(&j, FACT_GRAPH)->thing, "0/0 = aaaa");
	dismiss(j);
	facts_free(f);
}

/* -- groups whose library tells when an op is done --------------------------------------------- */

/* DDP waits for its ops where no call shows it: outside, with an op that cannot complete. */
static void a_wait_that_is_not_seen_is_followed(void **state)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 3, 20, 1);
	for (int i = 0; i < 4; i++) {
		if (i == 2)
			continue;
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 4096, 40)->completed = JOB_NO;
		facts_outside(f, i, 40);
	}
	facts_outside(f, 2, 23);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_span(f, 2, JOB_SPAN_CHECKPOINT, "save", "", 24, FACTS_OPEN);
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_CHECKPOINT);
	facts_free(f);
}

/* Two groups of everybody by two makers: which is meant, the name says. */
static void makers_are_told_where_they_differ(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;
	int gloo = facts_group_of(f, 4, 0, 1, 2, 3), seen = 0;

	f->group_makers[gloo] = "gloo";
	f->group_names[gloo] = "0";
	facts_enter_but(f, gloo, 1, JOB_OP_BARRIER, 1, 30);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	j = judge(f);
	assert_string_equal(j.job->groups[j.first->group].name, "world (gloo)");
	for (size_t i = 0; i < j.job->ngroups; i++)
		seen += !strcmp(j.job->groups[i].name, "world");
	assert_int_equal(seen, 1);
	dismiss(j);
	facts_free(f);
}

static void a_group_is_called_what_its_maker_calls_it(void **state)
{
	struct facts *f = facts_new(4);
	int part = facts_group_of(f, 2, 0, 1), numbered = facts_group_of(f, 2, 2, 3);
	struct judged j;
	bool named = false, plain = false;

	f->group_names[part] = "3";
	f->group_names[numbered] = "4";
	facts_trait(f, 0, "group-desc:3", "mesh_dp", -1);
	j = judge(f);
	for (size_t i = 0; i < j.job->ngroups; i++) {
		named |= !strcmp(j.job->groups[i].name, "mesh_dp");
		plain |= !strcmp(j.job->groups[i].name, "pg 4");
	}
	assert_true(named && plain);
	dismiss(j);
	facts_free(f);
}

/* -- batches ----------------------------------------------------------------------------------- */

/*
 * Rank 1 has one batch fewer, and is with what follows the training in a group of its own kind,
 * where the others will come later: a circle, but not one of orders.
 */
static void a_rank_whose_loader_ended_early_is_uneven(void **state)
{
	struct facts *f = facts_new(4);
	int other = facts_group_of(f, 4, 0, 1, 2, 3);

	facts_rounds(f, 0, 5, 20, 1);
	for (int i = 0; i < 4; i++) {
		facts_shard(f, i, 4, i == 1 ? 5 : 6);
		if (i != 1)
			facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, 30);
	}
	facts_hold(f, other, 1, JOB_OP_ALLREDUCE, 1, 30);
	facts_expect(f, VERDICT_ORDER_INVERSION, "1", "0,2,3");
	facts_trait(f, 1, "input-end", "train", 5);
	f->extra[f->nextra - 1].is.trait.when = facts_ns(28);
	facts_expect(f, VERDICT_UNEVEN_SHARD, "1", "0,2,3");
	facts_free(f);
}

/* The same where it went on to what nobody records. */
static void a_rank_that_has_no_more_and_is_outside_is_uneven(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 5, 20, 1);
	for (int i = 0; i < 4; i++)
		facts_shard(f, i, 4, i == 1 ? 5 : 6);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 30);
	facts_trait(f, 1, "input-end", "train", 5);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	f->extra[f->nextra - 1].is.trait.when = facts_ns(28);
	facts_expect(f, VERDICT_UNEVEN_SHARD, "1", "0,2,3");
	facts_free(f);
}

/* All others have no more, and rank 1 is in the operation of one more batch. */
static void a_rank_with_one_more_is_uneven(void **state)
{
	struct facts *f = facts_new(4);
	int other = facts_group_of(f, 4, 0, 1, 2, 3);

	facts_rounds(f, 0, 5, 20, 1);
	for (int i = 0; i < 4; i++) {
		facts_shard(f, i, 4, i == 1 ? 6 : 5);
		if (i == 1)
			continue;
		facts_trait(f, i, "input-end", "train", 5);
		f->extra[f->nextra - 1].is.trait.when = facts_ns(28);
		facts_hold(f, other, i, JOB_OP_BARRIER, 1, 30);
	}
	facts_hold(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 30);
	facts_expect(f, VERDICT_UNEVEN_SHARD, "1", "0,2,3");
	facts_free(f);
}

/* -- last words -------------------------------------------------------------------------------- */

#define GLOO_ECHO "exception: RuntimeError: [pair.cc:547] Connection closed by peer [127.0.0.1]:4"

/* Rank 2 is killed; gloo tells the others at once, who raise what it tells, and end by it. */
static void a_peer_that_hears_of_a_death_is_a_victim(void **state)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 3, 20, 1);
	for (int i = 0; i < 4; i++) {
		if (i == 2)
			continue;
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 4096, 38)->completed = JOB_NO;
		facts_note(f, i, GLOO_ECHO, 40.01);
		facts_outside(f, i, 40);
		facts_end(f, i, JOB_EXITED, 1, 41);
	}
	facts_end(f, 2, JOB_SIGNALED, 9, 40.02);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_KILLED);
	facts_free(f);
}

/* The same while the peers still tear down. */
static void a_peer_that_still_tears_down_is_a_victim(void **state)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 30);
	facts_note(f, 2, "exception: ValueError: bad sample", 29);
	facts_trait(f, 2, "exception-at", "train.py:12 in f < train.py:40 in g < t.py:9 in h", -1);
	facts_end(f, 2, JOB_EXITED, 1, 35);
	for (int i = 0; i < 4; i++)
		if (i != 2) {
			facts_note(f, i, GLOO_ECHO, 35.1);
			facts_outside(f, i, 35.1);
		}
	facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_EXCEPTION);
	facts_free(f);
}

static void an_exception_says_where_it_was_raised(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 30);
	facts_note(f, 2, "exception: ValueError: bad sample", 29);
	facts_trait(f, 2, "exception-at", "train.py:12 in f < train.py:40 in g < t.py:9 in h", -1);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_EXCEPTION);
	j = judge(f);
	assert_words(fact_of(&j, FACT_RAISED_AT),
		"raised at train.py:12 in f < train.py:40 in g < t.py:9 in h");
	dismiss(j);
	f->extra[f->nextra - 1].is.trait.text =
		"parallel/distributed.py:1797 in _pre_forward < "
		"parallel/distributed.py:1908 in forward < modules/module.py:1784 in _call_impl < "
		"mine/unused.py:10 in <module>";
	j = judge(f);
	assert_words(fact_of(&j, FACT_RAISED_AT),
		"raised at parallel/distributed.py:1797 in _pre_forward < "
		"... < mine/unused.py:10 in <module>");
	dismiss(j);
	facts_free(f);
}

static void s19b_a_killed_loader_is_the_cause_by_its_ranks_word(void **state)
{
	struct facts *f = facts_new(4);

	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 30);
	facts_note(f, 1,
		"exception: RuntimeError: DataLoader worker (pid 77) is killed by signal: Killed.",
		29);
	facts_end(f, 1, JOB_EXITED, 1, 31);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_CHILD_DEATH);
	facts_free(f);
}

/* S42: the watchdog of the culprit itself finds that it cannot have the GIL, and aborts. */
static void s42_the_gil_is_where_it_stalled(void **state)
{
	struct facts *f = facts_new(4);

	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 30);
	facts_log(
		f, 1, "[E ProcessGroupNCCL.cpp:1398] Could not acquire GIL within 300 ms on exit");
	facts_signal(f, 1, 6, 0, "pt_nccl_heartbt", 95)->fatal = true;
	facts_end(f, 1, JOB_SIGNALED, 6, 95);
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_GIL);
	facts_free(f);
}

/* -- limits ------------------------------------------------------------------------------------ */

/* All but rank 2 wait since 40, that is for 60 s, in a group made by that library. */
static struct facts *waiting_job(const char *maker)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = maker;
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 40);
	return f;
}

static void expect_limit(const struct facts *f, enum verdict_limit limit, int64_t seconds_left)
{
	struct judged j = judge(f);

	assert_int_equal(j.first->watchdog, limit);
	if (limit)
		assert_int_equal(j.first->watchdog_left, seconds_left * 1000000000);
	else
		assert_int_equal(j.first->watchdog_left, JOB_UNKNOWN);
	dismiss(j);
}

static void nothing_is_known_of_limits_without_torch(void **state)
{
	struct facts *f = waiting_job("nccl");

	expect_limit(f, VERDICT_NO_LIMIT, 0);
	facts_free(f);
}

/* 600 s, and 60 s for dumps; then as the group was made; then never. */
static void the_watchdog_of_nccl_takes_a_minute_for_dumps(void **state)
{
	struct facts *f = waiting_job("nccl");

	for (int i = 0; i < 4; i++)
		facts_trait(f, i, "framework", "torch 2.15.0", -1);
	expect_limit(f, VERDICT_LIMIT_WATCHDOG, 600);
	for (int i = 0; i < 4; i++)
		facts_trait(f, i, "timeout", "", 300000000000);
	expect_limit(f, VERDICT_LIMIT_WATCHDOG, 300);
	for (int i = 0; i < 4; i++)
		f->members[0][i].fact.timeout = 200000000000;
	expect_limit(f, VERDICT_LIMIT_WATCHDOG, 200);
	for (int i = 0; i < 4; i++)
		facts_trait(f, i, "dump-on-timeout", "0", -1);
	expect_limit(f, VERDICT_LIMIT_WATCHDOG, 140);
	for (int i = 0; i < 4; i++)
		facts_trait(f, i, "async-error", "0", -1);
	expect_limit(f, VERDICT_NO_LIMIT, 0);
	for (int i = 0; i < 4; i++)
		facts_trait(f, i, "blocking-wait", "1", -1);
	expect_limit(f, VERDICT_LIMIT_TIMEOUT, 140);
	facts_free(f);
}

static void gloo_gives_up_itself(void **state)
{
	struct facts *f = waiting_job("gloo");

	for (int i = 0; i < 4; i++)
		facts_trait(f, i, "framework", "torch 2.15.0", -1);
	expect_limit(f, VERDICT_LIMIT_TIMEOUT, 1740);
	facts_free(f);
}

/* monitored_barrier(timeout=...) ends by that, and nobody has recorded it. */
static void a_timeout_of_its_own_is_not_the_groups(void **state)
{
	struct facts *f = waiting_job("gloo");

	(void)state;
	for (int i = 0; i < 4; i++) {
		facts_trait(f, i, "framework", "torch 2.15.0", -1);
		if (i != 2)
			f->ranks[i].thread.call = "c10d_monitored_barrier";
	}
	expect_limit(f, VERDICT_NO_LIMIT, 0);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			f->ranks[i].thread.call = "c10d_barrier";
	expect_limit(f, VERDICT_LIMIT_TIMEOUT, 1740);
	facts_free(f);
}

/* -- what is not there ------------------------------------------------------------------------- */

static void what_torch_lacks_is_a_loss_and_leaves_rules_unjudged(void **state)
{
	struct facts *f = waiting_job("gloo");
	size_t losses = 0;
	bool unjudged = false;
	struct judged j;

	for (int i = 0; i < 4; i++)
		facts_trait(f, i, "missing", "torch.utils.data.dataloader.DataLoader", -1);
	j = judge(f);
	for (size_t i = 0; i < j.job->nlosses; i++)
		losses += strstr(j.job->losses[i].what, "dataloader.DataLoader") != NULL;
	assert_int_equal(losses, 4);
	for (size_t i = 0; i < j.v->nnot_judged; i++)
		unjudged |= j.v->not_judged[i].class == VERDICT_EMPTY_SHARD;
	assert_true(unjudged);
	dismiss(j);
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_phase_and_the_age_of_the_outermost),
		cmocka_unit_test(s05_a_compiler_behind_an_open_op_is_a_victim),
		cmocka_unit_test(a_compiler_that_measures_is_late),
		cmocka_unit_test(s04_who_waits_for_the_lock_is_not_the_late_one),
		cmocka_unit_test(a_lock_that_nobody_here_holds_is_a_stuck_compile),
		cmocka_unit_test(s07_compile_workers_that_died_are_the_cause),
		cmocka_unit_test(s08_a_recompile_says_so),
		cmocka_unit_test(what_a_rank_counted_goes_before_the_launchers_count),
		cmocka_unit_test(that_all_start_cold_is_told),
		cmocka_unit_test(a_seed_for_some_ranks_only_is_told),
		cmocka_unit_test(s09_the_first_graph_that_differs_is_named),
		cmocka_unit_test(equal_graphs_under_other_ids_are_no_divergence),
		cmocka_unit_test(an_empty_shard_explains_another_graph),
		cmocka_unit_test(a_rank_that_is_done_by_a_smaller_graph),
		cmocka_unit_test(graphs_that_differ_are_evidence_of_a_stall),
		cmocka_unit_test(a_wait_that_is_not_seen_is_followed),
		cmocka_unit_test(makers_are_told_where_they_differ),
		cmocka_unit_test(a_group_is_called_what_its_maker_calls_it),
		cmocka_unit_test(a_rank_whose_loader_ended_early_is_uneven),
		cmocka_unit_test(a_rank_that_has_no_more_and_is_outside_is_uneven),
		cmocka_unit_test(a_rank_with_one_more_is_uneven),
		cmocka_unit_test(a_peer_that_hears_of_a_death_is_a_victim),
		cmocka_unit_test(a_peer_that_still_tears_down_is_a_victim),
		cmocka_unit_test(an_exception_says_where_it_was_raised),
		cmocka_unit_test(s19b_a_killed_loader_is_the_cause_by_its_ranks_word),
		cmocka_unit_test(s42_the_gil_is_where_it_stalled),
		cmocka_unit_test(nothing_is_known_of_limits_without_torch),
		cmocka_unit_test(the_watchdog_of_nccl_takes_a_minute_for_dumps),
		cmocka_unit_test(gloo_gives_up_itself),
		cmocka_unit_test(a_timeout_of_its_own_is_not_the_groups),
		cmocka_unit_test(what_torch_lacks_is_a_loss_and_leaves_rules_unjudged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
