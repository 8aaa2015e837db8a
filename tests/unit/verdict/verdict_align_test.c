/* SPDX-License-Identifier: Apache-2.0 */
/* An op left out, one too many, another one, another amount: four findings. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/facts.h"

/* A step's buckets and its loss: AllReduces of so many elements. */
static const uint64_t step[] = {4000, 3000, 2000, 1};
#define OPS 4

/* All take whole steps, and complete them. */
static void take_steps(struct facts *f, int n)
{
	for (int i = 0; i < n * OPS; i++)
		facts_round(f, 0, JOB_OP_ALLREDUCE, step[i % OPS], 10 + i);
}

/* All but `rank` take a step and wait at its end; none of it completes. */
static void others_step(struct facts *f, int rank)
{
	for (int i = 0; i < f->n; i++) {
		for (int k = 0; i != rank && k < OPS; k++)
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, step[k], 60);
		if (i != rank)
			facts_sync(f, i, 61);
	}
}

/* All ops of the group up to that one are complete, as far as that is tracked. */
static void complete(struct facts *f, int group, uint64_t index)
{
	for (int i = 0; i < f->n; i++) {
		struct facts_member *m = &f->members[group][i];

		m->fact.done = index;
		for (size_t k = 0; k < m->nops; k++)
			if (m->ops[k].index <= index)
				m->ops[k].completed = JOB_YES;
	}
}

static void track_nothing(struct facts *f)
{
	f->completion = false;
	for (int group = 0; group < f->ngroups; group++)
		for (int i = 0; i < f->n; i++) {
			struct facts_member *m = &f->members[group][i];

			m->fact.done_known = false;
			for (size_t k = 0; k < m->nops; k++)
				m->ops[k].completed = JOB_MAYBE;
		}
}

static const struct verdict_fact *fact_of(const struct verdict *v, enum verdict_fact_kind kind)
{
	for (size_t i = 0; i < v->nevidence; i++)
		if (v->evidence[i].kind == kind)
			return &v->evidence[i];
	return NULL;
}

/* What must be said of a fork: class, culprits, cause, how surely, and of what this fact tells. */
struct expected {
	enum verdict_class class;
	const char *culprits;
	enum verdict_cause cause;
	enum verdict_confidence confidence;
	enum verdict_fact_kind fact;
	int64_t from, to; /* of the fact; 0 not asked */
};

static void expect_once(const struct facts *f, struct expected e)
{
	struct job *job;
	struct verdicts *v;
	const struct verdict_fact *fact;

	facts_expect_cause(f, e.class, e.culprits, e.cause);
	job = facts_job(f);
	v = verdicts_of(job);
	if (v->n != 1)
		facts_print(v);
	assert_int_equal(v->n, 1);
	if (v->at[0].confidence != e.confidence)
		facts_print(v);
	assert_int_equal(v->at[0].confidence, e.confidence);
	fact = fact_of(&v->at[0], e.fact);
	assert_non_null(fact);
	if (e.from)
		assert_int_equal(fact->a, e.from);
	if (e.to)
		assert_int_equal(fact->b, e.to);
	verdicts_free(v);
	job_free(job);
}

/* True if completion is tracked, as on few machines it is, or not. */
static void expect(const struct facts *f, struct expected e)
{
	struct facts *untracked = facts_copy(f);

	expect_once(f, e);
	track_nothing(untracked);
	expect_once(untracked, e);
	facts_free(untracked);
}

/* -- left out ---------------------------------------------------------------------------------- */

/* It went on and waits at the step's end like all others, one op short. */
static void a_skipped_bucket(void **state)
{
	struct facts *f = facts_new(8);

	take_steps(f, 3);
	others_step(f, 4);
	facts_enter(f, 0, 4, JOB_OP_ALLREDUCE, 4000, 60);
	facts_enter(f, 0, 4, JOB_OP_ALLREDUCE, 2000, 60);
	facts_enter(f, 0, 4, JOB_OP_ALLREDUCE, 1, 60);
	facts_sync(f, 4, 61);
	complete(f, 0, 13);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "4", VERDICT_BY_SKIPPED,
		VERDICT_ESTABLISHED, FACT_SKIPPED, 14, 14});
	facts_free(f);
}

/* What one call of the program does is left out as a whole, or what comes behind it made twice. */
static void all_buckets_skipped_or_the_last_op_again(void **state)
{
	struct facts *f = facts_new(6);

	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < OPS; k++)
			facts_round(f, 0, JOB_OP_ALLREDUCE, step[k], 10 + i);
		facts_round(f, 0, JOB_OP_BROADCAST, 4, 10.5 + i);
	}
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4000, 60);
	facts_hold(f, 0, 2, JOB_OP_BROADCAST, 4, 60);
	facts_expect_cause(f, VERDICT_COLLECTIVE_MISMATCH, "2", VERDICT_NO_CAUSE);
	facts_free(f);
}

/* Two other ops in a row, and then all as ever: nothing was left out, and nothing is too many. */
static void several_other_ops_in_a_row(void **state)
{
	struct facts *f = facts_new(4);

	take_steps(f, 3);
	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < OPS; k++)
			facts_enter(f, 0, i,
				i == 3 && k < 2 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, step[k], 60);
		for (int k = 0; k < OPS; k++)
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, step[k], 60);
		facts_sync(f, i, 61);
	}
	complete(f, 0, 12);
	facts_expect_cause(f, VERDICT_COLLECTIVE_MISMATCH, "3", VERDICT_NO_CAUSE);
	facts_free(f);
}

/* The same in the first step: both sides' own ops tell, no step before is needed. */
static void a_skipped_bucket_of_the_first_step(void **state)
{
	struct facts *f = facts_new(4);

	others_step(f, 1);
	facts_enter(f, 0, 1, JOB_OP_ALLREDUCE, 3000, 60);
	facts_enter(f, 0, 1, JOB_OP_ALLREDUCE, 2000, 60);
	facts_enter(f, 0, 1, JOB_OP_ALLREDUCE, 1, 60);
	facts_sync(f, 1, 61);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "1", VERDICT_BY_SKIPPED,
		VERDICT_ESTABLISHED, FACT_SKIPPED, 1, 1});
	facts_free(f);
}

/* Hosts block in each op: only what the others do step by step tells what comes next. */
static void a_skipped_bucket_where_nobody_went_on(void **state)
{
	struct facts *f = facts_new(8);

	take_steps(f, 3);
	for (int i = 0; i < 8; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, step[i == 4], 60);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "4", VERDICT_BY_SKIPPED,
		VERDICT_SUPPORTED, FACT_SKIPPED, 13, 13});
	facts_free(f);
}

/* With nothing before and nothing behind it may be all: an amount, left out, too many. */
static void the_very_first_op_and_nobody_went_on(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 8; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, step[i == 4], 60);
	expect(f, (struct expected){VERDICT_UNEVEN_SHARD, "4", VERDICT_NO_CAUSE,
		VERDICT_SUPPORTED, FACT_UNALIGNED, 0, 0});
	facts_free(f);
}

/* Of three equal buckets nobody can say which one it left out. */
static void one_of_equal_buckets(void **state)
{
	struct facts *f = facts_new(4);

	facts_round(f, 0, JOB_OP_ALLREDUCE, 1, 20);
	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < (i == 2 ? 2 : 3); k++)
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 100, 60);
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 1, 60);
		facts_sync(f, i, 61);
	}
	complete(f, 0, 3);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "2", VERDICT_BY_SKIPPED,
		VERDICT_ESTABLISHED, FACT_SKIPPED, 2, 4});
	facts_free(f);
}

/* It went round the rest of the step and waits in the barrier at its end. */
static void a_rank_that_skips_to_the_barrier(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 5; k++)
			facts_round(f, 0, JOB_OP_ALLREDUCE, 1000 + (uint64_t)k, 10 + i);
		facts_round(f, 0, JOB_OP_ALLGATHER, 1, 10 + i);
	}
	for (int k = 0; k < 4; k++)
		facts_round(f, 0, JOB_OP_ALLREDUCE, 1000 + (uint64_t)k, 20);
	for (int i = 0; i < 8; i++)
		facts_hold(f, 0, i, i == 6 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE,
			i == 6 ? 1 : 1004, 60);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "6", VERDICT_BY_SKIPPED,
		VERDICT_SUPPORTED, FACT_BY_USAGE, 0, 0});
	facts_free(f);
}

/* Its first steps are long out of the rings, and so is the place: some op since the last in common.
 */
static void a_skip_that_is_long_past(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++) {
		f->members[0][i].fact.done = 800;
		f->members[0][i].fact.head = i == 3 ? 799 : 800;
		for (int k = 0; k < 4 * OPS; k++)
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, step[k % OPS], 60);
		facts_sync(f, i, 61);
	}
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "3", VERDICT_BY_SKIPPED,
		VERDICT_SUPPORTED, FACT_SKIPPED, 1, 801});
	facts_free(f);
}

/* Leaving it out, it got its next batch first: that is no shard of another length. */
static void who_skips_is_a_batch_ahead(void **state)
{
	struct facts *f = facts_new(8);

	take_steps(f, 3);
	for (int k = 0; k < 3; k++)
		facts_round(f, 0, JOB_OP_ALLREDUCE, step[k], 50);
	for (int i = 0; i < 8; i++) {
		facts_shard(f, i, 4, i == 4 ? 5 : 4);
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, i == 4 ? step[0] : step[3], 60);
	}
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "4", VERDICT_BY_SKIPPED,
		VERDICT_SUPPORTED, FACT_SKIPPED, 16, 16});
	facts_free(f);
}

/* A loop that ended a batch early goes on with what follows it: there the shards tell. */
static void a_batch_less_explains_what_was_left_out(void **state)
{
	struct facts *f = facts_new(8);

	for (int epoch = 0; epoch < 2; epoch++) {
		take_steps(f, 2);
		facts_round(f, 0, JOB_OP_BROADCAST, 7, 40);
	}
	take_steps(f, 1);
	for (int i = 0; i < 8; i++) {
		facts_shard(f, i, 4, i == 4 ? 5 : 6);
		facts_hold(f, 0, i, i == 4 ? JOB_OP_BROADCAST : JOB_OP_ALLREDUCE,
			i == 4 ? 7 : step[0], 60);
	}
	facts_expect_cause(f, VERDICT_UNEVEN_SHARD, "4", VERDICT_NO_CAUSE);
	facts_free(f);
}

/* An op of which all bring nothing, left out by one: nobody's shard is empty. */
static void a_skipped_op_of_no_elements(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++) {
		if (i != 1)
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 0, 60);
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 60);
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 8, 60);
		facts_sync(f, i, 61);
	}
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "1", VERDICT_BY_SKIPPED,
		VERDICT_ESTABLISHED, FACT_SKIPPED, 1, 1});
	facts_free(f);
}

/* -- too many ---------------------------------------------------------------------------------- */

/* A step of accumulated gradients: so often gathered and reduced, then the loss. */
static void accumulate(struct facts *f, int rank, int times, bool complete)
{
	for (int i = 0; i < f->n; i++) {
		if (rank != JOB_NONE && i != rank)
			continue;
		for (int k = 0; k < 2 * times + 1; k++) {
			bool loss = k == 2 * times;
			struct job_op *op = facts_enter(f, 0, i, JOB_OP_ALLREDUCE,
				loss ? 1 : k % 2 ? 512 : 64, 20);

			if (!complete)
				continue;
			op->completed = JOB_YES;
			f->members[0][i].fact.done = op->index;
		}
	}
}

static void one_accumulation_step_more(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 3; i++)
		accumulate(f, JOB_NONE, 4, true);
	for (int i = 0; i < 8; i++) {
		accumulate(f, i, i == 4 ? 5 : 4, false);
		facts_sync(f, i, 61);
	}
	complete(f, 0, 35);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "4", VERDICT_BY_EXTRA,
		VERDICT_ESTABLISHED, FACT_EXTRA, 28, 36});
	facts_free(f);
}

/* Blocked in its first op it may as well have left out the loss and begun the next step. */
static void one_accumulation_step_more_and_nobody_went_on(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 3; i++)
		accumulate(f, JOB_NONE, 4, true);
	for (int k = 0; k < 8; k++)
		facts_round(f, 0, JOB_OP_ALLREDUCE, k % 2 ? 512 : 64, 50);
	for (int i = 0; i < 8; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, i == 4 ? 64 : 1, 60);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "4", VERDICT_NO_CAUSE,
		VERDICT_ESTABLISHED, FACT_UNALIGNED, 0, 0});
	facts_free(f);
}

static void an_extra_barrier(void **state)
{
	struct facts *f = facts_new(8);

	take_steps(f, 3);
	others_step(f, 2);
	facts_enter(f, 0, 2, JOB_OP_ALLGATHER, 1, 60);
	for (int k = 0; k < OPS; k++)
		facts_enter(f, 0, 2, JOB_OP_ALLREDUCE, step[k], 60);
	facts_sync(f, 2, 61);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "2", VERDICT_BY_EXTRA,
		VERDICT_ESTABLISHED, FACT_EXTRA, 13, 13});
	facts_free(f);
}

/* Nothing tells whether the others would have come to it, too. */
static void an_extra_barrier_that_holds_its_rank(void **state)
{
	struct facts *f = facts_new(8);

	take_steps(f, 3);
	for (int i = 0; i < 8; i++)
		facts_hold(f, 0, i, i == 2 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE,
			i == 2 ? 1 : step[0], 60);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "2", VERDICT_NO_CAUSE,
		VERDICT_ESTABLISHED, FACT_FIRST_FORK, 0, 0});
	facts_free(f);
}

/* After a swallowed exception it did the same bucket once more. */
static void a_bucket_done_twice(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 3 * 7; i++)
		facts_round(f, 0, JOB_OP_ALLREDUCE, 100 + (uint64_t)(i % 7), 10 + i);
	for (int i = 0; i < 3; i++)
		facts_round(f, 0, JOB_OP_ALLREDUCE, 100 + (uint64_t)i, 40);
	for (int i = 0; i < 8; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, i == 4 ? 102 : 103, 60);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "4", VERDICT_BY_EXTRA,
		VERDICT_SUPPORTED, FACT_EXTRA, 24, 25});
	facts_free(f);
}

/* -- another one ------------------------------------------------------------------------------- */

/* All went on alike behind it: the amount it is. */
static void another_amount_at_one_place(void **state)
{
	struct facts *f = facts_new(8);

	others_step(f, 4);
	for (int k = 0; k < OPS; k++)
		facts_enter(f, 0, 4, JOB_OP_ALLREDUCE, k == 1 ? 2999 : step[k], 60);
	facts_sync(f, 4, 61);
	complete(f, 0, 1);
	expect(f, (struct expected){VERDICT_UNEVEN_SHARD, "4", VERDICT_NO_CAUSE,
		VERDICT_ESTABLISHED, FACT_COUNT, 0, 0});
	facts_free(f);
}

/* Nobody went on, but such an amount has never been in their steps. */
static void an_amount_that_is_in_no_step(void **state)
{
	struct facts *f = facts_new(8);

	take_steps(f, 3);
	for (int i = 0; i < 8; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, i == 4 ? 3999 : step[0], 60);
	expect(f, (struct expected){VERDICT_UNEVEN_SHARD, "4", VERDICT_NO_CAUSE,
		VERDICT_ESTABLISHED, FACT_COUNT, 0, 0});
	facts_free(f);
}

/* 100 elements where the others bring 4000 may be a share, or a call that nobody else makes. */
static void an_amount_far_from_the_others_may_be_an_extra_op(void **state)
{
	struct facts *f = facts_new(8);

	take_steps(f, 3);
	for (int i = 0; i < 8; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, i == 4 ? 100 : step[0], 60);
	expect(f, (struct expected){VERDICT_UNEVEN_SHARD, "4", VERDICT_NO_CAUSE,
		VERDICT_SUPPORTED, FACT_UNALIGNED, 0, 0});
	facts_free(f);
}

static void another_op_at_one_place(void **state)
{
	struct facts *f = facts_new(8);

	others_step(f, 4);
	for (int k = 0; k < OPS; k++)
		facts_enter(f, 0, 4, k == 1 ? JOB_OP_REDUCE : JOB_OP_ALLREDUCE, step[k], 60);
	facts_sync(f, 4, 61);
	complete(f, 0, 1);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "4", VERDICT_NO_CAUSE,
		VERDICT_ESTABLISHED, FACT_FIRST_FORK, 0, 0});
	facts_free(f);
}

/* True if it left out the first or did another in its place, all being alike since, is open. */
static void what_two_ways_fit_is_not_established(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 8; i++) {
		if (i != 4)
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 4000, 60);
		for (int k = 0; k < 3; k++)
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 100, 60);
		facts_sync(f, i, 61);
	}
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "4", VERDICT_BY_SKIPPED,
		VERDICT_SUPPORTED, FACT_SKIPPED, 1, 1});
	facts_enter(f, 0, 4, JOB_OP_ALLREDUCE, 100, 60);
	expect(f, (struct expected){VERDICT_UNEVEN_SHARD, "4", VERDICT_NO_CAUSE,
		VERDICT_SUPPORTED, FACT_COUNT, 0, 0});
	facts_free(f);
}

/* -- who is seen ------------------------------------------------------------------------------- */

/* Of five ranks nothing is known: either side may be the odd one, whatever shift fits. */
static void members_that_were_not_seen_may_be_of_either_side(void **state)
{
	struct facts *f = facts_new(8);

	take_steps(f, 3);
	others_step(f, 4);
	facts_enter(f, 0, 4, JOB_OP_ALLREDUCE, 3000, 60);
	facts_enter(f, 0, 4, JOB_OP_ALLREDUCE, 2000, 60);
	facts_enter(f, 0, 4, JOB_OP_ALLREDUCE, 1, 60);
	facts_sync(f, 4, 61);
	for (int i = 0; i < 4; i++)
		facts_lose_ring(f, i);
	complete(f, 0, 12);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "", VERDICT_NO_CAUSE,
		VERDICT_SUPPORTED, FACT_CAMP, 0, 0});
	facts_free(f);
}

/* Groups of tensor and data parallelism in turn: only the one that lacks an op has a fork. */
static void a_skip_among_the_ops_of_two_groups(void **state)
{
	struct facts *f = facts_new(4);
	int other = facts_group_of(f, 4, 0, 1, 2, 3);

	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < OPS; k++) {
			if (i != 2 || k != 1)
				facts_enter(f, 0, i, JOB_OP_ALLREDUCE, step[k], 60);
			facts_enter(f, other, i, JOB_OP_ALLGATHER, 5, 60);
		}
		facts_sync(f, i, 61);
	}
	complete(f, 0, 1);
	complete(f, other, 1);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "2", VERDICT_BY_SKIPPED,
		VERDICT_ESTABLISHED, FACT_SKIPPED, 2, 2});
	facts_free(f);
}

/* -- another call, or another group, and no amount --------------------------------------------- */

/*
 * Rank 2 reduces its metrics in the group of all instead of its own. They have another amount than
 * the gradients for which the others wait there, and rank 3 waits for just these where they belong.
 */
static void an_op_called_in_the_wrong_group_is_no_amount(void **state)
{
	struct facts *f = facts_new(4);
	int mine = facts_group_of(f, 2, 2, 3);

	for (int i = 0; i < 10; i++) {
		facts_round(f, 0, JOB_OP_ALLREDUCE, 4680, 20 + i);
		facts_round(f, mine, JOB_OP_ALLREDUCE, 4, 20.5 + i);
	}
	for (int i = 0; i < 3; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, i == 2 ? 4 : 4680, 60);
	facts_hold(f, mine, 3, JOB_OP_ALLREDUCE, 4, 60);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "2", VERDICT_NO_CAUSE,
		VERDICT_ESTABLISHED, FACT_FIRST_FORK, 11, 10});
	facts_free(f);
}

#define REDUCED_AT(line)                                                                           \
	"pthread_cond_wait@libc.so.6 < c10d::Work::wait()@libtorch_cpu.so < "                      \
	"all_reduce@/env/site-packages/torch/distributed/distributed_c10d.py:4181 < "              \
	"step@/home/me/train.py:" line " < main@/home/me/train.py:120"

static struct facts *reduce_another_amount(int rank, const char *its, const char *others)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 1);
	for (int i = 0; i < 4; i++) {
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, i == rank ? 4 : 4096, 60);
		facts_stack(f, i, i == rank ? its : others);
	}
	return f;
}

/* At one line of the program it is the rank's share that is another; at two it is another call. */
static void another_amount_at_another_line_is_another_op(void **state)
{
	struct facts *f = reduce_another_amount(2, REDUCED_AT("88"), REDUCED_AT("88"));

	facts_expect(f, VERDICT_UNEVEN_SHARD, "2", "0,1,3");
	facts_free(f);
	f = reduce_another_amount(2, REDUCED_AT("97"), REDUCED_AT("88"));
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "2", "0,1,3");
	facts_free(f);
}

/*
 * Rank 2 went past a bucket of gradients and sums up its metrics: where no line tells whether that
 * is another call, three numbers are none's share of a bucket. What is gathered may be rows.
 */
static void a_sum_of_a_few_is_no_share(void **state)
{
	static const struct {
		uint8_t op;
		uint64_t mine, most;
		enum verdict_class class;
	} stories[] = {{JOB_OP_ALLREDUCE, 3, 8970, VERDICT_COLLECTIVE_MISMATCH},
		{JOB_OP_ALLREDUCE, 8970, 3, VERDICT_COLLECTIVE_MISMATCH},
		{JOB_OP_ALLREDUCE, 3, 64, VERDICT_UNEVEN_SHARD},
		{JOB_OP_ALLREDUCE, 128, 8192, VERDICT_UNEVEN_SHARD},
		{JOB_OP_ALLGATHER, 3, 8970, VERDICT_UNEVEN_SHARD}};

	for (size_t i = 0; i < sizeof(stories) / sizeof(*stories); i++) {
		struct facts *f = facts_new(4);

		for (int k = 0; k < 10; k++)
			facts_round(f, 0, stories[i].op, 8970, 20 + k);
		for (int rank = 0; rank < 4; rank++)
			facts_hold(f, 0, rank, stories[i].op,
				rank == 2 ? stories[i].mine : stories[i].most, 60);
		facts_expect(f, stories[i].class, "2", "0,1,3");
		facts_free(f);
	}
	(void)state;
}

/* Rank 2 is done and averages its loss: one element beside a bucket is no share. */
static void a_single_element_is_no_share(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 10; i++)
		facts_round(f, 0, JOB_OP_ALLREDUCE, 4680, 20 + i);
	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, i == 2 ? 1 : 4680, 60);
	expect(f, (struct expected){VERDICT_COLLECTIVE_MISMATCH, "2", VERDICT_NO_CAUSE,
		VERDICT_SUPPORTED, FACT_FIRST_FORK, 11, 10});
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_skipped_bucket),
		cmocka_unit_test(all_buckets_skipped_or_the_last_op_again),
		cmocka_unit_test(several_other_ops_in_a_row),
		cmocka_unit_test(a_skipped_bucket_of_the_first_step),
		cmocka_unit_test(a_skipped_bucket_where_nobody_went_on),
		cmocka_unit_test(the_very_first_op_and_nobody_went_on),
		cmocka_unit_test(one_of_equal_buckets),
		cmocka_unit_test(a_rank_that_skips_to_the_barrier),
		cmocka_unit_test(a_skip_that_is_long_past),
		cmocka_unit_test(who_skips_is_a_batch_ahead),
		cmocka_unit_test(a_batch_less_explains_what_was_left_out),
		cmocka_unit_test(a_skipped_op_of_no_elements),
		cmocka_unit_test(one_accumulation_step_more),
		cmocka_unit_test(one_accumulation_step_more_and_nobody_went_on),
		cmocka_unit_test(an_extra_barrier),
		cmocka_unit_test(an_extra_barrier_that_holds_its_rank),
		cmocka_unit_test(a_bucket_done_twice),
		cmocka_unit_test(another_amount_at_one_place),
		cmocka_unit_test(an_amount_that_is_in_no_step),
		cmocka_unit_test(an_amount_far_from_the_others_may_be_an_extra_op),
		cmocka_unit_test(another_op_at_one_place),
		cmocka_unit_test(what_two_ways_fit_is_not_established),
		cmocka_unit_test(members_that_were_not_seen_may_be_of_either_side),
		cmocka_unit_test(a_skip_among_the_ops_of_two_groups),
		cmocka_unit_test(an_op_called_in_the_wrong_group_is_no_amount),
		cmocka_unit_test(another_amount_at_another_line_is_another_op),
		cmocka_unit_test(a_sum_of_a_few_is_no_share),
		cmocka_unit_test(a_single_element_is_no_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
