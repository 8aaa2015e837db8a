/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages that were begun and that nobody is seen to wait for: they accuse nobody, whatever else
 * holds their rank, and whatever of it was lost. Nor does a thread that serves others.
 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <string.h>

#include "tests/unit/judged.h"

#define OP(n) (0xc10d000000000000 + (n))

/* Ranks that made five rounds, and are in their own code since. */
static struct facts *job_of(int n, const char *maker)
{
	struct facts *f = facts_new(n);

	f->group_makers[0] = f->group_makers[1] = maker;
	f->completion = !strcmp(maker, "mpi");
	facts_rounds(f, 0, 5, 10, 1);
	for (int i = 0; i < n; i++)
		facts_outside(f, i, 16);
	return f;
}

/* A message of a tag of its own, the first of it: nobody has met it. */
static struct job_op *begin(
	struct facts *f, int rank, uint8_t kind, int peer, uint64_t tag, double at)
{
	struct job_op *op = facts_p2p(f, 0, rank, kind, peer, at, false);

	op->completed = JOB_MAYBE;
	op->tagged = true;
	op->tag = tag;
	op->turn = 1;
	return op;
}

static void hold_in_barrier(struct facts *f, int group, int rank)
{
	facts_hold(f, group, rank, JOB_OP_BARRIER, 1, 60);
	if (!strcmp(f->group_makers[group], "mpi"))
		f->ranks[rank].thread.call = "MPI_Barrier";
}

static enum verdict_confidence confidence_of(const struct facts *f, enum verdict_class class)
{
	struct judged j = judge(f);
	enum verdict_confidence confidence = j.first->confidence;

	assert_int_equal(j.first->class, class);
	dismiss(j);
	return confidence;
}

/* Rank 1 is held in a barrier to which rank 3 does not come. */
static void what_was_sent_ahead_keeps_nobody_in_a_barrier(void **state)
{
	struct facts *f = job_of(5, "gloo");
	int group = facts_group_of(f, 4, 0, 1, 3, 4);

	f->group_makers[group] = "gloo";
	facts_rounds(f, group, 2, 17, 1);
	begin(f, 1, JOB_OP_SEND, 2, 5, 30);
	hold_in_barrier(f, group, 0);
	hold_in_barrier(f, group, 1);
	hold_in_barrier(f, group, 4);
	facts_outside(f, 3, 60);
	facts_outside(f, 2, 60);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0,1,4");
	facts_free(f);
}

/* What was lost may have been the wait for it, or its end: a guess, and all may be well. */
static void what_was_sent_ahead_by_who_lost_a_record_accuses_nobody(void **state)
{
	struct facts *f = job_of(4, "gloo");

	begin(f, 1, JOB_OP_SEND, 2, 5, 30);
	for (int i = 0; i < 4; i++)
		facts_outside(f, i, 30.1);
	f->ranks[1].lost = 1;
	assert_int_equal(facts_culprits(f), 0);
	facts_stack(f, 1, "work@/me/train.py:88 < step@/me/train.py:12");
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* Rank 2 may well stand in its receive from rank 0: nobody has read what its thread does. */
static void who_may_receive_behind_a_torn_board_is_not_blamed(void **state)
{
	static const char *const makers[] = {"gloo", "mpi"};

	for (int m = 0; m < 2; m++) {
		struct facts *f = job_of(6, makers[m]);

		begin(f, 2, JOB_OP_RECV, 0, 5, 60);
		for (int i = 3; i < 6; i++)
			hold_in_barrier(f, 0, i);
		hold_in_barrier(f, 0, 1);
		facts_outside(f, 0, 60);
		f->ranks[2].thread.state = JOB_THREAD_UNKNOWN;
		facts_expect(f, VERDICT_HOST_STALL, "0", "1,3-5");
		facts_free(f);
	}
}

/* It may be in a receive from anybody, which says nobody's name. */
static void who_may_receive_from_anybody_is_not_blamed(void **state)
{
	struct facts *f = job_of(4, "gloo");

	begin(f, 0, JOB_OP_RECV, 1, 5, 60)->sig.peer = NO_GROUP_RANK;
	f->members[0][0].fact.from_any = true;
	f->ranks[0].thread.state = JOB_THREAD_UNKNOWN;
	for (int i = 1; i < 4; i++)
		hold_in_barrier(f, 0, i);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/*
 * Rank 0 waits for the message of rank 1, and its ring names it; what it receives of rank 2 is for
 * the next step. A stack that shows the same says nothing more.
 */
static void a_stack_adds_nobody_to_a_wait_that_a_ring_names(void **state)
{
	struct facts *f = job_of(4, "gloo");

	begin(f, 0, JOB_OP_RECV, 1, 5, 60)->stream = OP(0x10);
	begin(f, 0, JOB_OP_RECV, 2, 6, 60)->stream = OP(0x11);
	facts_sync(f, 0, 60.1);
	f->ranks[0].thread.call = "c10d_wait";
	f->ranks[0].thread.whole_device = false;
	f->ranks[0].thread.stream = OP(0x10);
	facts_expect(f, VERDICT_HOST_STALL, "1", "0");
	facts_stack(f, 0,
		"gloo::transport::tcp::UnboundBuffer::waitRecv@libgloo.so < "
		"step@/me/train.py:12");
	facts_stack(f, 2, "work@/me/train.py:88 < step@/me/train.py:12");
	facts_expect(f, VERDICT_HOST_STALL, "1", "0");
	assert_int_equal(facts_culprits(f), 1 << 1);
	facts_free(f);
}

/* Rank 0 may have asked for rank 1's message until somebody ended all for standing still. */
static void an_order_to_end_does_not_prove_that_all_was_well(void **state)
{
	struct facts *f = job_of(2, "gloo");

	begin(f, 0, JOB_OP_RECV, 1, 5, 30);
	for (int i = 0; i < 2; i++) {
		facts_outside(f, i, 30.1);
		facts_end(f, i, JOB_SIGNALED, SIGTERM, 99);
	}
	assert_int_equal(confidence_of(f, VERDICT_HEALTHY), VERDICT_SUPPORTED);
	f->ranks[0].thread.state = JOB_THREAD_UNKNOWN;
	assert_int_equal(confidence_of(f, VERDICT_HEALTHY), VERDICT_SUPPORTED);
	facts_free(f);
}

/* A thread of rank 0 stands in a receive from rank 1 for as long as the job runs, and serves. */
static void serve(struct facts *f, const char *call)
{
	struct facts_extra *e = &f->extra[f->nextra++];

	begin(f, 0, JOB_OP_RECV, 1, 99, 15)->stream = OP(0x9000);
	*e = (struct facts_extra){.kind = EXTRA_THREAD, .of_ring = true};
	e->is.thread = (struct job_thread){.tid = 9000,
		.name = "server",
		.state = JOB_THREAD_IN_WAIT,
		.call = call,
		.detail = "",
		.group = JOB_NONE,
		.stream = OP(0x9000),
		.since = facts_ns(15),
		.cite = "ring:t"};
}

/* The others went on a moment ago: the job is well, whichever thread began that receive. */
static void a_thread_that_serves_holds_no_rank(void **state)
{
	static const char *const calls[][2] = {{"gloo", "c10d_wait"}, {"mpi", "MPI_Wait"}};

	for (int m = 0; m < 4; m++) {
		struct facts *f = job_of(4, calls[m / 2][0]);

		facts_rounds(f, 0, 10, 90, 0.95);
		serve(f, calls[m / 2][1]);
		for (int i = 0; i < 4; i++)
			facts_outside(f, i, 99.8);
		if (m % 2)
			f->members[0][0].tid = 9000;
		facts_expect(f, VERDICT_HEALTHY, "", "");
		facts_free(f);
	}
}

/*
 * Rank 0 waits for all of two: #0x10 of rank 2, which does not send, and #0x60 of rank 3, which
 * did. Its receive #0x61 of rank 1 is for the next step. Others wait for rank 0.
 */
static struct facts *in_a_wait_for_several(void)
{
	struct facts *f = job_of(9, "mpi");
	int group = facts_group_of(f, 6, 0, 4, 5, 6, 7, 8);

	f->group_makers[group] = "mpi";
	begin(f, 3, JOB_OP_SEND, 0, 5, 60);
	begin(f, 0, JOB_OP_RECV, 2, 5, 60)->stream = OP(0x10);
	begin(f, 0, JOB_OP_RECV, 3, 5, 60)->stream = OP(0x60);
	begin(f, 0, JOB_OP_RECV, 1, 6, 60)->stream = OP(0x61);
	facts_sync(f, 0, 60.1);
	f->ranks[0].thread.call = "MPI_Waitall";
	f->ranks[0].thread.whole_device = false;
	f->ranks[0].thread.first_op = OP(0x10);
	for (int i = 4; i < 9; i++)
		hold_in_barrier(f, group, i);
	return f;
}

/* The last bit of the set is for all that are further behind; what was lost may be in it, too. */
static void whom_a_wait_for_several_may_not_mean_is_not_blamed(void **state)
{
	struct facts *f = in_a_wait_for_several();

	f->ranks[0].thread.ops = 1;
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,4-8");
	f->ranks[0].lost = 1;
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,4-8");
	f->ranks[0].lost = 0;
	f->ranks[0].thread.ops = 1 | 1ull << 63;
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,4-8");
	facts_free(f);
}

/* A barrier of ranks 0 and 1 that is begun for later may be meant as little. */
static void a_collective_that_a_wait_may_not_mean_accuses_nobody(void **state)
{
	for (int m = 0; m < 3; m++) {
		struct facts *f = in_a_wait_for_several();
		int later = facts_group_of(f, 2, 0, 1);
		struct job_op *op;

		f->group_makers[later] = "mpi";
		facts_rounds(f, later, 2, 17, 1);
		op = facts_enter(f, later, 0, JOB_OP_BARRIER, 1, 60.05);
		op->stream = OP(0x61);
		op->completed = JOB_MAYBE;
		f->ranks[0].thread.ops = m == 1 ? 1 | 1ull << 63 : 1;
		f->ranks[0].lost = m == 2;
		facts_expect(f, VERDICT_HOST_STALL, "2", "0,4-8");
		facts_free(f);
	}
}

/* Both messages have come, by their senders' rings: which of them lacks is a guess. */
static void of_messages_that_have_come_the_latest_is_a_guess(void **state)
{
	struct facts *f = in_a_wait_for_several();
	struct judged j;

	begin(f, 2, JOB_OP_SEND, 0, 5, 60);
	for (int i = 1; i < 4; i++)
		facts_outside(f, i, 60.2);
	f->ranks[0].thread.ops = 1 | 1ull << 63;
	j = judge(f);
	assert_true(j.first->confidence <= VERDICT_HYPOTHESIS);
	done(&j, f);
}

/*
 * Rank 2 began an operation with rank 3, by a thread of gloo's own, and works on; all others wait
 * for rank 2. What rank 3 has time for keeps nobody.
 */
static void a_collective_that_was_begun_ahead_accuses_nobody(void **state)
{
	struct facts *f = job_of(6, "gloo");
	int pair = facts_group_of(f, 2, 2, 3), most = facts_group_of(f, 5, 0, 1, 2, 4, 5);

	f->group_makers[pair] = f->group_makers[most] = "gloo";
	facts_rounds(f, pair, 2, 17, 1);
	facts_rounds(f, most, 2, 20, 1);
	facts_enter(f, pair, 2, JOB_OP_ALLREDUCE, 1, 39)->completed = JOB_MAYBE;
	for (int i = 0; i < 6; i++)
		if (i != 2 && i != 3)
			hold_in_barrier(f, most, i);
	facts_outside(f, 2, 40);
	facts_outside(f, 3, 40);
	facts_stack(f, 2, "work@/me/train.py:88 < step@/me/train.py:12");
	facts_stack(f, 3, "other@/me/train.py:88 < step@/me/train.py:12");
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,4,5");
	facts_free(f);
}

/* Nobody waits for what a watchdog does, whatever that is. */
static void a_watchdog_whose_board_is_torn_excuses_nobody(void **state)
{
	struct facts *f = job_of(5, "gloo");
	struct facts_extra *e = &f->extra[f->nextra++];

	for (int i = 0; i < 5; i++)
		if (i != 2)
			hold_in_barrier(f, 0, i);
	facts_outside(f, 2, 40);
	*e = (struct facts_extra){.kind = EXTRA_THREAD, .of_ring = true, .rank = 2};
	e->is.thread = (struct job_thread){.tid = 9000,
		.name = "pt_nccl_watchdg",
		.state = JOB_THREAD_UNKNOWN,
		.call = "",
		.detail = "",
		.group = JOB_NONE,
		.since = JOB_UNKNOWN,
		.cite = "ring:t"};
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3,4");
	assert_int_equal(confidence_of(f, VERDICT_HOST_STALL), VERDICT_SUPPORTED);
	facts_free(f);
}

/* Rank 0's thread stands in its receive: its main one, in its own code, has nothing to ask for. */
static void who_has_a_thread_that_serves_is_in_its_own_code(void **state)
{
	struct facts *f = job_of(4, "gloo");

	serve(f, "c10d_wait");
	for (int i = 1; i < 4; i++)
		hold_in_barrier(f, 0, i);
	facts_outside(f, 0, 40);
	facts_stack(f, 0, "work@/me/train.py:88 < step@/me/train.py:12");
	facts_expect(f, VERDICT_HOST_STALL, "0", "1-3");
	assert_int_equal(confidence_of(f, VERDICT_HOST_STALL), VERDICT_SUPPORTED);
	facts_free(f);
}

/*
 * Rank 1 began a message, and died of an exception of its own at once or later. Rank 2, which has
 * not come to the message, keeps nobody; others wait for rank 1.
 */
static void what_the_dead_had_begun_accuses_nobody(void **state)
{
	static const double died[] = {60.1, 70};

	for (int i = 0; i < 4; i++) {
		struct facts *f = job_of(4, "gloo");
		int group = facts_group_of(f, 3, 0, 1, 3);

		f->group_makers[group] = "gloo";
		begin(f, 1, i % 2 ? JOB_OP_RECV : JOB_OP_SEND, 2, 5, 60);
		facts_outside(f, 1, 60.01);
		facts_note(f, 1, "ValueError: bad batch", died[i / 2]);
		facts_end(f, 1, JOB_EXITED, 1, died[i / 2] + 0.1);
		hold_in_barrier(f, group, 0);
		hold_in_barrier(f, group, 3);
		facts_outside(f, 2, 60);
		assert_int_equal(facts_culprits(f) & ~(1u << 1), 0);
		if (i < 2)
			facts_expect(f, VERDICT_RANK_DEATH, "1", "0,3");
		facts_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_sent_ahead_keeps_nobody_in_a_barrier),
		cmocka_unit_test(what_was_sent_ahead_by_who_lost_a_record_accuses_nobody),
		cmocka_unit_test(who_may_receive_behind_a_torn_board_is_not_blamed),
		cmocka_unit_test(who_may_receive_from_anybody_is_not_blamed),
		cmocka_unit_test(a_stack_adds_nobody_to_a_wait_that_a_ring_names),
		cmocka_unit_test(an_order_to_end_does_not_prove_that_all_was_well),
		cmocka_unit_test(a_thread_that_serves_holds_no_rank),
		cmocka_unit_test(whom_a_wait_for_several_may_not_mean_is_not_blamed),
		cmocka_unit_test(a_collective_that_a_wait_may_not_mean_accuses_nobody),
		cmocka_unit_test(of_messages_that_have_come_the_latest_is_a_guess),
		cmocka_unit_test(a_collective_that_was_begun_ahead_accuses_nobody),
		cmocka_unit_test(a_watchdog_whose_board_is_torn_excuses_nobody),
		cmocka_unit_test(who_has_a_thread_that_serves_is_in_its_own_code),
		cmocka_unit_test(what_the_dead_had_begun_accuses_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
