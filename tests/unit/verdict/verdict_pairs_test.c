/* SPDX-License-Identifier: Apache-2.0 */
/* Sends and receives left out, or too many: a circle that is no other order. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/facts.h"

static void send_to(struct facts *f, int rank, int peer, bool held)
{
	facts_p2p(f, 0, rank, JOB_OP_SEND, peer, held ? 60 : 20, held);
}

static struct job_op *receive_from(struct facts *f, int rank, int peer, bool held)
{
	return facts_p2p(f, 0, rank, JOB_OP_RECV, peer, held ? 60 : 20, held);
}

/* A stage of a pipeline in one step: receives, sends, and all agree on the loss. */
static void take_step(struct facts *f, int stage)
{
	if (stage > 0)
		receive_from(f, stage, stage - 1, false);
	if (stage < f->n - 1)
		send_to(f, stage, stage + 1, false);
}

static void take_steps(struct facts *f, int n)
{
	for (int i = 0; i < n; i++) {
		for (int stage = 0; stage < f->n; stage++)
			take_step(f, stage);
		facts_round(f, 0, JOB_OP_ALLREDUCE, 1, 20 + i);
	}
}

/*
 * The step in which that stage sends nothing: those before it come to the loss, as it does itself;
 * those behind it wait for what they receive.
 */
static void leave_out_send(struct facts *f, int stage)
{
	for (int i = 0; i < f->n; i++) {
		if (i > stage) {
			receive_from(f, i, i - 1, true);
			continue;
		}
		if (i > 0)
			receive_from(f, i, i - 1, false);
		if (i < stage)
			send_to(f, i, i + 1, false);
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 1, 60);
	}
}

static const struct verdict_fact *fact_of(const struct verdict *v, enum verdict_fact_kind kind)
{
	for (size_t i = 0; i < v->nevidence; i++)
		if (v->evidence[i].kind == kind)
			return &v->evidence[i];
	return NULL;
}

/* The only finding; the fact of that kind says a, b and c. */
static void expect(const struct facts *f, const char *culprits, enum verdict_cause cause,
	enum verdict_confidence confidence, struct verdict_fact said)
{
	struct job *job;
	struct verdicts *v;
	const struct verdict_fact *fact;

	facts_expect_cause(f, VERDICT_COLLECTIVE_MISMATCH, culprits, cause);
	job = facts_job(f);
	v = verdicts_of(job);
	if (v->n != 1 || v->at[0].confidence != confidence)
		facts_print(v);
	assert_int_equal(v->n, 1);
	assert_int_equal(v->at[0].confidence, confidence);
	fact = fact_of(&v->at[0], said.kind);
	assert_non_null(fact);
	assert_int_equal(fact->a, said.a);
	assert_int_equal(fact->b, said.b);
	assert_int_equal(fact->c, said.c);
	verdicts_free(v);
	job_free(job);
}

/* By its own steps, and by the stages before it that sent once more. */
static void a_skipped_send(void **state)
{
	struct facts *f = facts_new(6);

	take_steps(f, 4);
	leave_out_send(f, 3);
	expect(f, "3", VERDICT_BY_SKIPPED, VERDICT_ESTABLISHED,
		(struct verdict_fact){FACT_LEFT_OUT_CALL, .a = 5, .b = 4, .c = 4});
	expect(f, "3", VERDICT_BY_SKIPPED, VERDICT_ESTABLISHED,
		(struct verdict_fact){FACT_LIKE_PAIRS, .a = 5, .b = 3, .c = JOB_UNKNOWN});
	facts_free(f);
}

/* Nobody is like the first stage in that step: its own steps before tell. */
static void a_send_that_the_first_stage_skips(void **state)
{
	struct facts *f = facts_new(4);

	take_steps(f, 4);
	leave_out_send(f, 0);
	expect(f, "0", VERDICT_BY_SKIPPED, VERDICT_SUPPORTED,
		(struct verdict_fact){FACT_LEFT_OUT_CALL, .a = 5, .b = 1, .c = 4});
	facts_free(f);
}

/* There is no step before: the stages like it tell. */
static void a_send_skipped_in_the_first_step(void **state)
{
	struct facts *f = facts_new(8);

	leave_out_send(f, 4);
	expect(f, "4", VERDICT_BY_SKIPPED, VERDICT_SUPPORTED,
		(struct verdict_fact){FACT_LEFT_OUT_CALL, .a = 1, .b = 5, .c = 0});
	facts_free(f);
}

/* Neither is there: it may be a send too few, a receive too many, or another order. */
static void nothing_to_compare_with(void **state)
{
	struct facts *f = facts_new(4);

	leave_out_send(f, 0);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* Activations forth, gradients back: the one that sent nothing waits for the other's answer. */
static void a_skipped_send_with_an_answer(void **state)
{
	struct facts *f = facts_new(2);

	for (int i = 0; i < 4; i++) {
		send_to(f, 0, 1, false);
		receive_from(f, 1, 0, false);
		send_to(f, 1, 0, false);
		receive_from(f, 0, 1, false);
	}
	receive_from(f, 0, 1, true);
	receive_from(f, 1, 0, true);
	expect(f, "0", VERDICT_BY_SKIPPED, VERDICT_SUPPORTED,
		(struct verdict_fact){FACT_LEFT_OUT_CALL, .a = 5, .b = 1, .c = 4});
	facts_free(f);
}

/* Its next send stands in for the one left out, and the answer lies behind what lacks then. */
static void a_skipped_send_whose_place_the_next_one_takes(void **state)
{
	struct facts *f = facts_new(2);

	for (int i = 0; i < 4; i++) {
		send_to(f, 0, 1, false);
		send_to(f, 0, 1, false);
		receive_from(f, 1, 0, false);
		receive_from(f, 1, 0, false);
		send_to(f, 1, 0, false);
		receive_from(f, 0, 1, false);
	}
	send_to(f, 0, 1, false);
	receive_from(f, 0, 1, true);
	receive_from(f, 1, 0, false);
	receive_from(f, 1, 0, true)->completed = JOB_NO;
	facts_p2p(f, 0, 1, JOB_OP_SEND, 0, 60, false)->completed = JOB_NO;
	facts_sync(f, 1, 60);
	expect(f, "0", VERDICT_BY_SKIPPED, VERDICT_SUPPORTED,
		(struct verdict_fact){FACT_LEFT_OUT_CALL, .a = 10, .b = 1, .c = 9});
	facts_free(f);
}

/* The same at once: both receive, and nobody knows who should have sent first. */
static void two_who_receive_at_first(void **state)
{
	struct facts *f = facts_new(2);

	receive_from(f, 0, 1, true);
	receive_from(f, 1, 0, true);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

static void a_skipped_receive(void **state)
{
	struct facts *f = facts_new(6);

	take_steps(f, 4);
	for (int i = 0; i < 6; i++) {
		if (i > 0 && i != 3)
			receive_from(f, i, i - 1, false);
		if (i == 2)
			send_to(f, 2, 3, true);
		else if (i < 5)
			send_to(f, i, i + 1, false);
		if (i != 2)
			facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 1, 60);
	}
	expect(f, "3", VERDICT_BY_SKIPPED, VERDICT_ESTABLISHED,
		(struct verdict_fact){FACT_LEFT_OUT_CALL, .a = 5, .b = 2, .c = 4});
	facts_free(f);
}

/* The last stage receives again: or did it leave out the loss, and begin its next step? */
static void a_receive_without_a_send(void **state)
{
	struct facts *f = facts_new(6);

	take_steps(f, 4);
	for (int i = 0; i < 6; i++)
		take_step(f, i);
	receive_from(f, 5, 4, true);
	for (int i = 0; i < 5; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 1, 60);
	expect(f, "5", VERDICT_NO_CAUSE, VERDICT_SUPPORTED,
		(struct verdict_fact){FACT_UNMATCHED_CALL, .a = 6, .b = 4, .c = 5});
	facts_free(f);
}

/* In the middle of a step, which has a send and the loss before the next receive: once more. */
static void a_receive_too_many(void **state)
{
	struct facts *f = facts_new(6);

	take_steps(f, 4);
	for (int i = 0; i < 4; i++) {
		if (i < 3)
			take_step(f, i);
		else
			receive_from(f, 3, 2, false);
	}
	receive_from(f, 3, 2, true);
	for (int i = 0; i < 6; i++) {
		if (i < 3)
			facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 1, 60);
		else if (i > 3)
			receive_from(f, i, i - 1, true);
	}
	expect(f, "3", VERDICT_BY_EXTRA, VERDICT_ESTABLISHED,
		(struct verdict_fact){FACT_UNMATCHED_CALL, .a = 6, .b = 2, .c = 5});
	facts_free(f);
}

/* Of a ring that lost records it may be that the send is among them. */
static void what_was_lost_may_be_what_lacks(void **state)
{
	struct facts *f = facts_new(6);

	take_steps(f, 4);
	leave_out_send(f, 3);
	f->ranks[3].lost = 1;
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* Both send as they always did: now it does not fit into the buffers any more. */
static void sends_against_each_other_are_another_order(void **state)
{
	struct facts *f = facts_new(2);

	for (int i = 0; i < 4; i++) {
		send_to(f, 0, 1, false);
		send_to(f, 1, 0, false);
		receive_from(f, 0, 1, false);
		receive_from(f, 1, 0, false);
	}
	send_to(f, 0, 1, true);
	send_to(f, 1, 0, true);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL); /* either may be right */
	facts_free(f);
}

/* It waits for what it receives, as gloo does it; of the sender nothing is known. No GPU lags. */
static void a_wait_for_a_sender_who_was_not_seen(void **state)
{
	struct facts *f = facts_new(4);

	take_steps(f, 4);
	receive_from(f, 2, 1, false)->completed = JOB_MAYBE;
	facts_sync(f, 2, 20.1);
	receive_from(f, 3, 2, true);
	facts_unseen(f, 0, 1);
	assert_int_equal(facts_culprits(f) & 1 << 2, 0);
	facts_free(f);
}

/* The only finding: those two ranks are its sides, and nobody is blamed. */
static void expect_sides(
	const struct facts *f, uint32_t a, uint32_t b, enum verdict_confidence confidence)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);

	if (v->n != 1 || v->at[0].confidence != confidence)
		facts_print(v);
	assert_int_equal(v->n, 1);
	assert_int_equal(v->at[0].confidence, confidence);
	assert_int_equal(v->at[0].culprits.n, 0);
	assert_int_equal(v->at[0].camp_a.n, 1);
	assert_int_equal(v->at[0].camp_b.n, 1);
	assert_int_equal(v->at[0].camp_a.at->i, a);
	assert_int_equal(v->at[0].camp_b.at->i, b);
	verdicts_free(v);
	job_free(job);
}

static void wait_on_host(struct facts *f, int rank)
{
	facts_sync(f, rank, 60.1);
	f->ranks[rank].thread.call = "c10d_wait";
	f->ranks[rank].thread.whole_device = false;
}

/* gloo's send and receive of different tags: both were called, and neither is for the other. */
static void a_send_of_another_tag_is_no_gpu(void **state)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	facts_p2p(f, 0, 0, JOB_OP_SEND, 1, 60, false)->completed = JOB_MAYBE;
	facts_p2p(f, 0, 1, JOB_OP_RECV, 0, 60, false)->completed = JOB_MAYBE;
	wait_on_host(f, 0);
	wait_on_host(f, 1);
	for (int i = 2; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_BARRIER, 1, 60);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "", "0-3");
	expect_sides(f, 1, 0, VERDICT_HYPOTHESIS);
	facts_free(f);
}

/* Messages come each ten seconds: a wait for one is no hang yet, however fast a barrier was. */
static void a_message_is_late_by_the_pace_of_messages(void **state)
{
	struct facts *f = facts_new(3);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 0.1);
	for (int at = 60; at <= 90; at += 10) {
		bool waits = at == 90;

		facts_p2p(f, 0, 0, JOB_OP_RECV, 1, at, waits)->completed =
			waits ? JOB_NO : JOB_YES;
		if (!waits)
			facts_p2p(f, 0, 1, JOB_OP_SEND, 0, at + 9.9, false)->completed = JOB_YES;
	}
	facts_expect(f, VERDICT_TOO_EARLY, "", NULL);
	facts_free(f);
}

/* -- pairs that are groups of their own ------------------------------------------------------ */

/* Pipelines of two stages side by side, a group each: three pairs, and what all agree on. */
static struct facts *facts_of_pipelines(int pairs[3])
{
	struct facts *f = facts_new(6);

	for (int i = 0; i < 3; i++)
		pairs[i] = facts_group_of(f, 2, 2 * i, 2 * i + 1);
	return f;
}

/* Each first stage sends so many parts; of pair 1 one less, and its second waits for that. */
static void send_parts(struct facts *f, const int pairs[3], int parts, bool short_of_one)
{
	for (int i = 0; i < 3; i++)
		for (int part = 0; part < parts; part++) {
			bool out = short_of_one && i == 1 && part == parts - 1;

			if (!out)
				facts_p2p(f, pairs[i], 2 * i, JOB_OP_SEND, 2 * i + 1, 20, false);
			facts_p2p(f, pairs[i], 2 * i + 1, JOB_OP_RECV, 2 * i, out ? 60 : 20, out);
		}
	for (int rank = 0; rank < 6; rank++)
		if (short_of_one && rank != 3)
			facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 1, 60);
	if (!short_of_one)
		facts_round(f, 0, JOB_OP_ALLREDUCE, 1, 21);
}

/* There is no step before: the first stages of the other pairs tell. */
static void a_send_less_than_in_like_groups(void **state)
{
	int pairs[3];
	struct facts *f = facts_of_pipelines(pairs);

	send_parts(f, pairs, 4, true);
	expect(f, "2", VERDICT_BY_SKIPPED, VERDICT_SUPPORTED,
		(struct verdict_fact){FACT_LEFT_OUT_CALL, .a = 4, .b = 3, .c = 3});
	expect(f, "2", VERDICT_BY_SKIPPED, VERDICT_SUPPORTED,
		(struct verdict_fact){FACT_LIKE_PAIRS, .a = 4, .b = 2, .c = JOB_UNKNOWN});
	facts_free(f);
}

/*
 * A step that is one send short, and laid over the end of the step before it, comes twice: that is
 * no habit, where one that is older held for longer.
 */
static void a_short_step_is_no_habit(void **state)
{
	int pairs[3];
	struct facts *f = facts_of_pipelines(pairs);

	for (int step = 0; step < 5; step++)
		send_parts(f, pairs, 4, false);
	send_parts(f, pairs, 4, true);
	expect(f, "2", VERDICT_BY_SKIPPED, VERDICT_ESTABLISHED,
		(struct verdict_fact){FACT_LEFT_OUT_CALL, .a = 24, .b = 3, .c = 23});
	facts_free(f);
}

/* Of those groups one sent less, too: then nobody knows how often it should have been. */
static void pairs_that_differ_tell_nothing(void **state)
{
	int pairs[3];
	struct facts *f = facts_of_pipelines(pairs);

	facts_p2p(f, pairs[0], 0, JOB_OP_SEND, 1, 19, false);
	facts_p2p(f, pairs[0], 1, JOB_OP_RECV, 0, 19, false);
	send_parts(f, pairs, 4, true);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* A pipeline of four: one stage came to the end like it, and another's peer asked for as many. */
static void a_short_pipeline_tells_by_those_who_ask(void **state)
{
	struct facts *f = facts_new(4);

	for (int part = 0; part < 4; part++) {
		bool last = part == 3;

		send_to(f, 0, 1, false);
		receive_from(f, 1, 0, false);
		if (!last)
			send_to(f, 1, 2, false);
		receive_from(f, 2, 1, last);
		if (!last)
			send_to(f, 2, 3, false);
		receive_from(f, 3, 2, last);
	}
	facts_hold(f, 0, 0, JOB_OP_ALLREDUCE, 1, 60);
	facts_hold(f, 0, 1, JOB_OP_ALLREDUCE, 1, 60);
	expect(f, "1", VERDICT_BY_SKIPPED, VERDICT_SUPPORTED,
		(struct verdict_fact){FACT_LEFT_OUT_CALL, .a = 4, .b = 2, .c = 3});
	facts_free(f);
}

/* -- what is launched in one go ---------------------------------------------------------------- */

/* A rank sends to the next and receives from the one before it, in one launch. */
static void exchange(struct facts *f, int rank, bool sends)
{
	int next = (rank + 1) % f->n, before = (rank + f->n - 1) % f->n;
	struct job_op *op = facts_p2p(f, 0, rank, JOB_OP_RECV, before, 60, false);

	op->launch = 7;
	op->completed = JOB_NO;
	if (sends) {
		op = facts_p2p(f, 0, rank, JOB_OP_SEND, next, 60, false);
		op->launch = 7;
		op->completed = JOB_NO;
	}
	facts_sync(f, rank, 60.1);
}

/* Rank 2 waits for what rank 1 does not send, and 1 itself, round the ring, for rank 2. */
static void an_exchange_that_lacks_a_send_names_both(void **state)
{
	struct facts *f = facts_new(4);

	f->completion = true;
	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < 4; i++)
		exchange(f, i, i != 1);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "", NULL);
	expect_sides(f, 1, 2, VERDICT_SUPPORTED);
	facts_free(f);
}

/* All are in: that nothing moves is one finding, and not one of each message. */
static void an_exchange_is_told_once(void **state)
{
	struct facts *f = facts_new(4);
	struct job *job;
	struct verdicts *v;

	f->completion = true;
	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < 4; i++)
		exchange(f, i, true);
	facts_expect(f, VERDICT_TRANSPORT_STALL, "", "0-3");
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->n, 1);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/* Makes the messages of a rank's launch as complete as that, and the rank leaves in good order. */
static void finish(struct facts *f, int rank, enum job_known completed)
{
	struct facts_member *m = &f->members[0][rank];

	for (size_t i = 0; i < m->nops; i++)
		if (m->ops[i].launch)
			m->ops[i].completed = completed;
	f->ranks[rank].thread = (struct job_thread){0};
	facts_end(f, rank, JOB_EXITED, 0, 61);
}

/*
 * Rank 2 leaves without having received, and rank 1 waits for that. Rank 3 has left, too, with all
 * of its messages done: rank 0, which had received from it, waits for rank 1.
 */
static void who_was_done_with_its_messages_may_leave(void **state)
{
	struct facts *f = facts_new(4);
	struct job_op *op;

	f->completion = true;
	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			exchange(f, i, true);
	op = facts_p2p(f, 0, 2, JOB_OP_SEND, 3, 60, false);
	op->launch = 7;
	finish(f, 2, JOB_YES);
	finish(f, 3, JOB_YES);
	facts_expect(f, VERDICT_EARLY_EXIT, "2", "0,1");
	facts_free(f);
}

/* A host that waits for something that is not known: that is not its GPU's doing. */
static void a_host_that_waits_is_no_gpu(void **state)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	wait_on_host(f, 1);
	for (int i = 0; i < 4; i++)
		if (i != 1)
			facts_hold(f, 0, i, JOB_OP_BARRIER, 1, 60);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/* -- two groups, no sends -------------------------------------------------------------------- */

/* Steps in which pairs reduce, and then all do. */
static struct facts *facts_of_pairs(int *ret_pair, int *ret_other)
{
	struct facts *f = facts_new(4);

	*ret_pair = facts_group_of(f, 2, 0, 1);
	*ret_other = facts_group_of(f, 2, 2, 3);
	for (int step = 0; step < 6; step++) {
		facts_round(f, *ret_pair, JOB_OP_ALLREDUCE, 32, 10 + step);
		facts_round(f, *ret_other, JOB_OP_ALLREDUCE, 32, 10 + step);
		facts_round(f, 0, JOB_OP_ALLREDUCE, 64, 10.5 + step);
	}
	return f;
}

/* Of two that wait for each other the one that did otherwise before is to blame: here it has
 * left out what its pair does, or turned two round. */
static void who_left_its_habit_is_to_blame(void **state)
{
	for (int who = 0; who < 2; who++) {
		int pair, other;
		struct facts *f = facts_of_pairs(&pair, &other);

		facts_round(f, other, JOB_OP_ALLREDUCE, 32, 20);
		facts_hold(f, pair, !who, JOB_OP_ALLREDUCE, 32, 20);
		facts_hold(f, 0, who, JOB_OP_ALLREDUCE, 64, 20);
		facts_hold(f, 0, 2, JOB_OP_ALLREDUCE, 64, 20.5);
		facts_hold(f, 0, 3, JOB_OP_ALLREDUCE, 64, 20.5);
		facts_expect(f, VERDICT_ORDER_INVERSION, who ? "1" : "0", who ? "0,2,3" : "1-3");
		facts_free(f);
	}
}

/* What was lost of a ring may be what it did before: then nobody is. */
static void a_habit_that_was_lost_blames_nobody(void **state)
{
	int pair, other;
	struct facts *f = facts_of_pairs(&pair, &other);

	facts_round(f, other, JOB_OP_ALLREDUCE, 32, 20);
	facts_hold(f, pair, 0, JOB_OP_ALLREDUCE, 32, 20);
	facts_hold(f, 0, 1, JOB_OP_ALLREDUCE, 64, 20);
	facts_hold(f, 0, 2, JOB_OP_ALLREDUCE, 64, 20.5);
	facts_hold(f, 0, 3, JOB_OP_ALLREDUCE, 64, 20.5);
	f->ranks[1].lost = 7;
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* -- another peer ------------------------------------------------------------------------------ */

/* Each gives to the next one in the ring, and takes from the one before, so many times. */
static struct facts *ring_of_four(int steps)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < steps; i++)
		for (int rank = 0; rank < 4; rank++) {
			send_to(f, rank, (rank + 1) % 4, false);
			receive_from(f, rank, (rank + 3) % 4, false);
		}
	return f;
}

/*
 * Rank 2 gives to rank 0 once: rank 3 waits for it, rank 0 for rank 3, and it for rank 0. Rank 1
 * may have another peer in this step, too.
 */
static struct facts *with_another_peer(bool also_rank_1)
{
	struct facts *f = ring_of_four(4);

	for (int rank = 0; rank < 4; rank++) {
		send_to(f, rank, rank == 2 ? 0 : (rank + 1) % 4, rank == 2);
		if (rank == 1)
			receive_from(f, 1, also_rank_1 ? 3 : 0, also_rank_1);
		else
			receive_from(f, rank, (rank + 3) % 4, rank == 3);
	}
	send_to(f, 0, 1, false);
	receive_from(f, 0, 3, true);
	return f;
}

static void who_sends_to_another_than_ever_is_named(void **state)
{
	struct facts *f = with_another_peer(false);

	expect(f, "2", VERDICT_BY_SKIPPED, VERDICT_SUPPORTED,
		(struct verdict_fact){FACT_LEFT_OUT_CALL, .a = 5, .b = 3, .c = 4});
	facts_free(f);
	(void)state;
}

/* It may be the program's way now, and who does as ever may be wrong. */
static void where_several_have_another_peer_nobody_is_named(void **state)
{
	struct facts *f = with_another_peer(true);

	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_skipped_send),
		cmocka_unit_test(a_send_that_the_first_stage_skips),
		cmocka_unit_test(a_send_skipped_in_the_first_step),
		cmocka_unit_test(nothing_to_compare_with),
		cmocka_unit_test(a_skipped_send_with_an_answer),
		cmocka_unit_test(a_skipped_send_whose_place_the_next_one_takes),
		cmocka_unit_test(two_who_receive_at_first),
		cmocka_unit_test(a_skipped_receive),
		cmocka_unit_test(a_receive_without_a_send),
		cmocka_unit_test(a_receive_too_many),
		cmocka_unit_test(what_was_lost_may_be_what_lacks),
		cmocka_unit_test(sends_against_each_other_are_another_order),
		cmocka_unit_test(a_wait_for_a_sender_who_was_not_seen),
		cmocka_unit_test(a_send_of_another_tag_is_no_gpu),
		cmocka_unit_test(a_message_is_late_by_the_pace_of_messages),
		cmocka_unit_test(a_send_less_than_in_like_groups),
		cmocka_unit_test(a_short_step_is_no_habit),
		cmocka_unit_test(pairs_that_differ_tell_nothing),
		cmocka_unit_test(a_short_pipeline_tells_by_those_who_ask),
		cmocka_unit_test(an_exchange_that_lacks_a_send_names_both),
		cmocka_unit_test(an_exchange_is_told_once),
		cmocka_unit_test(who_was_done_with_its_messages_may_leave),
		cmocka_unit_test(a_host_that_waits_is_no_gpu),
		cmocka_unit_test(who_left_its_habit_is_to_blame),
		cmocka_unit_test(a_habit_that_was_lost_blames_nobody),
		cmocka_unit_test(who_sends_to_another_than_ever_is_named),
		cmocka_unit_test(where_several_have_another_peer_nobody_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
