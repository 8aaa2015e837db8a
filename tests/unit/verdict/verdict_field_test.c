/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of PyTorch that were judged wrongly once, as they came in from the field. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/judged.h"

#define GLOO_ECHO "RuntimeError: [pair.cc:561] Connection closed by peer [127.0.0.1]:29328"

static void input_end(struct facts *f, int rank, int64_t batches, double at)
{
	facts_trait(f, rank, "input-end", "train", batches);
	f->extra[f->nextra - 1].is.trait.when = facts_ns(at);
}

/* A batch of that index in its pass; `batches` counts over all passes. */
static void batch(struct facts *f, int rank, uint64_t index, uint64_t batches, double at)
{
	struct job_shard *shard;

	facts_shard(f, rank, 4, batches);
	shard = &f->extra[f->nextra - 1].is.shard;
	shard->index = index;
	shard->when = facts_ns(at);
}

/* -- shards ------------------------------------------------------------------------------------ */

/* All had 8 batches; rank 0 evaluates in between, and the others are in the next pass. */
static void an_evaluation_of_one_rank_is_no_uneven_shard(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < 4; i++) {
		batch(f, i, i ? 0 : 7, i ? 9 : 8, i ? 22 : 20);
		input_end(f, i, 8, 21);
		facts_hold(f, 0, i, i ? JOB_OP_BROADCAST : JOB_OP_ALLREDUCE, i ? 128 : 1, 30);
	}
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "0", "1-3");
	facts_free(f);
}

/* Rank 1 synchronises more often, and so hangs in the middle of its data. */
static void who_hangs_in_the_middle_of_its_data_has_no_uneven_shard(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < 4; i++) {
		batch(f, i, i == 1 ? 38 : 47, i == 1 ? 39 : 48, 20);
		facts_trait(f, i, "framework", "torch 2.15.0", -1);
		if (i != 1)
			input_end(f, i, 48, 21);
		facts_hold(f, 0, i, i == 1 ? JOB_OP_ALLREDUCE : JOB_OP_BARRIER, i == 1 ? 33 : 1,
			30);
	}
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "1", "0,2,3");
	facts_free(f);
}

/* It left in good order in the middle of its data: not since it had less. */
static void an_exit_in_the_middle_of_the_data_is_early(void **state)
{
	struct facts *f = facts_new(4);

	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 64, 30);
	for (int i = 0; i < 4; i++) {
		batch(f, i, i == 1 ? 3 : 4, i == 1 ? 4 : 5, 20);
		facts_trait(f, i, "framework", "torch 2.15.0", -1);
	}
	facts_end(f, 1, JOB_EXITED, 0, 31);
	facts_expect(f, VERDICT_EARLY_EXIT, "1", "0,2,3");
	facts_free(f);
}

/*
 * A frozen rank passes on nothing in gloo's ring, so its neighbour has not completed the operation
 * either. Nobody saw that it is frozen: who of the two holds the other, nobody knows.
 */
static void a_neighbour_of_who_stands_is_not_named_with_it(void **state)
{
	struct facts *f = facts_new(8);
	struct judged j;

	(void)state;
	f->group_makers[0] = "gloo";
	f->completion = true;
	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < 8; i++)
		facts_hold(f, 0, i, JOB_OP_ALLGATHER, 64, 30)->completed =
			i == 2 || i == 3 ? JOB_NO : JOB_YES;
	j = judge(f);
	assert_int_equal(facts_culprits(f), 0);
	assert_int_not_equal(j.first->class, VERDICT_HEALTHY);
	dismiss(j);
	f->ranks[2].process.state = 'T';
	facts_expect(f, VERDICT_HOST_STALL, "2", NULL);
	facts_free(f);
}

/* -- ends -------------------------------------------------------------------------------------- */

/* Ctrl-C at one rank, which takes its time; the others hear of it, then torchrun ends them. */
static void an_order_to_one_rank_is_the_cause_of_all_ends(void **state)
{
	static const int orders[] = {2, 15};

	for (size_t k = 0; k < 2; k++) {
		struct facts *f = facts_new(4);

		f->group_makers[0] = "gloo";
		facts_rounds(f, 0, 5, 10, 1);
		facts_signal(f, 2, orders[k], 4242, "", 30);
		facts_log(f, 2, "KeyboardInterrupt");
		facts_end(f, 2, JOB_SIGNALED, orders[k], 33);
		for (int i = 0; i < 4; i++) {
			if (i == 2)
				continue;
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 29.9)->completed = JOB_NO;
			facts_log(f, i, GLOO_ECHO);
			facts_signal(f, i, 15, 900, "", 32.2);
			facts_end(f, i, JOB_SIGNALED, 15, 32.3);
		}
		facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_KILLED);
		facts_free(f);
	}
}

/* One of four closed the group; the others died of its connections, and torchrun ended the rest. */
static struct facts *left_and_ended(int leaver, bool at_once)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	f->members[0][leaver].fact.state = JOB_MEMBER_GONE;
	facts_signal(f, leaver, 15, 900, "", 32.2)->fatal = false;
	facts_end(f, leaver, at_once ? JOB_SIGNALED : JOB_EXITED, at_once ? 15 : 1, 32.3);
	for (int i = 0; i < 4; i++) {
		if (i == leaver)
			continue;
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 30)->completed = JOB_NO;
		facts_note(f, i, GLOO_ECHO, 30.1);
		facts_end(f, i, JOB_EXITED, 1, 31);
	}
	return f;
}

static void who_closed_the_group_before_all_ended_is_named(void **state)
{
	struct facts *f = left_and_ended(1, true);

	facts_expect_cause(f, VERDICT_COLLECTIVE_MISMATCH, "1", VERDICT_BY_LEFT_GROUP);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "1", "0,2,3");
	facts_free(f);
	/* Its handler may have closed it, because it was told to end. */
	f = left_and_ended(1, false);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/*
 * The launcher's signal came to one of the others, too, before its operation had failed: it had
 * waited for longer than a hang takes.
 */
static void who_closed_the_group_is_named_while_another_still_waits(void **state)
{
	for (int handler = 0; handler < 2; handler++) {
		struct facts *f = facts_new(4);

		f->group_makers[0] = "gloo";
		facts_rounds(f, 0, 20, 28, 0.1);
		f->members[0][1].fact.state = JOB_MEMBER_GONE;
		facts_outside(f, 1, handler ? 32.25 : 30.02);
		for (int i = 0; i < 4; i++) {
			if (i != 1)
				facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, 30)->completed = JOB_NO;
			facts_signal(f, i, 15, 900, "", 32.2)->fatal = false;
			facts_end(f, i, JOB_SIGNALED, 15, 32.3);
		}
		facts_note(f, 0, GLOO_ECHO, 30.1);
		facts_end(f, 0, JOB_EXITED, 1, 31);
		if (handler)
			facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
		else
			facts_expect_cause(f, VERDICT_COLLECTIVE_MISMATCH, "1",
				VERDICT_BY_LEFT_GROUP);
		facts_free(f);
	}
}

/*
 * It closed the group behind an operation that had failed for it, too: the others had one more
 * under way. Or somebody told it to end, it closed the group as it obeyed, and was told once more.
 * Or they do not say of what they died. All that is no leaving of its own.
 */
static void who_closed_the_group_for_another_reason_is_not_named(void **state)
{
	struct facts *f = left_and_ended(1, true);

	facts_enter(f, 0, 1, JOB_OP_ALLREDUCE, 64, 30)->completed = JOB_NO;
	for (int i = 0; i < 4; i++)
		if (i != 1)
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 30.05)->completed = JOB_NO;
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);

	f = left_and_ended(1, true);
	facts_signal(f, 1, 15, 900, "", 28)->fatal = false;
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);

	f = facts_new(4);
	facts_rounds(f, 0, 5, 10, 1);
	f->members[0][1].fact.state = JOB_MEMBER_GONE;
	facts_end(f, 1, JOB_SIGNALED, 15, 32.3);
	for (int i = 0; i < 4; i++) {
		if (i != 1) {
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 30)->completed = JOB_NO;
			facts_end(f, i, JOB_SIGNALED, 15, 31);
		}
	}
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/*
 * What its ring lost may be that it came to that operation, too. Whether the operation of the
 * others was over nobody may know: then they died of something else. And seats of two attempts of
 * an elastic job, of which each node shows another, are not one group.
 */
static void what_was_lost_is_no_leaving(void **state)
{
	for (int how = 0; how < 4; how++) {
		struct facts *f = left_and_ended(1, true);

		if (how == 0)
			f->ranks[1].lost = 9;
		else if (how == 1)
			facts_loss(f, 1, "cut")->of_ops = true;
		for (int i = 0; i < 4; i++) {
			struct facts_member *m = &f->members[0][i];

			if (how == 2 && i != 1)
				m->ops[m->nops - 1].completed = JOB_MAYBE;
			if (how != 3)
				continue;
			f->ranks[i].restart = i < 2;
			facts_move(f, i, i < 2 ? 0 : 1);
		}
		assert_int_equal(facts_culprits(f), 0);
		facts_free(f);
	}
	(void)state;
}

/*
 * The program destroys its group while something holds the object behind it still: it is in no call
 * that closes it. Of NCCL that is a finalize.
 */
static void who_destroyed_a_group_that_lives_on_has_left_it(void **state)
{
	static const char *const makers[] = {"gloo", "nccl"};

	for (size_t i = 0; i < 2; i++) {
		struct facts *f = facts_new(4);
		struct verdicts *v;
		struct job *job;

		f->group_makers[0] = makers[i];
		facts_rounds(f, 0, 10, 20, 0.5);
		facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 40);
		facts_outside(f, 1, 39);
		f->members[0][1].fact.state = JOB_MEMBER_CLOSING;
		facts_expect_cause(
			f, VERDICT_COLLECTIVE_MISMATCH, "1", VERDICT_BY_LEFT_GROUP);
		job = facts_job(f);
		v = verdicts_of(job);
		assert_int_equal(v->at[0].evidence[0].kind,
			i ? FACT_FINALIZED_GROUP : FACT_LEFT_GROUP);
		verdicts_free(v);
		job_free(job);
		facts_free(f);
	}
	(void)state;
}

/* It destroyed the group; that it came to what the others wait in may be among what is lost. */
static void a_group_left_by_a_ring_with_losses_is_not_established(void **state)
{
	for (int in_circle = 0; in_circle < 2; in_circle++)
		for (int lost = 0; lost < 2; lost++) {
			struct facts *f = facts_new(4);
			int other = facts_group_of(f, 4, 0, 1, 2, 3);
			struct verdicts *v;
			struct job *job;

			facts_rounds(f, 0, 10, 20, 0.5);
			facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 40);
			f->members[0][1].fact.state = JOB_MEMBER_GONE;
			if (in_circle)
				facts_hold(f, other, 1, JOB_OP_ALLREDUCE, 4096, 40);
			f->ranks[1].lost = lost ? 9 : 0;
			facts_expect_cause(f, VERDICT_COLLECTIVE_MISMATCH, "1",
				VERDICT_BY_LEFT_GROUP);
			job = facts_job(f);
			v = verdicts_of(job);
			assert_int_equal(v->at[0].confidence,
				lost ? VERDICT_SUPPORTED : VERDICT_ESTABLISHED);
			verdicts_free(v);
			job_free(job);
			facts_free(f);
		}
	(void)state;
}

/* It closed the group, and exited, since it had fewer batches: that is why, whatever it did. */
static void who_left_with_less_work_before_all_ended_is_uneven(void **state)
{
	for (int closed = 0; closed < 2; closed++) {
		struct facts *f = facts_new(4);

		f->group_makers[0] = "gloo";
		facts_rounds(f, 0, 5, 10, 1);
		if (closed)
			f->members[0][1].fact.state = JOB_MEMBER_GONE;
		facts_end(f, 1, JOB_EXITED, 0, 30.05);
		for (int i = 0; i < 4; i++) {
			batch(f, i, i == 1 ? 4 : 5, i == 1 ? 5 : 6, 20);
			if (i == 1) {
				input_end(f, i, 5, 20);
				continue;
			}
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 30)->completed = JOB_NO;
			facts_note(f, i, GLOO_ECHO, 30.1);
			facts_end(f, i, JOB_EXITED, 1, 31);
		}
		facts_expect(f, VERDICT_UNEVEN_SHARD, "1", NULL);
		facts_free(f);
	}
}

/* Three closed it, and one had an operation too many: that others left is no fault of theirs. */
static void whom_most_have_left_is_not_left(void **state)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	facts_enter(f, 0, 2, JOB_OP_BARRIER, 0, 30)->completed = JOB_NO;
	facts_note(f, 2, GLOO_ECHO, 30.1);
	facts_end(f, 2, JOB_EXITED, 1, 31);
	for (int i = 0; i < 4; i++) {
		if (i == 2)
			continue;
		f->members[0][i].fact.state = JOB_MEMBER_GONE;
		facts_signal(f, i, 15, 900, "", 32.2);
		facts_end(f, i, JOB_SIGNALED, 15, 32.3);
	}
	assert_int_equal(facts_culprits(f) & ~(UINT64_C(1) << 2), 0);
	facts_free(f);
}

/* With nothing known of the others nobody can say that the order was to one rank alone. */
static void an_order_to_one_among_unknown_ones_blames_nobody(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 5, 10, 1);
	facts_signal(f, 2, 15, 4242, "", 30);
	facts_end(f, 2, JOB_SIGNALED, 15, 30.1);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			facts_lose_ring(f, i);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			f->ranks[i].exit_known = false;
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* The same signal to all of them, by whoever it was, is the end of the job. */
static void an_order_to_all_is_the_end(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < 4; i++) {
		facts_signal(f, i, 15, 4242, "", 30);
		facts_end(f, i, JOB_SIGNALED, 15, 30.1);
	}
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* Of two gloo ranks with different amounts the one that expects less aborts: by the amounts. */
static void an_abort_over_different_amounts_is_their_effect(void **state)
{
	struct facts *f = facts_new(4);
	struct verdicts *v;
	struct job *job;

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, i == 2 ? 872 : 1000, 30)->completed = JOB_NO;
	facts_signal(f, 2, 6, 0, "gloo_tcp_loop", 30.1)->fatal = true;
	facts_end(f, 2, JOB_SIGNALED, 6, 30.2);
	facts_expect(f, VERDICT_UNEVEN_SHARD, "2", NULL);
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->n, 1);
	/* Where it was called went with the rank: it may be another call than the others'. */
	assert_int_equal(v->at[0].confidence, VERDICT_SUPPORTED);
	assert_int_equal(v->at[0].next, VERDICT_NEXT_COMPARE_CALL_SITES);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

#define ENFORCED "terminate called after throwing an instance of 'gloo::EnforceNotMet'"

/* Rank 1 gathers more than the others expect, of whom the one beside it in the ring aborts. */
static void an_abort_over_what_another_brought_is_nobodys_death(void **state)
{
	for (int told = 0; told < 2; told++) {
		struct facts *f = facts_new(4);

		f->group_makers[0] = "gloo";
		facts_rounds(f, 0, 5, 10, 1);
		for (int i = 0; i < 4; i++)
			facts_hold(f, 0, i, JOB_OP_ALLGATHER, i == 1 ? 256 : 128, 30)->completed =
				JOB_NO;
		facts_signal(f, 2, 6, 0, "gloo_tcp_loop", 30.1)->fatal = true;
		if (told)
			facts_log(f, 2, ENFORCED);
		facts_end(f, 2, JOB_SIGNALED, 6, 30.2);
		facts_expect(f, VERDICT_UNEVEN_SHARD, "1", NULL);
		assert_int_equal(facts_culprits(f), 1 << 1);
		facts_free(f);
	}
}

/* A script that ends early; torch's teardown aborts, and the others hear of it at once. */
static void an_early_exit_that_others_hear_of_at_once(void **state)
{
	for (int aborts = 0; aborts < 2; aborts++) {
		struct facts *f = facts_new(4);

		f->group_makers[0] = "gloo";
		facts_rounds(f, 0, 5, 10, 1);
		if (aborts)
			facts_signal(f, 1, 6, 0, "pt_gloo_runloop", 30)->fatal = true;
		facts_end(f, 1, aborts ? JOB_SIGNALED : JOB_EXITED, aborts ? 6 : 0, 30);
		for (int i = 0; i < 4; i++) {
			if (i == 1)
				continue;
			facts_log(f, i, GLOO_ECHO);
			facts_signal(f, i, 15, 900, "", 30.6);
			facts_end(f, i, JOB_SIGNALED, 15, 30.7);
		}
		facts_expect(f, VERDICT_EARLY_EXIT, "1", NULL);
		assert_int_equal(facts_culprits(f), 1 << 1);
		facts_free(f);
	}
}

/* All exit in good order, and one stumbles over the others' end: nothing is wrong. */
static void the_last_to_leave_may_stumble(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < 3; i++)
		facts_end(f, i, JOB_EXITED, 0, 30);
	facts_log(f, 3, GLOO_ECHO);
	facts_end(f, 3, JOB_EXITED, 1, 30.5);
	assert_int_equal(facts_culprits(f) & 7, 0);
	facts_free(f);
}

/* A thread of rank 1 died that should have come to another group's op. */
static void a_thread_that_died_is_why_its_rank_does_not_come(void **state)
{
	struct facts *f = facts_new(4);
	int other = facts_group_of(f, 4, 0, 1, 2, 3);

	facts_rounds(f, 0, 5, 10, 1);
	facts_hold(f, 0, 1, JOB_OP_BARRIER, 1, 30);
	for (int i = 0; i < 4; i++)
		if (i != 1)
			facts_hold(f, other, i, JOB_OP_ALLREDUCE, 1, 30);
	facts_expect(f, VERDICT_ORDER_INVERSION, "1", "0,2,3");
	facts_say(f, 1, "thread exception: RuntimeError: metric is not finite", 29);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_EXCEPTION);
	facts_free(f);
}

/* A signal to the whole process group ends all, and their agent: nobody times any end. */
static void what_stood_before_the_order_to_all_is_judged(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 5, 10, 1);
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 64, 60);
	facts_span(f, 2, JOB_SPAN_INPUT, "train", "", 59, FACTS_OPEN);
	for (int i = 0; i < 4; i++) {
		facts_signal(f, i, 15, 4242, "", 90);
		facts_end(f, i, JOB_GONE, 0, 90);
		f->ranks[i].process.ended = JOB_UNKNOWN;
	}
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_INPUT);
	facts_free(f);
}

/* NCCL past the probe, then a signal to all: no ring of any rank tells that it was well. */
static void without_any_ring_nothing_is_known_to_be_well(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++) {
		facts_candidate(f, i);
		facts_lose_ring(f, i);
		facts_end(f, i, JOB_SIGNALED, 15, 90);
	}
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	for (int i = 0; i < 4; i++)
		facts_end(f, i, JOB_EXITED, 0, 90);
	facts_expect(f, VERDICT_HEALTHY, "", NULL);
	facts_free(f);
}

/* monitored_barrier() of all but rank 1 gives up; they die of that, and the launcher ends rank 1.
 */
static void who_gave_up_and_died_of_it_had_waited(void **state)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < 4; i++) {
		if (i == 1)
			continue;
		facts_enter(f, 0, i, JOB_OP_BARRIER, 1, 60)->failed = true;
		facts_outside(f, i, 90);
		facts_note(f, i, "exception: RuntimeError: Rank 1 failed to pass monitoredBarrier",
			90);
		facts_end(f, i, JOB_EXITED, 1, 90.2);
	}
	facts_signal(f, 1, 15, 900, "", 90.3);
	facts_end(f, 1, JOB_SIGNALED, 15, 90.4);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	facts_free(f);
}

/* -- order ------------------------------------------------------------------------------------- */

/* gloo runs each group's ops on its own threads: an open op of one holds none of another. */
static void ops_of_two_gloo_groups_do_not_wait_for_each_other(void **state)
{
	struct facts *f = facts_new(4);
	int pair = facts_group_of(f, 2, 0, 1);

	f->group_makers[0] = f->group_makers[pair] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	facts_enter(f, pair, 0, JOB_OP_ALLREDUCE, 64, 20)->completed = JOB_NO;
	for (int i = 0; i < 4; i++)
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 21)->completed = JOB_NO;
	for (int i = 0; i < 4; i++)
		facts_sync(f, i, 21);
	facts_expect(f, VERDICT_TRANSPORT_STALL, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	f->group_makers[0] = f->group_makers[pair] = "nccl";
	facts_expect(f, VERDICT_ORDER_INVERSION, "", "0-3");
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* A group of some is given up, and the one of all is not. */
static void who_destroys_a_small_group_does_not_leave(void **state)
{
	struct facts *f = facts_new(4);
	int pair = facts_group_of(f, 2, 0, 1);

	facts_rounds(f, 0, 5, 10, 1);
	f->members[pair][1].fact.state = JOB_MEMBER_GONE;
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 64, 30);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2,3");
	f->members[0][1].fact.state = JOB_MEMBER_GONE;
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "1", "0,2,3");
	facts_free(f);
}

/* -- what to do next --------------------------------------------------------------------------- */

/* Its process is there and at work: not the launcher, its stack tells why. */
static void a_rank_that_is_there_is_looked_at_by_its_stack(void **state)
{
	struct facts *f = facts_new(4);
	struct verdicts *v;
	struct job *job;

	for (int i = 1; i < 4; i++)
		facts_in_init(f, 0, i, 20);
	facts_candidate(f, 0);
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->at[0].class, VERDICT_NOT_STARTED);
	assert_int_equal(v->at[0].next, VERDICT_NEXT_STACK_OF_RANK);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/* Of what is over no stack can be taken, and nobody can attach to it again. */
static void a_next_step_is_possible(void **state)
{
	struct facts *f = facts_new(4);
	struct verdicts *v;
	struct job *job;

	facts_rounds(f, 0, 5, 10, 1);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 64, 20);
	for (int i = 0; i < 4; i++) {
		facts_signal(f, i, 15, 900, "", 60);
		facts_end(f, i, JOB_SIGNALED, 15, 60.1);
	}
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->at[0].class, VERDICT_HOST_STALL);
	assert_int_equal(v->at[0].next, VERDICT_NEXT_STACK_NEXT_TIME);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_evaluation_of_one_rank_is_no_uneven_shard),
		cmocka_unit_test(who_hangs_in_the_middle_of_its_data_has_no_uneven_shard),
		cmocka_unit_test(an_exit_in_the_middle_of_the_data_is_early),
		cmocka_unit_test(a_neighbour_of_who_stands_is_not_named_with_it),
		cmocka_unit_test(an_order_to_one_rank_is_the_cause_of_all_ends),
		cmocka_unit_test(who_closed_the_group_before_all_ended_is_named),
		cmocka_unit_test(what_was_lost_is_no_leaving),
		cmocka_unit_test(who_destroyed_a_group_that_lives_on_has_left_it),
		cmocka_unit_test(a_group_left_by_a_ring_with_losses_is_not_established),
		cmocka_unit_test(who_left_with_less_work_before_all_ended_is_uneven),
		cmocka_unit_test(who_closed_the_group_is_named_while_another_still_waits),
		cmocka_unit_test(who_closed_the_group_for_another_reason_is_not_named),
		cmocka_unit_test(whom_most_have_left_is_not_left),
		cmocka_unit_test(an_order_to_one_among_unknown_ones_blames_nobody),
		cmocka_unit_test(an_order_to_all_is_the_end),
		cmocka_unit_test(what_stood_before_the_order_to_all_is_judged),
		cmocka_unit_test(without_any_ring_nothing_is_known_to_be_well),
		cmocka_unit_test(who_gave_up_and_died_of_it_had_waited),
		cmocka_unit_test(an_abort_over_different_amounts_is_their_effect),
		cmocka_unit_test(an_abort_over_what_another_brought_is_nobodys_death),
		cmocka_unit_test(an_early_exit_that_others_hear_of_at_once),
		cmocka_unit_test(the_last_to_leave_may_stumble),
		cmocka_unit_test(a_thread_that_died_is_why_its_rank_does_not_come),
		cmocka_unit_test(ops_of_two_gloo_groups_do_not_wait_for_each_other),
		cmocka_unit_test(who_destroys_a_small_group_does_not_leave),
		cmocka_unit_test(a_next_step_is_possible),
		cmocka_unit_test(a_rank_that_is_there_is_looked_at_by_its_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
