/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence that tells a part: a dump that is cut, two ranks looked at at two times, an abort of
 * which only the class is told, ends on nodes whose clocks tell roughly or not at all.
 */
#include "tests/unit/unit.h"

#include <signal.h>

#include "tests/unit/judged.h"
#include "tests/unit/launcher.h"

/* -- a dump that is cut ------------------------------------------------------------------------ */

/* Three whole rings in which nobody waits; of the last rank there is a dump, cut or whole. */
static struct facts *beside_a_dump(bool cut)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 90, 1);
	f->ranks[3].ring = false;
	f->ranks[3].dump = true;
	if (cut) {
		struct job_loss *loss = facts_loss(f, 3, "the end of its dump");

		loss->of_ops = true;
		loss->of_last = true;
	}
	return f;
}

/* What it waits in may be in the part that lacks: that nobody else waits is no health. */
static void who_is_known_by_a_cut_dump_may_wait(void **state)
{
	struct facts *f = beside_a_dump(true);

	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
	(void)state;
}

static void who_is_known_by_a_whole_dump_is_well_with_the_others(void **state)
{
	struct facts *f = beside_a_dump(false);

	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
	(void)state;
}

/* -- two looks --------------------------------------------------------------------------------- */

/*
 * Ranks 4 and 5 read their input, each alone on its node. The clock of rank 4's node met that of
 * those who wait; where rank 5's did not, nobody knows whether it came meanwhile.
 */
static struct facts *two_stay_away(bool all_met)
{
	struct facts *f = facts_new(6);

	if (!all_met)
		f->members[0][5].fact.ready_at = JOB_UNKNOWN;
	for (int rank = 0; rank < 4; rank++)
		facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 4096, 60);
	for (int rank = 4; rank < 6; rank++) {
		facts_move(f, rank, rank - 3);
		facts_outside(f, rank, 59);
		facts_span(f, rank, JOB_SPAN_INPUT, "next", "", 59, FACTS_OPEN);
	}
	return f;
}

/* Whom one finding names together is as sure as the look at the one of whom least is known. */
static void culprits_of_two_looks_are_a_guess(void **state)
{
	for (int all_met = 0; all_met < 2; all_met++) {
		struct facts *f = two_stay_away(all_met);
		struct judged j = judge(f);

		facts_expect_where(f, VERDICT_HOST_STALL, "4,5", VERDICT_IN_INPUT);
		if (all_met)
			assert_true(j.v->at[0].confidence > VERDICT_HYPOTHESIS);
		else
			assert_int_equal(j.v->at[0].confidence, VERDICT_HYPOTHESIS);
		done(&j, f);
	}
	(void)state;
}

/* -- what gloo enforces ------------------------------------------------------------------------ */

#define ENFORCED "terminate called after throwing an instance of 'gloo::EnforceNotMet'"

/* gloo checks more than amounts: a rank of which the class alone is told died of its own. */
static void what_gloo_enforces_may_be_anything(void **state)
{
	struct facts *f = facts_missing(4, 1, 59);

	f->group_makers[0] = "gloo";
	facts_signal(f, 1, SIGABRT, 0, "python", 60.5);
	facts_log(f, 1, ENFORCED);
	facts_end(f, 1, JOB_SIGNALED, SIGABRT, 60.5);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_ABORT);
	facts_free(f);
	(void)state;
}

/*
 * Rank 1 sends rank 3 more than it waits for, in an exchange whose amounts need not agree. Rank 3
 * aborts as it reads that, and nobody reads what(): the place of the end tells that it is not its
 * own.
 */
static void who_ends_where_it_reads_from_others_is_not_named(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 10, 20, 1);
	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLTOALL, JOB_NO_COUNT, 60)->completed = JOB_NO;
	facts_signal(f, 3, SIGABRT, 0, "gloo_tcp_loop", 60.5)->fatal = true;
	f->extra[f->nextra - 1].is.signal.tid = 7;
	facts_stack_of(f, 3, "gloo_tcp_loop", 7,
		"abort@libc.so.6 < "
		"gloo::transport::tcp::Pair::prepareRead(gloo::Op&)@libtorch_cpu.so < "
		"gloo::transport::tcp::Pair::read()@libtorch_cpu.so")
		->how = JOB_STACK_FATAL;
	facts_end(f, 3, JOB_SIGNALED, SIGABRT, 60.5);
	j = judge(f);
	assert_int_equal(j.v->at[0].class, VERDICT_COLLECTIVE_MISMATCH);
	assert_int_equal(facts_culprits(f), 0);
	done(&j, f);
	(void)state;
}

/* -- who says that another is gone ------------------------------------------------------------- */

#define RESET "RuntimeError: gloo/transport/tcp/pair.cc: Read error: Connection reset by peer"

/* Four stand in one operation; ranks 1 and 3 die of it, since the connection to somebody ended. */
static struct facts *two_lose_a_peer(bool others_known)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 10, 20, 1);
	for (int rank = 0; rank < 4; rank++)
		facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 4096, 60)->completed = JOB_NO;
	for (int rank = 1; rank < 4; rank += 2) {
		f->members[0][rank].ops[f->members[0][rank].nops - 1].returned = JOB_YES;
		facts_outside(f, rank, 60.5);
		facts_note(f, rank, RESET, 60.5);
	}
	for (int rank = 0; rank < 4; rank++)
		f->ranks[rank].exit_known = others_known && rank % 2 == 0;
	return f;
}

/* Of who died first there may be no word: a ring goes on telling that its owner waits. */
static void who_lost_a_peer_was_not_first(void **state)
{
	struct facts *f = two_lose_a_peer(false);

	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	/* Nor where it is gone, and nobody says how or when. */
	f = two_lose_a_peer(true);
	facts_end(f, 0, JOB_GONE, 0, 70);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	/* Where the others live, it may be the network between these two, and they are gone. */
	f = two_lose_a_peer(true);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1,3", VERDICT_BY_EXCEPTION);
	facts_free(f);
	(void)state;
}

/* A bucket resets connections, too: such words in a log do not say that somebody else was first. */
static void who_lost_a_connection_may_have_been_first(void **state)
{
	struct facts *f = facts_missing(4, 2, 59);

	f->ranks[0].exit_known = false;
	facts_log(f, 0, "ConnectionResetError(104, 'Connection reset by peer')");
	facts_lose_ring(f, 2);
	facts_end(f, 2, JOB_EXITED, 1, 61.5);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	/* Nor does a rank that has left in good order. */
	f = facts_missing(4, 2, 59);
	facts_end(f, 0, JOB_EXITED, 0, 50);
	facts_log(f, 0, "BrokenPipeError: [Errno 32] Broken pipe");
	facts_lose_ring(f, 2);
	facts_end(f, 2, JOB_EXITED, 1, 61.5);
	facts_expect(f, VERDICT_EARLY_EXIT, "0", "1,3");
	facts_free(f);
	(void)state;
}

/* A launcher has the number of its task, and dies of what its ranks died of. */
static void who_has_a_tasks_number_and_a_launchers_words_is_no_rank(void **state)
{
	struct facts *f = facts_missing(4, 1, 59);

	f->group_makers[0] = "gloo";
	facts_candidate(f, 1);
	f->ranks[1].number = JOB_NUMBER_OF_TASK;
	facts_note(f, 1, "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:", 61);
	facts_end(f, 1, JOB_EXITED, 1, 61.5);
	assert_int_equal(facts_culprits(f), 0);
	f->ranks[1].number = 0;
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_EXCEPTION);
	facts_free(f);
	(void)state;
}

/* -- who waited until its patience ended ------------------------------------------------------- */

/* Rank 1 fails with these words, and the launcher ends the rest. Nobody is known to wait. */
static struct judged fails_with(struct facts *f, const char *words)
{

	add_launcher(f);
	facts_rounds(f, 0, 10, 20, 0.5);
	facts_note(f, 1, words, 60);
	facts_end(f, 1, JOB_EXITED, 1, 60.5);
	for (int i = 0; i < 4; i++)
		if (i != 1) {
			facts_signal(f, i, SIGTERM, LAUNCHER, "python", 60.7);
			facts_end(f, i, JOB_SIGNALED, SIGTERM, 60.7);
		}
	return judge(f);
}

/*
 * It says that it waited for others in vain: for whom is not recorded, and so nobody is named. What
 * else it says of others makes it the first to fail that was seen, and no more than a guess.
 */
static void who_waited_in_vain_is_a_victim(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j = fails_with(f,
		"RuntimeError: [unbound_buffer.cc:78] Timed out waiting 12000ms for recv "
		"operation to complete");

	assert_int_equal(j.v->at[0].class, VERDICT_INCONCLUSIVE);
	assert_int_equal(facts_culprits(f), 0);
	done(&j, f);
	f = facts_new(4);
	j = fails_with(f, "RuntimeError: Gloo connectFullMesh failed, Connection refused");
	assert_int_equal(j.v->at[0].class, VERDICT_RANK_DEATH);
	assert_int_equal(j.v->at[0].confidence, VERDICT_HYPOTHESIS);
	done(&j, f);
	f = facts_new(4);
	j = fails_with(f, "ValueError: bad row 17");
	assert_int_equal(j.v->at[0].class, VERDICT_RANK_DEATH);
	assert_true(j.v->at[0].confidence > VERDICT_HYPOTHESIS);
	done(&j, f);
	(void)state;
}

/* -- ends on other nodes ----------------------------------------------------------------------- */

/* Four ranks, the last two on another node whose clock never met the first's. */
static struct facts *two_nodes(void)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++) {
		f->members[0][i].fact.ready_at = JOB_UNKNOWN;
		facts_move(f, i, i / 2);
	}
	return f;
}

/* It crashed in a wait; whenever the other node's launcher told its ranks to end, that was for it.
 */
static void an_order_is_no_reason_for_a_crash_elsewhere(void **state)
{
	struct facts *f = two_nodes();

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, 60);
	facts_signal(f, 2, SIGSEGV, 0, "python", 70);
	facts_end(f, 2, JOB_SIGNALED, SIGSEGV, 70);
	add_launcher(f);
	for (int i = 0; i < 2; i++) {
		facts_signal(f, i, SIGTERM, LAUNCHER, "python", 71);
		facts_end(f, i, JOB_SIGNALED, SIGTERM, 71);
	}
	facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_SIGNAL);
	facts_free(f);
	(void)state;
}

/*
 * Two nodes whose clocks met only in operations to which both came at very different times: they
 * may be off by many seconds.
 */
static struct facts *rough_clocks(void)
{
	struct facts *f = two_nodes();

	facts_rounds(f, 0, 9, 10, 0.5);
	for (int i = 0; i < 9; i++)
		for (int rank = 2; rank < 4; rank++)
			f->members[0][rank].ops[i].entered += (i % 3 - 1) * INT64_C(20000000000);
	return f;
}

/*
 * Rank 2 was killed, and rank 1 on the other node raised out of a wait for it; either may have been
 * first. The kill is no echo for sure: it stays a reason, as one that is supported.
 */
static void a_kill_that_may_have_been_first_is_no_echo(void **state)
{
	struct facts *f = rough_clocks();
	struct judged j;

	for (int rank = 0; rank < 4; rank++)
		if (rank != 2)
			facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 4096, 59);
	facts_end(f, 2, JOB_SIGNALED, SIGKILL, 60);
	facts_note(f, 1, "ValueError: bad sample", 60.5);
	facts_end(f, 1, JOB_EXITED, 1, 60.5);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_KILLED);
	facts_expect(f, VERDICT_RANK_DEATH, "2", "0,1,3");
	j = judge(f);
	assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
	done(&j, f);
	(void)state;
}

/*
 * The kernel killed a loader that nobody saw; its rank died of that, and the launcher killed all
 * others. The first of these is not who was killed for memory, unless it was killed before.
 */
static void a_kill_for_memory_may_be_of_what_nobody_saw(void **state)
{
	(void)state;
	for (int before = 0; before < 2; before++) {
		struct facts *f = facts_new(4);

		facts_rounds(f, 0, 10, 20, 0.5);
		f->hosts[0].oom_kills = 1;
		facts_note(f, 2, "RuntimeError: worker is killed by signal: Killed.", 50);
		facts_end(f, 2, JOB_EXITED, 1, 50.1);
		for (int rank = 0; rank < 4; rank++)
			if (rank != 2)
				facts_end(f, rank, JOB_SIGNALED, SIGKILL,
					(before ? 49 : 50.5) + 0.01 * rank);
		assert_int_equal(facts_culprits(f), before ? 1 << 0 | 1 << 2 : 1 << 2);
		facts_free(f);
	}
}

/*
 * Two call another operation than one does, and two more have not come: if these do as the one,
 * the two are the odd ones.
 */
static void who_may_yet_come_may_do_as_either(void **state)
{
	(void)state;
	for (int come = 0; come < 3; come++) {
		struct facts *f = facts_new(5);
		struct judged j;

		facts_rounds(f, 0, 10, 20, 0.5);
		for (int rank = 0; rank < 3; rank++)
			facts_hold(f, 0, rank, rank < 2 ? JOB_OP_ALLREDUCE : JOB_OP_BROADCAST, 64,
				60);
		for (int rank = 3; rank < 5; rank++) {
			facts_outside(f, rank, 59);
			if (rank - 3 < come)
				facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 64, 61);
		}
		j = judge(f);
		assert_int_equal(j.first->class, VERDICT_COLLECTIVE_MISMATCH);
		assert_int_equal(facts_culprits(f), come ? 1 << 2 : 0);
		assert_int_equal(j.first->camp_a.n, come ? 0 : 2);
		done(&j, f);
	}
}

/*
 * Two call another operation than one does, and another waits for a device, or in an operation that
 * only its stack tells: it may have come, and on either side.
 */
static void who_waits_in_what_nobody_knows_may_have_come(void **state)
{
	(void)state;
	for (int way = 0; way < 3; way++) {
		struct facts *f = facts_new(4);
		struct judged j;

		facts_rounds(f, 0, 10, 20, 0.5);
		for (int rank = 0; rank < 3; rank++)
			facts_hold(f, 0, rank, rank < 2 ? JOB_OP_ALLREDUCE : JOB_OP_BROADCAST, 64,
				60);
		if (way == 0)
			facts_sync(f, 3, 60);
		else
			facts_outside(f, 3, 60);
		if (way == 1)
			facts_stack(f, 3,
				"futex_do_wait@kernel < cudaStreamSynchronize@libcudart.so.13 < "
				"step@train");
		if (way == 2) /* It has come to the majority's. */
			facts_hold(f, 0, 3, JOB_OP_ALLREDUCE, 64, 61);
		j = judge(f);
		assert_int_equal(j.first->class, VERDICT_COLLECTIVE_MISMATCH);
		assert_int_equal(facts_culprits(f), way == 2 ? 1 << 2 : 0);
		assert_int_equal(told(j, FACT_MAY_COME_ANY) == NULL, way == 2);
		done(&j, f);
	}
}

/*
 * Rank 1 waits for a message of rank 3, and rank 2 stands in one to rank 1, who wants none of it.
 * Rank 3 is in its own code. `before`: it has sent something to rank 1 once.
 */
static struct facts *disagree_who_sends(bool before)
{
	struct facts *f = facts_new(4);

	f->completion = false;
	facts_rounds(f, 0, 5, 10, 1);
	if (before) {
		facts_p2p(f, 0, 3, JOB_OP_SEND, 1, 20, false)->completed = JOB_YES;
		facts_p2p(f, 0, 1, JOB_OP_RECV, 3, 20, false)->completed = JOB_YES;
	}
	facts_p2p(f, 0, 1, JOB_OP_RECV, 3, 30, true);
	facts_p2p(f, 0, 2, JOB_OP_SEND, 1, 30, true);
	facts_p2p(f, 0, 0, JOB_OP_RECV, 1, 30, true);
	facts_outside(f, 3, 25);
	return f;
}

/* Which of them has the wrong peer, they do not agree: whom the one names is named as a guess. */
static void who_is_waited_for_by_a_word_that_others_dispute_is_a_guess(void **state)
{
	(void)state;
	for (int before = 0; before < 2; before++) {
		struct facts *f = disagree_who_sends(before);
		struct judged j = judge(f);

		assert_int_equal(j.first->culprits.n, 1);
		assert_int_equal(j.first->culprits.at[0].i, 3);
		assert_int_equal(j.first->confidence == VERDICT_HYPOTHESIS, !before);
		dismiss(j);
		facts_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_known_by_a_cut_dump_may_wait),
		cmocka_unit_test(who_is_known_by_a_whole_dump_is_well_with_the_others),
		cmocka_unit_test(culprits_of_two_looks_are_a_guess),
		cmocka_unit_test(what_gloo_enforces_may_be_anything),
		cmocka_unit_test(who_ends_where_it_reads_from_others_is_not_named),
		cmocka_unit_test(who_lost_a_peer_was_not_first),
		cmocka_unit_test(who_lost_a_connection_may_have_been_first),
		cmocka_unit_test(who_has_a_tasks_number_and_a_launchers_words_is_no_rank),
		cmocka_unit_test(who_waited_in_vain_is_a_victim),
		cmocka_unit_test(an_order_is_no_reason_for_a_crash_elsewhere),
		cmocka_unit_test(a_kill_that_may_have_been_first_is_no_echo),
		cmocka_unit_test(who_may_yet_come_may_do_as_either),
		cmocka_unit_test(who_waits_in_what_nobody_knows_may_have_come),
		cmocka_unit_test(a_kill_for_memory_may_be_of_what_nobody_saw),
		cmocka_unit_test(who_is_waited_for_by_a_word_that_others_dispute_is_a_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
