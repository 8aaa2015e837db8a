/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of gloo, which meet by their tags: who meets whom, and what that is called. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <string.h>

#include "tests/unit/facts.h"

static void wait_on_host(struct facts *f, int rank)
{
	facts_sync(f, rank, 60.1);
	f->ranks[rank].thread.call = "c10d_wait";
	f->ranks[rank].thread.whole_device = false;
}

/* Ranks 2 and 3 are in a barrier of a group of gloo. */
static struct facts *facts_of_gloo(void)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 2; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_BARRIER, 1, 60);
	return f;
}

/* True if the first verdict has that fact. */
static bool is_told(const struct facts *f, enum verdict_fact_kind kind)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	bool told = false;

	for (size_t i = 0; i < v->at[0].nevidence; i++)
		told |= v->at[0].evidence[i].kind == kind;
	verdicts_free(v);
	job_free(job);
	return told;
}

static enum verdict_confidence confidence_of(const struct facts *f)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	enum verdict_confidence confidence = v->at[0].confidence;

	verdicts_free(v);
	job_free(job);
	return confidence;
}

/* The only finding: ranks 1 and 0 are its sides, and nobody is blamed. */
static void expect_sides(const struct facts *f, enum verdict_confidence confidence)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);

	assert_int_equal(v->n, 1);
	assert_int_equal(v->at[0].confidence, confidence);
	assert_int_equal(v->at[0].culprits.n, 0);
	assert_int_equal(v->at[0].camp_a.at->i, 1);
	assert_int_equal(v->at[0].camp_b.at->i, 0);
	verdicts_free(v);
	job_free(job);
}

/* A message that is begun, and of which nobody tells whether it is done. */
static struct job_op *begin(
	struct facts *f, int rank, uint8_t op, int peer, uint64_t tag, uint64_t turn)
{
	struct job_op *o = facts_p2p(f, 0, rank, op, peer, 60, false);

	o->completed = JOB_MAYBE;
	o->tagged = true;
	o->tag = tag;
	o->turn = turn;
	return o;
}

/* Both stand in a message of which the other knows nothing, and both tags are told. */
static void messages_of_two_tags_do_not_meet(void **state)
{
	struct facts *f = facts_of_gloo();

	begin(f, 0, JOB_OP_SEND, 1, 5, 1);
	begin(f, 1, JOB_OP_RECV, 0, 6, 1);
	wait_on_host(f, 0);
	wait_on_host(f, 1);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "", "0-3");
	assert_true(is_told(f, FACT_TAGS_DIFFER));
	expect_sides(f, VERDICT_SUPPORTED);
	facts_free(f);
}

/* Two messages are received in another order than they were sent: they meet, by their tags. */
static void messages_meet_by_their_tags(void **state)
{
	struct facts *f = facts_of_gloo();

	begin(f, 0, JOB_OP_SEND, 1, 5, 1)->sig.count = 100;
	begin(f, 0, JOB_OP_SEND, 1, 6, 1)->sig.count = 10;
	begin(f, 1, JOB_OP_RECV, 0, 6, 1)->sig.count = 10;
	begin(f, 1, JOB_OP_RECV, 0, 5, 1)->sig.count = 100;
	facts_hold(f, 0, 0, JOB_OP_BARRIER, 1, 60);
	begin(f, 1, JOB_OP_RECV, 0, 7, 1)->sig.count = 77;
	wait_on_host(f, 1);
	facts_expect(f, VERDICT_ORDER_INVERSION, "", "0-3");
	facts_free(f);
}

/* Nobody tells their tags: the amounts of two that may be different messages prove nothing. */
static void amounts_of_messages_that_may_not_meet(void **state)
{
	struct facts *f = facts_of_gloo();
	struct job_op *any;

	begin(f, 0, JOB_OP_SEND, 1, 0, 0)->tagged = false;
	any = begin(f, 1, JOB_OP_RECV, 0, 0, 0);
	any->tagged = false;
	any->sig.count = 77;
	wait_on_host(f, 0);
	wait_on_host(f, 1);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "", "0-3");
	expect_sides(f, VERDICT_HYPOTHESIS);
	facts_free(f);
}

/* Many messages, each of a tag of its own; of those that came first nothing is known any more. */
static void forty_messages_of_forty_tags(void **state)
{
	struct facts *f = facts_of_gloo();

	f->members[0][0].p2p_count[0][1] = f->members[0][1].p2p_count[1][0] = 8;
	for (uint64_t i = 9; i <= 40; i++) {
		begin(f, 0, JOB_OP_SEND, 1, 100 + i, 1)->completed = JOB_YES;
		begin(f, 1, JOB_OP_RECV, 0, 100 + i, 1)->completed = JOB_YES;
	}
	begin(f, 1, JOB_OP_RECV, 0, 141, 1);
	wait_on_host(f, 1);
	facts_expect(f, VERDICT_HOST_STALL, "0", "1-3");
	facts_free(f);
}

/* Who received from anybody may have got what he now waits for: both may be of one message. */
static void a_receive_from_anybody_took_the_message(void **state)
{
	struct facts *f = facts_of_gloo();

	f->members[0][1].fact.from_any = true;
	begin(f, 0, JOB_OP_SEND, 1, 5, 1);
	begin(f, 1, JOB_OP_RECV, 0, 5, 1);
	wait_on_host(f, 0);
	wait_on_host(f, 1);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "", "0-3");
	expect_sides(f, VERDICT_HYPOTHESIS);
	facts_free(f);
}

/* What is sent ahead, and not waited for, is not what the other's call should have met. */
static void a_message_that_was_sent_ahead_is_no_other_tag(void **state)
{
	struct facts *f = facts_of_gloo();

	begin(f, 1, JOB_OP_SEND, 0, 6, 1);
	facts_hold(f, 0, 1, JOB_OP_BARRIER, 1, 60);
	begin(f, 0, JOB_OP_RECV, 1, 5, 1);
	wait_on_host(f, 0);
	assert_false(is_told(f, FACT_TAGS_DIFFER));
	facts_free(f);
}

/* Rank 0 stands in the barrier, and each has begun to receive from the other. */
static struct facts *facts_of_two_ahead(void)
{
	struct facts *f = facts_new(3);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	begin(f, 0, JOB_OP_RECV, 1, 6, 1);
	begin(f, 1, JOB_OP_RECV, 0, 6, 1);
	facts_hold(f, 0, 0, JOB_OP_BARRIER, 1, 60);
	facts_hold(f, 0, 2, JOB_OP_BARRIER, 1, 60);
	facts_outside(f, 1, 60.1);
	return f;
}

/* Rank 1 is in nothing: that both wait for a message is not seen. */
static void receives_posted_ahead_are_no_circle(void **state)
{
	struct facts *f = facts_of_two_ahead();

	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2");
	for (int i = 0; i < 3; i++) /* it was where its ring says until it was killed */
		facts_end(f, i, JOB_SIGNALED, SIGTERM, 99);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2");
	facts_free(f);
}

/* What was lost may be what it waits in: then it is not to blame, and it is no circle either. */
static void who_may_wait_for_it_unseen_is_not_blamed(void **state)
{
	struct facts *f = facts_of_two_ahead();

	f->ranks[1].thread.state = JOB_THREAD_UNKNOWN;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_outside(f, 1, 60.1);
	f->ranks[1].lost = 1;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/* Its ring has no such call, and its stack shows it to wait for the others. */
static void who_waits_for_it_by_its_stack_is_in_a_circle(void **state)
{
	struct facts *f = facts_of_two_ahead();

	facts_stack(f, 1,
		"gloo::transport::tcp::UnboundBuffer::waitRecv@libgloo.so < step@/me/train.py:12");
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	facts_free(f);
}

/*
 * For a message that never comes a rank may ask again and again, outside every recorded call: it is
 * not to blame for where it is, and nobody says that it waits. It may as well be one more that does
 * not come, and two of four are no minority.
 */
static void who_may_ask_for_a_message_is_not_blamed(void **state)
{
	struct facts *f = facts_new(5);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 2; i < 5; i++)
		facts_hold(f, 0, i, JOB_OP_BARRIER, 1, 60);
	begin(f, 0, JOB_OP_RECV, 1, 6, 1);
	facts_outside(f, 0, 60.1);
	facts_outside(f, 1, 60.1);
	facts_expect(f, VERDICT_HOST_STALL, "1", "2-4");
	facts_free(f);
	f = facts_of_gloo();
	begin(f, 0, JOB_OP_RECV, 1, 6, 1);
	facts_outside(f, 0, 60.1);
	facts_outside(f, 1, 60.1);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/*
 * Rank 2 waits for rank 0, which began to receive from rank 1 and is in nothing. If it asks for
 * that, unseen, rank 1 keeps both; if not, it keeps rank 2 itself.
 */
static void who_may_ask_keeps_nobody_for_sure(void **state)
{
	struct facts *f = facts_new(3);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	begin(f, 0, JOB_OP_RECV, 1, 6, 1);
	begin(f, 2, JOB_OP_RECV, 0, 6, 1);
	wait_on_host(f, 2);
	facts_outside(f, 0, 60.1);
	facts_outside(f, 1, 60.1);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_stack(f, 0, "work@/me/train.py:88 < step@/me/train.py:12");
	facts_expect(f, VERDICT_HOST_STALL, "0", "2");
	assert_int_equal(confidence_of(f), VERDICT_HYPOTHESIS);
	assert_true(is_told(f, FACT_MAY_POLL));
	assert_false(is_told(f, FACT_POLL_CIRCLE));
	facts_free(f);
}

/*
 * Rank 1 is in its own code by its stack, and what it receives from rank 0, which waits for it, has
 * not come: it may look again and again whether it has, and then both wait.
 */
static void who_may_poll_in_its_own_code_is_blamed_as_a_guess(void **state)
{
	struct facts *f = facts_of_two_ahead();

	facts_stack(f, 1, "sleep@/me/train.py:88 < step@/me/train.py:12");
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2");
	assert_int_equal(confidence_of(f), VERDICT_HYPOTHESIS);
	assert_true(is_told(f, FACT_MAY_POLL));
	assert_true(is_told(f, FACT_POLL_CIRCLE));
	f->stack_span = 40; /* nobody asks so seldom */
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2");
	assert_int_equal(confidence_of(f), VERDICT_SUPPORTED);
	assert_false(is_told(f, FACT_MAY_POLL));
	facts_free(f);
}

/* Its message has come, or there is none; or a library that is asked by calls alone. */
static void who_has_nothing_to_poll_for_is_in_its_own_code(void **state)
{
	struct facts *f = facts_of_two_ahead();

	facts_stack(f, 1, "sleep@/me/train.py:88 < step@/me/train.py:12");
	begin(f, 0, JOB_OP_SEND, 1, 6, 1);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2");
	assert_int_equal(confidence_of(f), VERDICT_SUPPORTED);
	facts_free(f);
	f = facts_of_two_ahead();
	f->group_makers[0] = "mpi";
	facts_stack(f, 1, "sleep@/me/train.py:88 < step@/me/train.py:12");
	facts_expect(f, VERDICT_HOST_STALL, "1", "0,2");
	assert_int_equal(confidence_of(f), VERDICT_SUPPORTED);
	facts_free(f);
}

/* All receive from the one before them, and wait for that; but one does not, nor does it send. */
static void a_ring_in_which_one_does_not_wait(void **state)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < 4; i++) {
		begin(f, i, JOB_OP_RECV, (i + 3) % 4, 6, 1);
		if (i != 2)
			wait_on_host(f, i);
	}
	facts_outside(f, 2, 60.1);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
}

/* Rank 0 waits for rank 2 alone; what it receives of rank 1 is for the next step. */
static void a_receive_of_the_next_step_accuses_nobody(void **state)
{
	struct facts *f = facts_new(4);
	int pair;

	f->group_makers[0] = f->group_makers[1] = "gloo";
	pair = facts_group_of(f, 2, 0, 2);
	facts_rounds(f, 0, 5, 10, 1);
	facts_rounds(f, pair, 5, 10, 1);
	begin(f, 0, JOB_OP_RECV, 1, 6, 1);
	facts_hold(f, pair, 0, JOB_OP_BARRIER, 1, 60);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0");
	facts_free(f);
}

/* The confidence with which all is well. */
static enum verdict_confidence healthy_as(const struct facts *f)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	enum verdict_confidence confidence = v->at[0].confidence;

	assert_int_equal(v->n, 1);
	assert_int_equal(v->at[0].class, VERDICT_HEALTHY);
	verdicts_free(v);
	job_free(job);
	return confidence;
}

/* Nobody waits, as far as is seen; that nobody does is not sure while one may ask unseen. */
static void who_may_ask_makes_it_less_sure_that_all_is_well(void **state)
{
	struct facts *f = facts_new(2);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < 2; i++)
		facts_outside(f, i, 99.9);
	assert_int_equal(healthy_as(f), VERDICT_ESTABLISHED);
	begin(f, 0, JOB_OP_RECV, 1, 6, 1);
	assert_int_equal(healthy_as(f), VERDICT_SUPPORTED);
	facts_stack(f, 0, "work@/me/train.py:88 < step@/me/train.py:12")->moved = JOB_YES;
	assert_int_equal(healthy_as(f), VERDICT_SUPPORTED);
	facts_free(f);
}

/* What is sent and not waited for keeps nobody, though it never comes. */
static void a_message_that_nobody_waits_for_is_no_wait(void **state)
{
	struct facts *f = facts_of_gloo();

	begin(f, 0, JOB_OP_SEND, 1, 5, 1);
	begin(f, 1, JOB_OP_RECV, 0, 6, 1);
	wait_on_host(f, 1);
	facts_expect(f, VERDICT_HOST_STALL, "0", "1-3");
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_of_two_tags_do_not_meet),
		cmocka_unit_test(messages_meet_by_their_tags),
		cmocka_unit_test(amounts_of_messages_that_may_not_meet),
		cmocka_unit_test(forty_messages_of_forty_tags),
		cmocka_unit_test(a_receive_from_anybody_took_the_message),
		cmocka_unit_test(a_message_that_was_sent_ahead_is_no_other_tag),
		cmocka_unit_test(receives_posted_ahead_are_no_circle),
		cmocka_unit_test(who_may_wait_for_it_unseen_is_not_blamed),
		cmocka_unit_test(who_waits_for_it_by_its_stack_is_in_a_circle),
		cmocka_unit_test(who_may_ask_for_a_message_is_not_blamed),
		cmocka_unit_test(who_may_ask_keeps_nobody_for_sure),
		cmocka_unit_test(who_may_poll_in_its_own_code_is_blamed_as_a_guess),
		cmocka_unit_test(who_has_nothing_to_poll_for_is_in_its_own_code),
		cmocka_unit_test(a_ring_in_which_one_does_not_wait),
		cmocka_unit_test(a_receive_of_the_next_step_accuses_nobody),
		cmocka_unit_test(who_may_ask_makes_it_less_sure_that_all_is_well),
		cmocka_unit_test(a_message_that_nobody_waits_for_is_no_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
