/* SPDX-License-Identifier: Apache-2.0 */
/* Host, device, start and what is no fault at all: S17, S19, S22-S26, S39-S51. */
#include "tests/unit/unit.h"

#include <signal.h>

#include "tests/unit/facts.h"

/* -- host ----------------------------------------------------------------------------------- */

static void s17_rank_0_saves_and_the_others_wait(void **state)
{
	struct facts *f = facts_missing(4, 0, 40);
	struct job *job;
	struct verdicts *v;

	facts_span(f, 0, JOB_SPAN_CHECKPOINT, "save", "", 50, FACTS_OPEN);
	f->ranks[0].process.write_delta = 1 << 20;
	facts_expect_where(f, VERDICT_HOST_STALL, "0", VERDICT_IN_CHECKPOINT);
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->at[0].outlook, VERDICT_WAIT);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

static void s19_a_rank_waits_for_its_input(void **state)
{
	struct facts *f = facts_missing(4, 1, 40);

	facts_span(f, 1, JOB_SPAN_INPUT, "next batch", "", 55, FACTS_OPEN);
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_INPUT);
	facts_free(f);
}

static void a_stall_in_user_code(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);

	facts_cpu(f, 3, 0.95, 1, 0);
	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_USER_CODE);
	facts_free(f);
}

static void a_stall_somewhere(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);

	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_WHERE_UNKNOWN);
	facts_free(f);
}

static void a_lost_ring_is_no_stall(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);

	facts_lose_ring(f, 3);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-2");
	facts_free(f);
}

static void half_of_the_ranks_somewhere_blame_nobody(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, 40);
	facts_expect(f, VERDICT_HOST_STALL, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* It is inside another call of NCCL, whose peers nobody knows: it is not outside of everything. */
static void inside_a_split_is_not_outside(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);

	facts_call(f, 3, "ncclCommSplit", 50);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

static void lost_slots_weaken_what_rests_on_absence(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);
	struct job *job;
	struct verdicts *v;

	f->ranks[3].lost = 12;
	facts_loss(f, 3, "slots overwritten while read");
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->at[0].class, VERDICT_HOST_STALL);
	assert_int_equal(v->at[0].confidence, VERDICT_HYPOTHESIS);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

static void graphs_replayed_are_not_counted_as_absence(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);

	f->members[0][3].fact.saw_capture = true;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-2");
	facts_free(f);
}

static void s44_a_frozen_rank(void **state)
{
	struct facts *f = facts_missing(4, 1, 40);

	f->ranks[1].process.state = 'T';
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_FROZEN);
	f->ranks[1].process.state = 'S';
	f->ranks[1].process.frozen = JOB_YES;
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_FROZEN);
	facts_free(f);
}

/* What the verdict has of this kind; what is next. */
static void expect_frozen(const struct facts *f, enum verdict_fact_kind kind, int64_t value,
	enum verdict_next next)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	bool found = false;

	for (size_t i = 0; i < v->at[0].nevidence; i++)
		found |= v->at[0].evidence[i].kind == kind && v->at[0].evidence[i].a == value;
	assert_true(found);
	assert_int_equal(v->at[0].next, next);
	verdicts_free(v);
	job_free(job);
}

/* Whom a debugger holds no signal continues. */
static void a_rank_held_by_a_debugger(void **state)
{
	struct facts *f = facts_missing(4, 1, 40);

	f->ranks[1].process.state = 't';
	f->ranks[1].process.tracer = 4711;
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_FROZEN);
	expect_frozen(f, FACT_TRACED, 4711, VERDICT_NEXT_DETACH_DEBUGGER);
	f->ranks[1].process.tracer = 0;
	expect_frozen(f, FACT_TRACED, 0, VERDICT_NEXT_DETACH_DEBUGGER);
	f->ranks[1].process.state = 'T';
	f->ranks[1].process.tracer = 4711; /* which lets it be: a signal has stopped it */
	expect_frozen(f, FACT_FROZEN, 'T', VERDICT_NEXT_CONTINUE_PROCESS);
	facts_free(f);
}

static void frozen_inside_an_op_of_all(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, 40);
	f->ranks[2].process.state = 'T';
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_FROZEN);
	facts_free(f);
}

static void blocked_in_io_and_in_a_lock(void **state)
{
	struct facts *f = facts_missing(4, 1, 40);

	f->ranks[1].process.state = 'D';
	f->ranks[1].process.wchan = "nfs_wait_bit_killable";
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_IO);
	f->ranks[1].process.state = 'S';
	f->ranks[1].process.wchan = "flock_lock_inode_wait";
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_LOCK);
	facts_free(f);
}

static void a_polling_watchdog_does_not_hold_its_rank(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);
	struct facts_extra *extra = &f->extra[f->nextra++];

	*extra = (struct facts_extra){.kind = EXTRA_THREAD, .rank = 3, .of_ring = true};
	extra->is.thread = (struct job_thread){.tid = 77,
		.name = "pt_nccl_watchdg",
		.state = JOB_THREAD_POLLING,
		.call = "cudaEventQuery",
		.whole_device = true,
		.since = facts_ns(30),
		.cite = "ring:lane1"};
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	facts_free(f);
}

/* -- device --------------------------------------------------------------------------------- */

static struct facts *all_in(void)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 5, 20, 0.5);
	for (int i = 0; i < 4; i++) {
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 40)->completed = JOB_NO;
		facts_sync(f, i, 41);
	}
	return f;
}

static void s24_all_in_and_nothing_moves(void **state)
{
	struct facts *f = all_in();

	facts_expect(f, VERDICT_TRANSPORT_STALL, "", "0-3");
	facts_free(f);
}

static void s26_one_gpu_is_behind(void **state)
{
	struct facts *f = all_in();

	for (int i = 0; i < 4; i++)
		if (i != 2) {
			f->members[0][i].fact.done = 6;
			f->members[0][i].ops[5].completed = JOB_YES;
			facts_outside(f, i, 42);
		}
	facts_expect(f, VERDICT_GPU_STALL, "2", NULL);
	facts_free(f);
}

static void untracked_completion_is_said(void **state)
{
	struct facts *f = all_in();
	struct job *job;
	struct verdicts *v;

	for (int i = 0; i < 4; i++) {
		f->members[0][i].fact.done_known = false;
		for (int k = 0; k < 6; k++)
			f->members[0][i].ops[k].completed = JOB_MAYBE;
	}
	f->completion = false;
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->at[0].class, VERDICT_TRANSPORT_STALL);
	assert_int_equal(v->at[0].confidence, VERDICT_HYPOTHESIS);
	assert_true(v->nnot_judged > 0);
	assert_int_equal(v->not_judged[0].class, VERDICT_GPU_STALL);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

static void s40_all_in_init(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_in_init(f, 0, i, 20);
	facts_expect(f, VERDICT_TRANSPORT_STALL, "", "0-3");
	facts_free(f);
}

/* All are in the world's op; but rank 1's comes after one of a pair that rank 0 never entered. */
static void an_op_of_all_behind_one_that_lacks_somebody(void **state)
{
	struct facts *f = facts_new(4);
	int pair = facts_group_of(f, 2, 0, 1);

	facts_enter(f, pair, 1, JOB_OP_ALLREDUCE, 64, 39);
	for (int i = 0; i < 4; i++)
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 40);
	for (int i = 1; i < 4; i++)
		facts_sync(f, i, 41);
	facts_span(f, 0, JOB_SPAN_INPUT, "next batch", "", 42, FACTS_OPEN);
	facts_expect_where(f, VERDICT_HOST_STALL, "0", VERDICT_IN_INPUT);
	facts_free(f);
}

/* A rank that others wait for sits in a synchronisation with none of its operations open. */
static void a_gpu_that_does_not_come_back(void **state)
{
	struct facts *f = facts_missing(4, 2, 40);

	facts_sync(f, 2, 30);
	facts_expect(f, VERDICT_GPU_STALL, "2", "0,1,3");
	facts_free(f);
}

/* -- start and nodes ------------------------------------------------------------------------ */

static struct facts *starting(void)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 7; i++)
		facts_in_init(f, 0, i, 20);
	return f;
}

static enum verdict_confidence sureness(const struct facts *f)
{
	struct job *job = facts_job(f);
	struct verdicts *verdicts = verdicts_of(job);
	enum verdict_confidence confidence = verdicts->at[0].confidence;

	verdicts_free(verdicts);
	job_free(job);
	return confidence;
}

/* It may as well be on a host that nobody looked at, or run without a probe. */
static void s39_a_rank_that_never_came(void **state)
{
	struct facts *f = starting();

	facts_never_seen(f, 7);
	facts_expect(f, VERDICT_NOT_STARTED, "7", "0-6");
	assert_int_equal(sureness(f), VERDICT_HYPOTHESIS);
	f->census = false;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-6");
	facts_free(f);
}

/* The peers took 40 s to start, and wait for 60: a start may take that long. */
static void ranks_that_start_one_by_one(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 6; i++)
		facts_in_init(f, 0, i, 40);
	facts_candidate(f, 6);
	facts_candidate(f, 7);
	facts_expect(f, VERDICT_TOO_EARLY, "", "0-5");
	facts_free(f);
}

static void a_rank_that_still_imports(void **state)
{
	struct facts *f = starting();

	facts_candidate(f, 7);
	facts_cpu(f, 7, 1, 1, 0);
	facts_expect(f, VERDICT_NOT_STARTED, "7", "0-6");
	facts_free(f);
}

static void a_rank_that_died_before_it_started(void **state)
{
	struct facts *f = starting();

	facts_candidate(f, 7);
	facts_note(f, 7, "ModuleNotFoundError: no such module", 19);
	facts_expect(f, VERDICT_RANK_DEATH, "7", "0-6");
	facts_free(f);
}

/* The evidence of the second node is simply not there. */
static void a_missing_bundle_accuses_nobody(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 4; i++)
		facts_in_init(f, 0, i, 20);
	for (int i = 4; i < 8; i++)
		facts_never_seen(f, i);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-3");
	facts_free(f);
}

static struct facts *two_nodes(void)
{
	struct facts *f = facts_new(8);

	for (int i = 4; i < 8; i++)
		facts_move(f, i, 1);
	facts_rounds(f, 0, 10, 10, 0.5);
	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, 40);
	for (int i = 4; i < 8; i++)
		facts_outside(f, i, 39);
	return f;
}

static void s45_a_node_falls_silent(void **state)
{
	struct facts *f = two_nodes();
	struct verdicts *v;
	struct job *job;

	f->hosts[1].agent_beat = facts_ns(39.5);
	f->hosts[1].gathered = facts_ns(39.5);
	f->hosts[1].agent_alive = JOB_MAYBE;
	facts_expect(f, VERDICT_NODE_LOSS, "4-7", "0-3");
	job = facts_job(f);
	v = verdicts_of(job);
	/* The agent was at work at the only look: it may be so still. */
	assert_int_equal(v->at[0].confidence, VERDICT_HYPOTHESIS);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

/* All are ended at once; but what three of them did before, nobody saw: they may have waited. */
static void who_was_ended_unseen_was_not_well(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 10, 0.5);
	for (int i = 0; i < 4; i++)
		facts_end(f, i, JOB_SIGNALED, 15, 40);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	for (int i = 1; i < 4; i++)
		facts_lose_ring(f, i);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "");
	facts_free(f);
}

/* Its agent died; but its ranks were seen to live after that, on that very node. */
static void a_node_outlives_its_agent(void **state)
{
	struct facts *f = two_nodes();
	struct job *job;
	struct verdicts *verdicts;

	f->hosts[1].agent_beat = facts_ns(39.5);
	f->hosts[1].agent_alive = JOB_NO;
	job = facts_job(f);
	verdicts = verdicts_of(job);
	for (size_t i = 0; i < verdicts->n; i++)
		assert_int_not_equal(verdicts->at[i].class, VERDICT_NODE_LOSS);
	verdicts_free(verdicts);
	job_free(job);
	facts_free(f);
}

static void an_older_bundle_is_no_silence(void **state)
{
	struct facts *f = two_nodes();

	f->hosts[1].agent_beat = facts_ns(65);
	f->hosts[1].gathered = facts_ns(65);
	f->hosts[1].agent_alive = JOB_MAYBE;
	facts_span(f, 5, JOB_SPAN_COMPILE, "codegen", "", 30, FACTS_OPEN);
	for (int i = 4; i < 8; i++)
		if (i != 5)
			facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, 40);
	facts_expect(f, VERDICT_COMPILE_SKEW, "5", NULL);
	facts_free(f);
}

/* -- nothing wrong -------------------------------------------------------------------------- */

static void s41_a_slow_rank_recovers(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 5);
	for (int i = 0; i < 10; i++)
		f->members[0][2].ops[i].entered += 4000000000;
	facts_expect(f, VERDICT_SLOW, "2", NULL);
	facts_free(f);
}

static void s47_a_long_local_step(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++)
		facts_sync(f, i, 30);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

static void s49_the_newest_generation_counts(void **state)
{
	struct facts *f = facts_missing(4, 3, 40);

	for (int i = 0; i < 4; i++)
		f->ranks[i].restart = 1;
	facts_span(f, 3, JOB_SPAN_COMPILE, "codegen", "", 50, FACTS_OPEN);
	for (int i = 0; i < 4; i++) {
		struct job_process *old = facts_child(f, i, "python");

		old->ppid = 1;
		old->role = JOB_ROLE_RANK;
		old->end = JOB_SIGNALED;
		old->status = SIGSEGV;
	}
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	facts_free(f);
}

/* S51: the second node's clock is 8 s behind: order decides, not time. */
static void s51_clocks_do_not_decide(void **state)
{
	struct facts *f = two_nodes();

	for (int i = 4; i < 8; i++) {
		for (size_t k = 0; k < f->members[0][i].nops; k++)
			f->members[0][i].ops[k].entered -= 8000000000;
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, 32);
	}
	f->members[0][6].nops--;
	f->members[0][6].fact.head--;
	facts_outside(f, 6, 30);
	f->hosts[1].gathered -= 8000000000;
	f->hosts[1].agent_beat -= 8000000000;
	f->hosts[1].clock_error = 10000000000;
	facts_expect(f, VERDICT_HOST_STALL, "6", "0-5,7");
	facts_free(f);
}

static void an_unknown_member_is_named_by_its_seat(void **state)
{
	struct facts *f = facts_new(4);
	int pair = facts_group_of(f, 2, 1, 2);
	struct job *job;
	struct verdicts *v;

	facts_hold(f, pair, 1, JOB_OP_ALLREDUCE, 64, 40);
	facts_unseen(f, pair, 2);
	job = facts_job(f);
	v = verdicts_of(job);
	assert_int_equal(v->at[0].class, VERDICT_INCONCLUSIVE);
	assert_int_equal(v->at[0].nunknown, 1);
	assert_int_equal(v->at[0].unknown_members[0].seat.n, 1);
	verdicts_free(v);
	job_free(job);
	facts_free(f);
}

static void a_job_of_one_and_of_none(void **state)
{
	struct facts *f = facts_new(1);

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_never_seen(f, 0);
	f->census = false;
	f->world_size = JOB_NONE;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "");
	facts_free(f);
}

/* All of the old group must come to a split. */
static void a_rank_that_is_missing_at_a_split(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		if (i != 2)
			facts_split(f, 0, i, 40);
	facts_outside(f, 2, 39);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
}

static void nobody_is_missing_at_a_split_whose_ring_is_lost(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		if (i != 2)
			facts_split(f, 0, i, 40);
	facts_lose_ring(f, 2);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/* What they replay is not recorded: nobody can say that nothing is wrong. */
static void ranks_that_wait_after_replays_are_not_called_healthy(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 3, 10, 0.5);
	for (int i = 0; i < 4; i++) {
		f->members[0][i].fact.saw_capture = true;
		facts_sync(f, i, 20);
	}
	facts_outside(f, 2, 20);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/* Kernels of symmetric memory and the like wait for other GPUs, and no host sees them. */
static void who_may_be_in_an_operation_that_nobody_records_is_not_surely_to_blame(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 3, 10, 0.5);
	for (int i = 0; i < 4; i++) {
		facts_trait(f, i, "unseen-ops", "symmetric memory", -1);
		facts_sync(f, i, 20);
	}
	facts_outside(f, 2, 20);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);

	f = facts_missing(4, 3, 40);
	facts_sync(f, 3, 40);
	assert_int_equal(sureness(f), VERDICT_SUPPORTED);
	facts_trait(f, 3, "unseen-ops", "symmetric memory", -1);
	assert_int_equal(sureness(f), VERDICT_HYPOTHESIS);
	facts_free(f);
}

/* Ranks of which nobody saw a communicator: they start, or NCCL is called past the probe. */
static void ranks_without_any_communicator_are_not_called_healthy(void **state)
{
	struct facts *f = facts_new(3);

	for (int i = 0; i < 3; i++)
		facts_candidate(f, i);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "");
	facts_free(f);
}

/* A bundle cut before its rings: what nobody saw is not "nothing is wrong". */
static void without_any_ring_nobody_is_called_well(void **state)
{
	struct facts *f = facts_new(4);

	(void)state;
	facts_rounds(f, 0, 4, 1, 0.1);
	for (int rank = 0; rank < 4; rank++)
		facts_lose_ring(f, rank);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "");
	for (int rank = 0; rank < 4; rank++)
		facts_end(f, rank, JOB_GONE, 0, 3);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "");
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(s17_rank_0_saves_and_the_others_wait),
		cmocka_unit_test(s19_a_rank_waits_for_its_input),
		cmocka_unit_test(a_stall_in_user_code),
		cmocka_unit_test(a_stall_somewhere),
		cmocka_unit_test(a_lost_ring_is_no_stall),
		cmocka_unit_test(half_of_the_ranks_somewhere_blame_nobody),
		cmocka_unit_test(inside_a_split_is_not_outside),
		cmocka_unit_test(lost_slots_weaken_what_rests_on_absence),
		cmocka_unit_test(graphs_replayed_are_not_counted_as_absence),
		cmocka_unit_test(s44_a_frozen_rank),
		cmocka_unit_test(a_rank_held_by_a_debugger),
		cmocka_unit_test(frozen_inside_an_op_of_all),
		cmocka_unit_test(blocked_in_io_and_in_a_lock),
		cmocka_unit_test(a_polling_watchdog_does_not_hold_its_rank),
		cmocka_unit_test(s24_all_in_and_nothing_moves),
		cmocka_unit_test(s26_one_gpu_is_behind),
		cmocka_unit_test(untracked_completion_is_said),
		cmocka_unit_test(s40_all_in_init),
		cmocka_unit_test(an_op_of_all_behind_one_that_lacks_somebody),
		cmocka_unit_test(a_gpu_that_does_not_come_back),
		cmocka_unit_test(s39_a_rank_that_never_came),
		cmocka_unit_test(ranks_that_start_one_by_one),
		cmocka_unit_test(a_rank_that_still_imports),
		cmocka_unit_test(a_rank_that_died_before_it_started),
		cmocka_unit_test(a_missing_bundle_accuses_nobody),
		cmocka_unit_test(s45_a_node_falls_silent),
		cmocka_unit_test(a_node_outlives_its_agent),
		cmocka_unit_test(who_was_ended_unseen_was_not_well),
		cmocka_unit_test(an_older_bundle_is_no_silence),
		cmocka_unit_test(s41_a_slow_rank_recovers),
		cmocka_unit_test(s47_a_long_local_step),
		cmocka_unit_test(s49_the_newest_generation_counts),
		cmocka_unit_test(s51_clocks_do_not_decide),
		cmocka_unit_test(an_unknown_member_is_named_by_its_seat),
		cmocka_unit_test(a_job_of_one_and_of_none),
		cmocka_unit_test(a_rank_that_is_missing_at_a_split),
		cmocka_unit_test(nobody_is_missing_at_a_split_whose_ring_is_lost),
		cmocka_unit_test(ranks_that_wait_after_replays_are_not_called_healthy),
		cmocka_unit_test(without_any_ring_nobody_is_called_well),
		cmocka_unit_test(
			who_may_be_in_an_operation_that_nobody_records_is_not_surely_to_blame),
		cmocka_unit_test(ranks_without_any_communicator_are_not_called_healthy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
