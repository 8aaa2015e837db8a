/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs on two hosts whose clocks may show anything: facts_expect() judges each with either clock
 * set 3 s, 30 s and an hour ahead and back.
 */
#include "tests/unit/unit.h"

#include <signal.h>

#include "job/clocks.h"
#include "tests/unit/facts.h"

#define LAUNCHER 900

/* The second half of the ranks lives on the second host. */
static struct facts *on_two_hosts(struct facts *f)
{
	for (int i = f->n / 2; i < f->n; i++)
		facts_move(f, i, 1);
	return f;
}

/* Ten rounds; from 60 on all but rank 3, of the second host, are held in #11. */
static struct facts *missing_far(void)
{
	return on_two_hosts(facts_missing(4, 3, 59));
}

static void told(struct facts *f, int rank, uint32_t sender, double at)
{
	facts_signal(f, rank, SIGTERM, sender, "python", at);
	facts_end(f, rank, JOB_SIGNALED, SIGTERM, at);
}

/* With its node's clock ahead the kill looked as if others had long waited by then. */
static void killed_while_it_compiled(void **state)
{
	struct facts *f = missing_far();

	facts_span(f, 3, JOB_SPAN_COMPILE, "inductor codegen", "0/1", 59, FACTS_OPEN);
	facts_end(f, 3, JOB_SIGNALED, SIGKILL, 60);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "3", VERDICT_BY_KILLED);
	facts_free(f);
}

/* And one for which all had waited for half a minute, was killed for that. */
static void killed_when_others_had_long_waited(void **state)
{
	struct facts *f = missing_far();

	facts_span(f, 3, JOB_SPAN_COMPILE, "inductor codegen", "0/1", 59, FACTS_OPEN);
	facts_end(f, 3, JOB_SIGNALED, SIGKILL, 92);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	facts_free(f);
}

static void the_first_death_is_a_victim(void **state)
{
	struct facts *f = missing_far();

	for (int i = 0; i < 3; i++) {
		facts_signal(f, i, SIGABRT, 0, "pt_nccl_watchdg", 90 + i);
		facts_end(f, i, JOB_SIGNALED, SIGABRT, 90 + i);
	}
	told(f, 3, LAUNCHER, 95);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	facts_free(f);
}

/* Its peers, on both hosts, fail at once; a launcher ends the rest. */
static void an_early_exit(void **state)
{
	struct facts *f = on_two_hosts(facts_new(4));
	const char *closed = "RuntimeError: gloo/transport/tcp/pair.cc: Connection closed by peer";

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 60);
	facts_end(f, 1, JOB_EXITED, 0, 60.1);
	facts_note(f, 0, closed, 60.2);
	facts_end(f, 0, JOB_EXITED, 1, 60.5);
	facts_note(f, 2, closed, 60.2);
	facts_end(f, 2, JOB_EXITED, 1, 60.5);
	told(f, 3, LAUNCHER, 60.8);
	facts_expect(f, VERDICT_EARLY_EXIT, "1", NULL);
	assert_int_equal(facts_culprits(f), 1 << 1);
	facts_free(f);
}

static void a_kill_and_its_echoes_elsewhere(void **state)
{
	struct facts *f = on_two_hosts(facts_new(4));

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_end(f, 1, JOB_SIGNALED, SIGKILL, 30);
	for (int i = 0; i < 4; i++)
		if (i != 1)
			told(f, i, LAUNCHER, 30.3);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_KILLED);
	assert_int_equal(facts_culprits(f), 1 << 1);
	facts_free(f);
}

/* Somebody told rank 1 to end, then the launchers of both hosts all others. */
static void the_first_of_the_orders(void **state)
{
	struct facts *f = on_two_hosts(facts_new(4));

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++) {
		told(f, i, i == 1 ? 77 : LAUNCHER, i == 1 ? 30 : 30.3);
		if (i == 1)
			f->extra[f->nextra - 1].is.signal.sender_role = JOB_ROLE_RANK;
	}
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_KILLED);
	facts_free(f);
}

/*
 * Rank 3, of the other host, was killed, and rank 1 crashed within the operation in which it met
 * rank 3: which was first the clocks do not tell, known to 16 s or so. The one may be the echo of
 * the other, so neither is established.
 */
static void deaths_whose_order_the_clocks_do_not_tell(void **state)
{
	for (int later = 0; later < 2; later++) {
		struct facts *f = on_two_hosts(facts_new(4));
		struct verdicts *v;
		struct job *job;

		for (int i = 0; i < 4; i++)
			f->members[0][i].fact.ready_at = JOB_UNKNOWN;
		for (int n = 0; n < 6; n++) {
			facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 10 + 5 * n);
			for (int i = 2; i < 4; i++)
				f->members[0][i].ops[n].entered += n % 3 * 8000000000;
		}
		for (int i = 0; i < 3; i++)
			facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, 56);
		facts_end(f, 1, JOB_SIGNALED, SIGSEGV, 60);
		facts_end(f, 3, JOB_SIGNALED, SIGKILL, later ? 62 : 54);
		job = facts_job(f);
		v = verdicts_of(job);
		for (size_t i = 0; i < v->n; i++)
			assert_true(v->at[i].confidence < VERDICT_ESTABLISHED ||
				    !v->at[i].culprits.n);
		verdicts_free(v);
		job_free(job);
		facts_free(f);
	}
}

/* Rank 1 failed, those of the other host were told to end: of clocks that never met no order is
 * known, be the two ends a minute apart. */
static void a_failure_and_orders_elsewhere(void **state)
{
	for (int later = 0; later < 2; later++) {
		struct facts *f = on_two_hosts(facts_new(4));

		for (int i = 0; i < 4; i++)
			f->members[0][i].fact.ready_at = JOB_UNKNOWN;
		facts_enter(f, 0, 0, JOB_OP_ALLREDUCE, 4096, 56);
		facts_end(f, 1, JOB_EXITED, 1, later ? 180 : 60);
		for (int i = 2; i < 4; i++)
			facts_end(f, i, JOB_SIGNALED, SIGTERM, 120);
		for (int i = 1; i < 4; i++)
			facts_lose_ring(f, i);
		facts_expect(f, VERDICT_INCONCLUSIVE, "", "0");
		facts_free(f);
	}
}

static void killed_all_at_once(void **state)
{
	struct facts *f = on_two_hosts(facts_new(4));

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++)
		facts_end(f, i, JOB_SIGNALED, SIGKILL, 80);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

static void late_once(void **state)
{
	struct facts *f = on_two_hosts(facts_new(4));

	facts_rounds(f, 0, 10, 80, 0.5);
	facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 86);
	f->members[0][3].ops[10].entered = facts_ns(91);
	facts_rounds(f, 0, 5, 92, 0.5);
	facts_expect(f, VERDICT_SLOW, "3", NULL);
	facts_free(f);
}

/* Nobody is late whom only the clock makes so. */
static void nobody_is_late_by_a_clock(void **state)
{
	struct facts *f = on_two_hosts(facts_new(4));

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

/* Steps differ by seconds, now on one rank and now on another: the last of them is no straggler. */
static void each_is_late_in_turn(void **state)
{
	for (int straggles = 0; straggles < 2; straggles++) {
		struct facts *f = on_two_hosts(facts_new(4));

		for (int n = 0; n < 13; n++) {
			facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 20 + 6 * n);
			f->members[0][n % 4].ops[n].entered += 3000000000;
		}
		if (straggles)
			f->members[0][0].ops[12].entered += 5000000000;
		facts_expect(f, straggles ? VERDICT_SLOW : VERDICT_HEALTHY, straggles ? "0" : "",
			NULL);
		facts_free(f);
	}
}

/* Two hosts, a rank each; rank 1 comes 20 s late to the first of two operations. */
static struct facts *late_at_first(void)
{
	struct facts *f = facts_new(2);

	facts_move(f, 1, 1);
	facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 60);
	f->members[0][1].ops[0].entered = facts_ns(80);
	facts_round(f, 0, JOB_OP_ALLREDUCE, 4096, 81);
	return f;
}

/* Of few operations half may have been late: the making of the group says whose clock is whose. */
static void nobody_is_late_since_another_was(void **state)
{
	struct facts *f = late_at_first();

	facts_expect(f, VERDICT_SLOW, "1", NULL);
	facts_free(f);
}

/* Without it nobody can tell a late host from a clock. */
static void a_late_host_may_be_a_clock(void **state)
{
	struct facts *f = late_at_first();

	for (int i = 0; i < 2; i++)
		f->members[0][i].fact.ready_at = JOB_UNKNOWN;
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/*
 * The first host was looked at when the job had just hung: its rank 0 was then in its own code, as
 * at every step, and may have come since. All others wait.
 */
static void who_was_seen_before_the_wait_is_not_blamed(void **state)
{
	struct facts *f = on_two_hosts(facts_new(4));

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int rank = 1; rank < 4; rank++)
		facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 4096, 60);
	facts_outside(f, 0, 59.5);
	facts_cpu(f, 0, 1, 1, -1);
	f->hosts[0].gathered = facts_ns(60.2);
	assert_int_equal(facts_culprits(f), 0);
	/* Seen for as long as the others, it is. */
	f->hosts[0].gathered = facts_ns(99.5);
	assert_int_equal(facts_culprits(f), 1);
	facts_free(f);
}

/*
 * Five of the first host were looked at before the others began to wait, and nobody knows whether
 * they came: that rank 5 has not is sure, and whether it is the odd one, or who waits, is not.
 */
static void who_is_late_among_those_not_seen_since_may_be_most(void **state)
{
	struct facts *f = facts_new(7);
	struct job *job;
	struct verdicts *v;

	for (int rank = 5; rank < 7; rank++)
		facts_move(f, rank, 1);
	facts_rounds(f, 0, 10, 20, 0.5);
	for (int rank = 0; rank < 6; rank++) {
		facts_outside(f, rank, 59.5);
		facts_cpu(f, rank, 1, 1, -1);
	}
	facts_hold(f, 0, 6, JOB_OP_ALLREDUCE, 4096, 60);
	f->hosts[0].gathered = facts_ns(60.2);
	assert_int_equal(facts_culprits(f) & ~(1u << 5), 0);
	job = facts_job(f);
	v = verdicts_of(job);
	for (size_t i = 0; i < v->n; i++)
		assert_true(v->at[i].confidence <= VERDICT_HYPOTHESIS);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

static void a_thread_that_failed(void **state)
{
	struct facts *f = missing_far();

	facts_say(f, 3, "thread exception: KeyError: 'x'", 58);
	facts_expect(f, VERDICT_RANK_DEATH, "3", "0-2");
	facts_free(f);
}

/* A thread that only reported died, and the rank saves: it is no death, and nothing to kill for. */
static void a_thread_that_failed_while_its_rank_saves(void **state)
{
	struct facts *f = missing_far();

	facts_say(f, 3, "thread exception: KeyError: 'x'", 58);
	facts_span(f, 3, JOB_SPAN_CHECKPOINT, "save", "/out/latest.pt", 59, FACTS_OPEN);
	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_CHECKPOINT);
	facts_free(f);
}

static void a_thread_that_failed_long_ago(void **state)
{
	struct facts *f = on_two_hosts(facts_missing(4, 3, 59));

	for (int i = 0; i < 3; i++) {
		f->members[0][i].ops[10].entered = facts_ns(95);
		f->ranks[i].thread.since = facts_ns(95);
	}
	facts_say(f, 3, "thread exception: KeyError: 'x'", 30);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	facts_free(f);
}

static void a_lost_node(void **state)
{
	struct facts *f = on_two_hosts(facts_new(8));

	facts_rounds(f, 0, 10, 10, 0.5);
	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, 40);
	for (int i = 4; i < 8; i++)
		facts_outside(f, i, 39);
	f->hosts[1].agent_beat = facts_ns(39.5);
	f->hosts[1].gathered = facts_ns(39.5);
	f->hosts[1].agent_alive = JOB_MAYBE;
	facts_expect(f, VERDICT_NODE_LOSS, "4-7", "0-3");
	facts_free(f);
}

/* -- clocks.h itself --------------------------------------------------------------------------- */

/* What clock 1 shows when clock 0 shows 50 s, or unknown. */
static int64_t shown(const struct facts *f)
{
	struct job *job = facts_job(f);
	struct clocks *clocks = clocks_new(job);
	int64_t there = clocks_move(clocks, facts_ns(50), 0, 1);

	assert_int_equal(clocks_move(clocks, facts_ns(50), 1, 1), facts_ns(50));
	if (there != JOB_UNKNOWN)
		assert_int_equal(clocks_move(clocks, there, 1, 0), facts_ns(50));
	assert_int_equal(clocks_move(clocks, JOB_UNKNOWN, 0, 1), JOB_UNKNOWN);
	clocks_free(clocks);
	job_free(job);
	return there;
}

static void clocks_meet_in_operations(void **state)
{
	struct facts *f = on_two_hosts(facts_new(4));

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_set_clock(f, 1, 1234);
	assert_int_equal(shown(f), facts_ns(50 + 1234));
	/* One that is late once changes nothing. */
	f->members[0][2].ops[9].entered += 5000000000;
	f->members[0][3].ops[9].entered += 5000000000;
	assert_int_equal(shown(f), facts_ns(50 + 1234));
	facts_free(f);
}

static void clocks_meet_where_a_communicator_is_ready(void **state)
{
	struct facts *f = on_two_hosts(facts_new(4));

	facts_set_clock(f, 1, -77);
	assert_int_equal(shown(f), facts_ns(50 - 77));
	facts_free(f);
}

/* In the exchange of the id seat 0 waits for nobody, and who joins without blocking for himself. */
static void clocks_do_not_meet_where_nobody_waits(void **state)
{
	for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
		struct facts *f = on_two_hosts(facts_new(4));
		int group = nonblocking ? 0 : facts_bootstrap(f);

		for (int i = 0; i < 4; i++) {
			f->members[0][i].fact.ready_at = JOB_UNKNOWN;
			f->members[group][i].fact.nonblocking = nonblocking;
			f->members[group][i].fact.ready_at = facts_ns(i < 2 ? 5 : 65);
		}
		assert_int_equal(shown(f), JOB_UNKNOWN);
		facts_free(f);
	}
}

/* By a third one, which has met either of them. */
static void clocks_meet_by_others(void **state)
{
	struct facts *f = facts_new(3);
	int one, two;

	facts_no_group(f);
	for (int i = 0; i < 3; i++)
		facts_move(f, i, i);
	one = facts_group_of(f, 2, 0, 2);
	two = facts_group_of(f, 2, 2, 1);
	facts_rounds(f, one, 5, 20, 0.5);
	facts_rounds(f, two, 5, 30, 0.5);
	facts_set_clock(f, 1, 40);
	facts_set_clock(f, 2, -900);
	assert_int_equal(shown(f), facts_ns(90));
	facts_free(f);
}

static void clocks_that_never_met_are_not_compared(void **state)
{
	struct facts *f = on_two_hosts(facts_new(4));
	int near, far;

	facts_no_group(f);
	near = facts_group_of(f, 2, 0, 1);
	far = facts_group_of(f, 2, 2, 3);
	facts_rounds(f, near, 5, 20, 0.5);
	facts_rounds(f, far, 5, 20, 0.5);
	assert_int_equal(shown(f), JOB_UNKNOWN);
	facts_free(f);
}

/* The scheduler's end of the job is by no host's clock: one that is an hour off decides nothing. */
static void the_time_left_is_by_the_clocks_of_most(void **state)
{
	for (int shifted = 0; shifted < 3; shifted++) {
		struct facts *f = facts_missing(6, 3, 59);
		struct verdicts *v;
		struct job *job;

		for (int i = 0; i < 6; i++)
			facts_move(f, i, i / 2);
		f->deadline = FACTS_NOW + 1176;
		facts_set_clock(f, shifted, shifted == 1 ? -3600 : 3600);
		job = facts_job(f);
		v = verdicts_of(job);
		assert_int_equal(v->at[0].watchdog, VERDICT_LIMIT_DEADLINE);
		assert_int_equal(v->at[0].watchdog_left / 1000000000, 1176);
		verdicts_free(v);
		job_free(job);
		facts_free(f);
	}
	(void)state;
}

/*
 * Nobody tracks what is complete, and all synchronise: for the last of what they launched, also
 * where one's clock is ahead and dates what came before behind it.
 */
static void the_newest_op_is_the_last_by_order(void **state)
{
	struct facts *f = facts_new(4);
	struct verdicts *v;
	struct job *job;
	int pair;

	f->completion = false;
	pair = facts_group_of(f, 2, 2, 3);
	for (int i = 0; i < 4; i++)
		f->members[0][i].fact.done_known = false;
	facts_rounds(f, pair, 5, 1, 1);
	facts_rounds(f, 0, 7, 10, 1);
	facts_enter(f, pair, 2, JOB_OP_ALLREDUCE, 1, 20)->completed = JOB_MAYBE;
	facts_enter(f, pair, 3, JOB_OP_ALLREDUCE, 1, 45)->completed = JOB_MAYBE;
	for (int i = 0; i < 4; i++) {
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 1, 30)->completed = JOB_MAYBE;
		facts_sync(f, i, 31);
	}
	facts_expect(f, VERDICT_TRANSPORT_STALL, "", "0-3");
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->at[0].op_index, 8);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_op_is_the_last_by_order),
		cmocka_unit_test(the_time_left_is_by_the_clocks_of_most),
		cmocka_unit_test(killed_while_it_compiled),
		cmocka_unit_test(killed_when_others_had_long_waited),
		cmocka_unit_test(the_first_death_is_a_victim),
		cmocka_unit_test(an_early_exit),
		cmocka_unit_test(a_kill_and_its_echoes_elsewhere),
		cmocka_unit_test(the_first_of_the_orders),
		cmocka_unit_test(deaths_whose_order_the_clocks_do_not_tell),
		cmocka_unit_test(a_failure_and_orders_elsewhere),
		cmocka_unit_test(killed_all_at_once),
		cmocka_unit_test(late_once),
		cmocka_unit_test(nobody_is_late_by_a_clock),
		cmocka_unit_test(each_is_late_in_turn),
		cmocka_unit_test(nobody_is_late_since_another_was),
		cmocka_unit_test(a_late_host_may_be_a_clock),
		cmocka_unit_test(who_was_seen_before_the_wait_is_not_blamed),
		cmocka_unit_test(who_is_late_among_those_not_seen_since_may_be_most),
		cmocka_unit_test(a_thread_that_failed),
		cmocka_unit_test(a_thread_that_failed_while_its_rank_saves),
		cmocka_unit_test(a_thread_that_failed_long_ago),
		cmocka_unit_test(a_lost_node),
		cmocka_unit_test(clocks_meet_in_operations),
		cmocka_unit_test(clocks_meet_where_a_communicator_is_ready),
		cmocka_unit_test(clocks_do_not_meet_where_nobody_waits),
		cmocka_unit_test(clocks_meet_by_others),
		cmocka_unit_test(clocks_that_never_met_are_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
