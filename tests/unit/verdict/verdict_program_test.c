/* SPDX-License-Identifier: Apache-2.0 */
/* Shards and the program's own faults: S13-S21, S35, S36, S46, S53. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/judged.h"
#include "words/things.h"
#include "words/wording.h"

/* -- shards --------------------------------------------------------------------------------- */

static void shards(struct facts *f, int empty)
{
	for (int i = 0; i < f->n; i++)
		facts_shard(f, i, i == empty ? 0 : 4, 1);
}

static void s13_an_empty_batch_skips_its_work(void **state)
{
	struct facts *f = facts_new(4);

	shards(f, 3);
	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, i == 3 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 64, 20);
	facts_expect(f, VERDICT_EMPTY_SHARD, "3", "0-2");
	facts_free(f);
}

static void how_rows_were_dealt_out_is_told(void **state)
{
	struct facts *f = facts_new(4);
	struct str told = {0};
	struct judged j;

	(void)state;
	shards(f, 3);
	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, i == 3 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 64, 20);
	j = judge(f);
	for (size_t i = 0; i < j.first->nevidence; i++)
		if (j.first->evidence[i].kind == FACT_SHARD_SUM)
			wording_fact(&told, &j.first->evidence[i]);
	assert_string_equal(str_text(&told), "12 rows over 4 ranks = 3 x 4 + 0: not padded");
	str_release(&told);
	done(&j, f);
}

/* The empty rank returned at once and went on: its next operation meets the others' first. */
static void s14_a_count_of_zero_returns_and_runs_ahead(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 3; i++)
		facts_hold(f, 0, i, JOB_OP_ALLGATHER, 64, 20);
	facts_enter(f, 0, 3, JOB_OP_ALLGATHER, 0, 20);
	facts_hold(f, 0, 3, JOB_OP_ALLREDUCE, 8, 21);
	facts_expect(f, VERDICT_EMPTY_SHARD, "3", "0-2");
	facts_free(f);
}

/* All were zero but for rank 1, and the op itself is long out of the rings. */
static void a_zero_that_was_overwritten_still_counts(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++) {
		f->members[0][i].fact.head = 500;
		f->members[0][i].fact.done_known = false;
		f->members[0][i].fact.zeros = i == 1 ? 1 : 0;
	}
	for (int i = 0; i < 4; i++)
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 20);
	facts_hold(f, 0, 0, JOB_OP_ALLREDUCE, 64, 30);
	facts_hold(f, 0, 2, JOB_OP_ALLREDUCE, 64, 30);
	facts_hold(f, 0, 3, JOB_OP_ALLREDUCE, 64, 30);
	facts_expect(f, VERDICT_EMPTY_SHARD, "1", "0,2,3");
	facts_free(f);
}

static void all_zero_is_lawful(void **state)
{
	struct facts *f = facts_new(4);

	facts_round(f, 0, JOB_OP_ALLREDUCE, 0, 20);
	facts_round(f, 0, JOB_OP_ALLREDUCE, 64, 21);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

static void zero_counts_of_a_half_blame_them(void **state)
{
	struct facts *f = facts_new(2);

	facts_hold(f, 0, 0, JOB_OP_ALLREDUCE, 64, 20);
	facts_enter(f, 0, 1, JOB_OP_ALLREDUCE, 0, 20);
	facts_expect(f, VERDICT_EMPTY_SHARD, "1", "0");
	facts_free(f);
}

static void an_empty_shard_at_compile_time_is_no_graph_divergence(void **state)
{
	struct facts *f = facts_new(8);

	shards(f, 7);
	for (int i = 0; i < 8; i++) {
		facts_span(f, i, JOB_SPAN_COMPILE, "dynamo", i == 7 ? "41 ops" : "42 ops", 10, 15);
		facts_hold(f, 0, i, i == 7 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 64, 20);
	}
	facts_expect(f, VERDICT_EMPTY_SHARD, "7", "0-6");
	facts_free(f);
}

/*
 * Its third batch was empty, its sixtieth is not. What it calls now in the others' place has to do
 * with that only if it left something out then; here all before was alike, and what follows is.
 */
static void an_empty_batch_long_past_explains_no_other_call(void **state)
{
	for (int ago = 0; ago < 2; ago++) {
		struct facts *f = facts_new(4);

		facts_rounds(f, 0, 19, 20, 0.5);
		for (int i = 0; i < 4; i++)
			facts_shard(f, i, 4, 60);
		facts_emptied(f, 3, ago ? 2 : 58);
		for (int i = 0; i < 4; i++) {
			facts_enter(f, 0, i, i == 3 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 64, 40);
			facts_enter(f, 0, i, JOB_OP_REDUCESCATTER, 32, 41);
			facts_hold(f, 0, i, JOB_OP_BROADCAST, 16, 42);
		}
		facts_expect(f, ago ? VERDICT_COLLECTIVE_MISMATCH : VERDICT_EMPTY_SHARD, "3",
			"0-2");
		facts_free(f);
	}
	(void)state;
}

/* It skipped one operation of twenty, and is done one earlier than the rest. */
static void a_skipped_op_shows_at_the_end(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 19, 20, 0.5);
	for (int i = 0; i < 4; i++)
		facts_shard(f, i, i == 2 ? 0 : 4, 20);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 40);
	facts_end(f, 2, JOB_EXITED, 0, 41);
	facts_expect(f, VERDICT_EMPTY_SHARD, "2", "0,1,3");
	facts_free(f);
}

static void s15_another_count(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLGATHER, i == 3 ? 41 : 40, 20);
	facts_expect(f, VERDICT_UNEVEN_SHARD, "3", "0-2");
	facts_free(f);
}

static void counts_of_send_and_receive_may_differ_between_pairs(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++) {
		facts_p2p(f, 0, i, JOB_OP_SEND, (i + 1) % 4, 20, false)->sig.count =
			(uint64_t)(10 + i);
		facts_p2p(f, 0, i, JOB_OP_RECV, (i + 3) % 4, 20, false)->sig.count =
			(uint64_t)(10 + (i + 3) % 4);
	}
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

static void fewer_batches_then_exit_is_uneven(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++)
		facts_shard(f, i, 4, i == 1 ? 10 : 11);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 40);
	facts_end(f, 1, JOB_EXITED, 0, 40);
	facts_expect_cause(f, VERDICT_UNEVEN_SHARD, "1", VERDICT_BY_EARLY_EXIT);
	facts_free(f);
}

static void fewer_batches_then_another_op_is_uneven(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++) {
		facts_shard(f, i, 4, i == 1 ? 10 : 11);
		facts_hold(f, 0, i, i == 1 ? JOB_OP_BROADCAST : JOB_OP_ALLREDUCE, 4096, 40);
	}
	facts_expect(f, VERDICT_UNEVEN_SHARD, "1", "0,2,3");
	facts_free(f);
}

static void fewer_batches_then_destroy_is_uneven(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++)
		facts_step(f, i, i == 1 ? 9 : 10);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 40);
	f->members[0][1].fact.state = JOB_MEMBER_CLOSING;
	facts_call(f, 1, "ncclCommDestroy", 40);
	facts_expect(f, VERDICT_UNEVEN_SHARD, "1", "0,2,3");
	facts_free(f);
}

static void s46_one_batch_more_in_the_teardown(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 3; i++) {
		f->members[0][i].fact.state = JOB_MEMBER_CLOSING;
		facts_call(f, i, "ncclCommDestroy", 40);
	}
	facts_hold(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 41);
	facts_expect(f, VERDICT_UNEVEN_SHARD, "3", NULL);
	facts_free(f);
}

static void the_others_exited_and_one_goes_on(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 3; i++)
		facts_end(f, i, JOB_EXITED, 0, 40);
	facts_hold(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 41);
	facts_expect(f, VERDICT_UNEVEN_SHARD, "3", NULL);
	facts_free(f);
}

/* -- mismatches ----------------------------------------------------------------------------- */

static void s20_another_operation(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 5, 20, 0.5);
	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, i == 2 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 64, 30);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "2", "0,1,3");
	facts_free(f);
}

static void s18_a_rank_conditional_collective_in_a_save(void **state)
{
	struct facts *f = facts_new(4);

	facts_span(f, 0, JOB_SPAN_CHECKPOINT, "save", "", 25, FACTS_OPEN);
	for (int i = 1; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLGATHER, 64, 30);
	facts_enter(f, 0, 0, JOB_OP_ALLREDUCE, 1, 29);
	facts_hold(f, 0, 0, JOB_OP_ALLREDUCE, 1, 30);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "0", "1-3");
	facts_free(f);
}

static void s21_a_retry_after_a_swallowed_exception(void **state)
{
	struct facts *f = facts_new(4);

	facts_round(f, 0, JOB_OP_ALLGATHER, 64, 20);
	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, i == 1 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 64, 30);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "1", "0,2,3");
	facts_free(f);
}

static void another_root(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_BROADCAST, 64, 30)->sig.peer =
			group_rank(i == 3 ? 1 : 0);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "3", "0-2");
	facts_free(f);
}

static void wrong_data_without_a_hang(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 5, 20, 0.5);
	f->members[0][2].ops[3].sig.dtype = 9;
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "2", "");
	f->members[0][2].ops[3].sig.dtype = 7;
	f->members[0][2].ops[3].sig.redop = 2;
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "2", "");
	facts_free(f);
}

static void the_same_bytes_moved_as_another_type_are_fine(void **state)
{
	struct facts *f = facts_new(4);

	facts_round(f, 0, JOB_OP_ALLGATHER, 64, 20);
	facts_round(f, 0, JOB_OP_ALLGATHER, 64, 21);
	f->members[0][2].ops[0].sig.dtype = 0;
	f->members[0][2].ops[0].sig.count = 256;
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

static void own_reductions_have_own_handles(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 4, 20, 1);
	for (int i = 0; i < 4; i++) {
		f->members[0][i].ops[1].sig.redop = (uint8_t)(5 + i);
		f->members[0][i].ops[1].hash = f->members[0][i].ops[2].hash = 100 + (uint64_t)i;
	}
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

static void one_launch_has_no_order(void **state)
{
	struct facts *f = facts_new(4);

	facts_round(f, 0, JOB_OP_ALLREDUCE, 64, 20);
	facts_round(f, 0, JOB_OP_ALLGATHER, 32, 20);
	facts_round(f, 0, JOB_OP_ALLREDUCE, 64, 22);
	for (int i = 0; i < 4; i++)
		f->members[0][i].ops[0].launch = f->members[0][i].ops[1].launch = 1;
	f->members[0][1].ops[0].sig.op = JOB_OP_ALLGATHER;
	f->members[0][1].ops[0].sig.count = 32;
	f->members[0][1].ops[1].sig.op = JOB_OP_ALLREDUCE;
	f->members[0][1].ops[1].sig.count = 64;
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

static void s53_the_first_fork_not_the_last_op(void **state)
{
	struct facts *f = facts_new(4);
	struct job *job;
	struct verdicts *v;

	f->completion = false;
	for (int i = 0; i < 4; i++)
		f->members[0][i].fact.done_known = false;
	facts_rounds(f, 0, 20, 20, 0.5);
	f->members[0][1].ops[6].sig.op = JOB_OP_BROADCAST;
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 60);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "1", "0,2,3");
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->at[0].op_index, 7);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/* Is it told that so many ranks, this one first, wait in that call at that line? */
static bool waits_at(
	const struct verdict *v, size_t n, int first, const char *call, const char *place)
{
	bool found = false;

	for (size_t i = 0; i < v->nevidence; i++) {
		const struct verdict_fact *fact = &v->evidence[i];
		struct str told = {0};

		if (fact->kind != FACT_WAITS_AT || fact->ranks.n != n ||
			fact->ranks.at[0].i != first)
			continue;
		things_add(&told, fact->thing2);
		found |= !strcmp(fact->thing->name, call) && !strcmp(str_text(&told), place);
		str_release(&told);
	}
	return found;
}

/* Where in the program each side of a fork stands, by the stacks of a job with the probe. */
static void both_sides_of_a_fork_have_their_line(void **state)
{
	struct facts *f = facts_new(4);
	struct verdicts *v;
	struct job *job;

	facts_rounds(f, 0, 4, 10, 1);
	for (int rank = 0; rank < 4; rank++) {
		facts_hold(f, 0, rank, rank == 3 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 100, 20);
		facts_stack(f, rank,
			rank == 3 ? "all_gather@/e/torch/distributed/distributed_c10d.py:7 < "
				    "log@/me/train.py:90 < main@/me/train.py:9"
				  : "all_reduce@/e/torch/distributed/distributed_c10d.py:5 < "
				    "step@/me/train.py:88 < main@/me/train.py:9");
	}
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "3", "0-2");
	job = facts_job(f);
	v = verdicts_of(job);
	assert_true(waits_at(&v->at[0], 1, 3, "all_gather", "train.py:90 in log"));
	assert_true(waits_at(&v->at[0], 3, 0, "all_reduce", "train.py:88 in step"));
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/* A route that tells only bytes agrees with one that tells counts and types, or differs in them. */
static void bytes_are_compared_with_bytes(void **state)
{
	struct facts *f = facts_new(4);

	for (int rank = 0; rank < 4; rank++) {
		struct job_op *op = facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 100, 20);

		op->sig.dtype = 7; /* float32 */
		op->hash = 5;
		if (rank % 2 == 0)
			continue;
		op->sig.dtype = JOB_DTYPE_BYTES;
		op->sig.count = rank == 3 ? 404 : 400;
		op->hash = 6;
	}
	facts_expect(f, VERDICT_UNEVEN_SHARD, "3", "0-2");
	facts_free(f);
	f = facts_new(4);
	facts_rounds(f, 0, 4, 10, 1);
	for (int rank = 0; rank < 3; rank++) {
		struct job_op *op = facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 100, 20);

		op->sig.dtype = rank ? JOB_DTYPE_BYTES : 7;
		op->sig.count = rank ? 400 : 100;
		op->hash = rank ? 6 : 5;
	}
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	facts_free(f);
}

static void a_fork_that_only_the_hashes_show(void **state)
{
	struct facts *f = facts_new(4);

	f->completion = false;
	for (int i = 0; i < 4; i++) {
		f->members[0][i].fact.done_known = false;
		f->members[0][i].fact.head = 511;
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 20)->hash = i == 2 ? 5 : 4;
	}
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 64, 60);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "2", "0,1,3");
	facts_free(f);
}

/* The data was wrong once, and all went on: that is no reason not to see where they stand now. */
static void an_earlier_fork_does_not_hide_the_one_they_stand_at(void **state)
{
	for (int hidden = 0; hidden < 2; hidden++) {
		struct facts *f = facts_new(4);

		facts_rounds(f, 0, 8, 20, 1);
		for (int i = 0; i < 4; i++)
			for (int k = 2; k < 8; k++)
				f->members[0][i].ops[k].hash = i == 2 ? 5 : 4;
		if (!hidden)
			f->members[0][2].ops[2].sig.dtype = 0;
		for (int i = 0; i < 4; i++)
			facts_hold(f, 0, i, i ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 64, 30);
		facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "0", hidden ? "1-3" : "1,3");
		facts_free(f);
	}
}

/* What differed is overwritten, and nobody waits: the job goes on, with data that may be wrong. */
static void a_fork_that_all_passed_is_told_though_its_details_are_gone(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	for (int i = 0; i < 4; i++)
		f->members[0][i].fact.head = 510;
	facts_rounds(f, 0, 8, 92, 1);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 8; k++)
			f->members[0][i].ops[k].hash = i == 2 ? 5 : 4;
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_HEALTHY);
	assert_int_equal(j.first->confidence, VERDICT_SUPPORTED);
	assert_int_equal(j.v->nnot_judged, 1);
	assert_int_equal(j.v->not_judged[0].need, NEED_OLDER_CALLS);
	done(&j, f);
}

/*
 * One left out an operation, and the next two look alike: all went on in their calls, and the GPUs
 * stand at the first place where they differ. Where they differ again is no place of its own.
 */
static void where_the_device_stands_is_the_fork(void **state)
{
	static const uint64_t counts[] = {100, 200, 200, 300, 400};

	for (int tracked = 0; tracked < 2; tracked++) {
		struct facts *f = facts_new(4);

		facts_rounds(f, 0, 3, 10, 1);
		f->completion = tracked;
		for (int i = 0; i < 4; i++) {
			int left_out = i == 2;

			f->members[0][i].fact.done_known = tracked;
			for (int k = left_out; k < 4 + left_out; k++)
				facts_enter(f, 0, i, JOB_OP_ALLREDUCE, counts[k], 20);
			facts_sync(f, i, 21);
		}
		facts_expect_cause(f, VERDICT_COLLECTIVE_MISMATCH, "2", VERDICT_BY_SKIPPED);
		facts_free(f);
	}
}

/* Three ops; #3 of rank `odd` is another one by `what`; five more, and one is held in #9. */
static struct facts *differed_at_3(int odd, uint8_t what, uint64_t count, int last)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 8, 20, 1);
	f->members[0][odd].ops[2].sig.op = what;
	f->members[0][odd].ops[2].sig.count = count;
	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, i == last ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 64, 30);
	return f;
}

/* Calls returned; that the devices have passed the first place, nobody saw. */
static void a_place_that_devices_may_stand_at_is_the_fork(void **state)
{
	struct facts *f = differed_at_3(2, JOB_OP_BROADCAST, 64, 0);

	f->completion = false;
	for (int i = 0; i < 4; i++) {
		f->members[0][i].fact.done_known = false;
		for (int k = 0; k < 8; k++)
			f->members[0][i].ops[k].completed = JOB_MAYBE;
	}
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "2", NULL);
	facts_free(f);
}

/* However often it differed before: where they stand is no stall of the network. */
static void many_places_before_do_not_hide_it(void **state)
{
	for (int kind = 0; kind < 3; kind++) {
		struct facts *f = differed_at_3(2, JOB_OP_ALLREDUCE, 64, 0);

		f->members[0][2].ops[2].sig.dtype = 6;
		if (kind == 0) /* twice */
			f->members[0][2].ops[3].sig.dtype = 6;
		if (kind == 1) /* others, too */
			f->members[0][1].ops[4].sig.dtype = f->members[0][3].ops[6].sig.dtype = 6;
		if (kind == 2) /* just before */
			f->members[0][2].ops[7].sig.dtype = 6;
		facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "0", NULL);
		facts_free(f);
	}
}

static void who_had_no_rows_is_told_though_it_differs_again(void **state)
{
	struct facts *f = differed_at_3(3, JOB_OP_ALLREDUCE, 0, 3);

	facts_expect(f, VERDICT_EMPTY_SHARD, "3", NULL);
	facts_free(f);
}

static void half_of_the_evidence_names_camps_only(void **state)
{
	struct facts *f = facts_new(5);

	for (int i = 0; i < 5; i++)
		facts_hold(f, 0, i, i >= 3 ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER, 64, 30);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "3,4", "0-2");
	facts_lose_ring(f, 0);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "", NULL);
	facts_free(f);
}

/* One against one, two against two: both sides are named, and where in the program each of them is.
 */
static void sides_of_a_size_have_their_lines_and_no_culprit(void **state)
{
	for (int n = 2; n <= 4; n += 2) {
		struct facts *f = facts_new(n);
		int b = n == 2 ? facts_group_of(f, 2, 0, 1) : facts_group_of(f, 4, 0, 1, 2, 3);
		struct verdicts *v;
		struct job *job;

		for (int rank = 0; rank < n; rank++) {
			bool first = rank < n / 2;

			facts_hold(f, first ? 0 : b, rank, JOB_OP_ALLREDUCE, 64, 30);
			facts_stack(f, rank,
				first ? "all_reduce@/e/torch/distributed/distributed_c10d.py:5 < "
					"data@/me/train.py:88 < main@/me/train.py:9"
				      : "all_reduce@/e/torch/distributed/distributed_c10d.py:5 < "
					"tensor@/me/train.py:90 < main@/me/train.py:9");
		}
		facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
		assert_int_equal(facts_culprits(f), 0);
		job = facts_job(f);
		v = verdicts_of(job);
		assert_int_equal(v->at[0].confidence, VERDICT_SUPPORTED);
		assert_int_equal(v->at[0].outlook, VERDICT_KILL);
		assert_int_equal(v->at[0].camp_a.n, n / 2);
		assert_int_equal(v->at[0].camp_b.n, n / 2);
		assert_true(waits_at(&v->at[0], 1, 0, "all_reduce", "train.py:88 in data"));
		assert_true(waits_at(&v->at[0], 1, n / 2, "all_reduce", "train.py:90 in tensor"));
		verdicts_free(v);
		job_free(job);
		facts_free(f);
	}
	(void)state;
}

/* -- chains --------------------------------------------------------------------------------- */

static void s35_a_sub_group_hangs_in_a_healthy_world(void **state)
{
	struct facts *f = facts_new(4);
	int tp = facts_group_of(f, 2, 2, 3);

	facts_rounds(f, 0, 3, 20, 1);
	facts_hold(f, tp, 2, JOB_OP_ALLREDUCE, 64, 40);
	facts_hold(f, 0, 0, JOB_OP_ALLREDUCE, 4096, 41);
	facts_hold(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 41);
	facts_outside(f, 3, 24);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	facts_free(f);
}

static void s36_a_pipeline_is_followed_to_its_source(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 1; i < 4; i++)
		facts_p2p(f, 0, i, JOB_OP_RECV, i - 1, 30, true);
	facts_span(f, 0, JOB_SPAN_INPUT, "next batch", "", 25, FACTS_OPEN);
	facts_expect_where(f, VERDICT_HOST_STALL, "0", VERDICT_IN_INPUT);
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(s13_an_empty_batch_skips_its_work),
		cmocka_unit_test(how_rows_were_dealt_out_is_told),
		cmocka_unit_test(s14_a_count_of_zero_returns_and_runs_ahead),
		cmocka_unit_test(a_zero_that_was_overwritten_still_counts),
		cmocka_unit_test(all_zero_is_lawful),
		cmocka_unit_test(zero_counts_of_a_half_blame_them),
		cmocka_unit_test(an_empty_shard_at_compile_time_is_no_graph_divergence),
		cmocka_unit_test(an_empty_batch_long_past_explains_no_other_call),
		cmocka_unit_test(a_skipped_op_shows_at_the_end),
		cmocka_unit_test(s15_another_count),
		cmocka_unit_test(counts_of_send_and_receive_may_differ_between_pairs),
		cmocka_unit_test(fewer_batches_then_exit_is_uneven),
		cmocka_unit_test(fewer_batches_then_another_op_is_uneven),
		cmocka_unit_test(fewer_batches_then_destroy_is_uneven),
		cmocka_unit_test(s46_one_batch_more_in_the_teardown),
		cmocka_unit_test(the_others_exited_and_one_goes_on),
		cmocka_unit_test(s20_another_operation),
		cmocka_unit_test(s18_a_rank_conditional_collective_in_a_save),
		cmocka_unit_test(s21_a_retry_after_a_swallowed_exception),
		cmocka_unit_test(another_root),
		cmocka_unit_test(wrong_data_without_a_hang),
		cmocka_unit_test(the_same_bytes_moved_as_another_type_are_fine),
		cmocka_unit_test(own_reductions_have_own_handles),
		cmocka_unit_test(one_launch_has_no_order),
		cmocka_unit_test(s53_the_first_fork_not_the_last_op),
		cmocka_unit_test(both_sides_of_a_fork_have_their_line),
		cmocka_unit_test(bytes_are_compared_with_bytes),
		cmocka_unit_test(a_fork_that_only_the_hashes_show),
		cmocka_unit_test(an_earlier_fork_does_not_hide_the_one_they_stand_at),
		cmocka_unit_test(where_the_device_stands_is_the_fork),
		cmocka_unit_test(a_place_that_devices_may_stand_at_is_the_fork),
		cmocka_unit_test(many_places_before_do_not_hide_it),
		cmocka_unit_test(who_had_no_rows_is_told_though_it_differs_again),
		cmocka_unit_test(a_fork_that_all_passed_is_told_though_its_details_are_gone),
		cmocka_unit_test(half_of_the_evidence_names_camps_only),
		cmocka_unit_test(sides_of_a_size_have_their_lines_and_no_culprit),
		cmocka_unit_test(s35_a_sub_group_hangs_in_a_healthy_world),
		cmocka_unit_test(s36_a_pipeline_is_followed_to_its_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
