/* SPDX-License-Identifier: Apache-2.0 */
/* What was not seen is not what was not there: of batches, of ranks, of what is excluded. */
#include "tests/unit/unit.h"

#include <signal.h>

#include "tests/unit/facts.h"
#include "tests/unit/judged.h"

static const struct verdict_fact *fact_of(const struct verdict *v, enum verdict_fact_kind kind)
{
	for (size_t i = 0; i < v->nevidence; i++)
		if (v->evidence[i].kind == kind)
			return &v->evidence[i];
	return NULL;
}

static const struct verdict_ruled_out *ruled_out(const struct verdict *v, enum verdict_class class)
{
	for (size_t i = 0; i < v->nruled_out; i++)
		if (v->ruled_out[i].class == class)
			return &v->ruled_out[i];
	return NULL;
}

/* A job of eight of which only these are known: one is late, some wait for it. */
static struct facts *late_among(int waiting, int unseen)
{
	struct facts *f = facts_missing(8, 0, 20);

	for (int i = waiting + 1; i < waiting + 1 + unseen; i++)
		facts_lose_ring(f, i);
	return f;
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

/* Five of whom nothing is known may be where rank 0 is: then who waits is the odd one. */
static void who_is_late_may_be_one_of_many(void **state)
{
	struct facts *f = late_among(2, 5);

	facts_expect(f, VERDICT_HOST_STALL, "0", "1,2");
	assert_int_equal(confidence_of(f), VERDICT_HYPOTHESIS);
	facts_free(f);
	f = late_among(6, 1);
	facts_expect(f, VERDICT_HOST_STALL, "0", "1-6");
	assert_int_equal(confidence_of(f), VERDICT_SUPPORTED);
	facts_free(f);
}

/* Its death is reason enough, whatever the unseen do. */
static void who_died_is_one_whoever_else_is_late(void **state)
{
	struct facts *f = late_among(2, 5);

	facts_signal(f, 0, 11, 0, "python", 55);
	facts_end(f, 0, JOB_SIGNALED, 11, 55);
	facts_expect(f, VERDICT_RANK_DEATH, "0", "1,2");
	assert_int_equal(confidence_of(f), VERDICT_SUPPORTED);
	facts_free(f);
}

/* The rarer of two orders, as far as was seen. */
static void an_order_that_only_looks_rare(void **state)
{
	struct facts *f = facts_new(8);
	int b = facts_group_of(f, 8, 0, 1, 2, 3, 4, 5, 6, 7);

	facts_enter_but(f, 0, 5, JOB_OP_ALLREDUCE, 64, 30);
	facts_hold(f, b, 5, JOB_OP_ALLREDUCE, 64, 30);
	for (int i = 0; i < 4; i++)
		facts_never_seen(f, i);
	f->census = false;
	facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* Steps whose marks were lost are not none. */
static void lost_steps_are_not_none(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++)
		if (i != 1)
			facts_step(f, i, 10);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 40);
	facts_end(f, 1, JOB_EXITED, 0, 41);
	facts_expect(f, VERDICT_UNEVEN_SHARD, "1", NULL);
	f->ranks[1].lost = 3;
	facts_expect(f, VERDICT_EARLY_EXIT, "1", NULL);
	facts_free(f);
}

/* -- no batch at all --------------------------------------------------------------------------- */

/* Rank 7's loader of a streamed set ends at once; it goes on to what follows the loop. */
static struct facts *nothing_for(int rank)
{
	struct facts *f = facts_new(8);

	for (int i = 0; i < 8; i++) {
		if (i == rank)
			facts_trait(f, i, "input-end", "train", 0);
		else
			facts_shard(f, i, 4, 1);
	}
	return f;
}

/* Established by its own record: the peers got a batch each. */
static void expect_no_batch(const struct facts *f, enum verdict_cause cause)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	const struct verdict_fact *fact;

	facts_expect_cause(f, VERDICT_EMPTY_SHARD, "7", cause);
	assert_int_equal(v->n, 1);
	assert_int_equal(v->at[0].confidence, VERDICT_ESTABLISHED);
	fact = fact_of(&v->at[0], FACT_NO_BATCH);
	assert_non_null(fact);
	assert_int_equal(fact->b, 1);
	assert_int_equal(fact->c, 1);
	verdicts_free(v);
	job_free(job);
}

static void no_batch_and_another_op(void **state)
{
	struct facts *f = nothing_for(7);

	for (int i = 0; i < 8; i++)
		facts_hold(f, 0, i, i == 7 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 64, 60);
	expect_no_batch(f, VERDICT_NO_CAUSE);
	facts_free(f);
}

static void no_batch_and_no_op(void **state)
{
	struct facts *f = nothing_for(7);

	facts_enter_but(f, 0, 7, JOB_OP_ALLREDUCE, 64, 60);
	facts_outside(f, 7, 20);
	expect_no_batch(f, VERDICT_NO_CAUSE);
	facts_free(f);
}

static void no_batch_and_gone(void **state)
{
	struct facts *f = nothing_for(7);

	facts_enter_but(f, 0, 7, JOB_OP_ALLREDUCE, 64, 60);
	facts_end(f, 7, JOB_EXITED, 0, 61);
	expect_no_batch(f, VERDICT_BY_EARLY_EXIT);
	facts_free(f);
}

/* It adds up what it has seen, in a group of its own; the others are in their first step. */
static void no_batch_and_another_group(void **state)
{
	struct facts *f = nothing_for(7);
	int totals = facts_group_of(f, 8, 0, 1, 2, 3, 4, 5, 6, 7);

	for (int i = 0; i < 8; i++)
		facts_hold(f, i == 7 ? totals : 0, i, JOB_OP_ALLREDUCE, 64, 60);
	expect_no_batch(f, VERDICT_NO_CAUSE);
	facts_free(f);
}

/* Two of eight got nothing; and one got none in its second pass, which the others are in. */
static void two_without_a_batch_and_a_later_pass(void **state)
{
	struct facts *f = nothing_for(7);

	f->extra[2].kind = f->extra[7].kind;
	f->extra[2].is.trait = f->extra[7].is.trait;
	for (int i = 0; i < 8; i++)
		facts_hold(f, 0, i, i == 7 || i == 2 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 64, 60);
	facts_expect(f, VERDICT_EMPTY_SHARD, "2,7", "0,1,3-6");
	facts_free(f);
	f = facts_new(4);
	for (int i = 0; i < 4; i++) {
		facts_shard(f, i, 4, 3);
		if (i == 2)
			facts_trait(f, i, "input-end", "train", 0)->when = facts_ns(8);
	}
	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, i == 2 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 64, 60);
	facts_expect(f, VERDICT_EMPTY_SHARD, "2", "0,1,3");
	facts_free(f);
}

/* One who has not begun its first pass, or had earlier ones, is not one who got nothing. */
static void who_has_not_begun_got_not_nothing(void **state)
{
	struct facts *f = nothing_for(7);

	f->extra[f->nextra - 1].is.trait.number = JOB_UNKNOWN;
	facts_enter_but(f, 0, 7, JOB_OP_ALLREDUCE, 64, 60);
	facts_outside(f, 7, 20);
	facts_expect(f, VERDICT_HOST_STALL, "7", NULL);
	facts_free(f);
}

/* All had their batches and are at the end of a pass without any: that is how a loop ends. */
static void an_empty_pass_of_all_is_nothing(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++) {
		facts_shard(f, i, 4, 3);
		facts_trait(f, i, "input-end", "train", 0)->when = facts_ns(8);
	}
	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 64, 60);
	facts_outside(f, 2, 20);
	facts_expect(f, VERDICT_HOST_STALL, "2", NULL);
	facts_free(f);
}

/* -- a look-alike is excluded by the word of all, or not at all ----------------------------- */

static void expect_ruled_out(const struct facts *f, enum verdict_class class, bool expected)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);

	assert_true(v->n > 0);
	if ((ruled_out(&v->at[0], class) != NULL) != expected) {
		facts_print(v);
		fail_msg("%s is %sruled out", verdict_class_name(class), expected ? "not " : "");
	}
	verdicts_free(v);
	job_free(job);
}

static struct facts *with_batches(void)
{
	struct facts *f = facts_missing(8, 5, 20);

	for (int i = 0; i < 8; i++)
		facts_shard(f, i, 4, 3);
	return f;
}

static void all_have_testified(void **state)
{
	struct facts *f = with_batches();

	expect_ruled_out(f, VERDICT_EMPTY_SHARD, true);
	expect_ruled_out(f, VERDICT_COMPILE_SKEW, true);
	expect_ruled_out(f, VERDICT_RANK_DEATH, true);
	expect_ruled_out(f, VERDICT_COLLECTIVE_MISMATCH, true);
	expect_ruled_out(f, VERDICT_TRANSPORT_STALL, true);
	facts_free(f);
}

static void one_has_no_batch_to_show(void **state)
{
	struct facts *f = with_batches();

	f->extra[3].is.shard.loader = "valid";
	expect_ruled_out(f, VERDICT_EMPTY_SHARD, false);
	f->extra[3].is.shard.loader = "train";
	facts_trait(f, 3, "input-end", "train", 3)->when = facts_ns(9);
	expect_ruled_out(f, VERDICT_EMPTY_SHARD, false);
	facts_free(f);
}

/* Of rank 2 there is no ring: it may compile, and wait elsewhere, and enter something else. */
static void one_whose_ring_is_lost(void **state)
{
	struct facts *f = with_batches();

	facts_lose_ring(f, 2);
	expect_ruled_out(f, VERDICT_EMPTY_SHARD, false);
	expect_ruled_out(f, VERDICT_COMPILE_SKEW, false);
	expect_ruled_out(f, VERDICT_RANK_DEATH, true);
	expect_ruled_out(f, VERDICT_COLLECTIVE_MISMATCH, false);
	expect_ruled_out(f, VERDICT_TRANSPORT_STALL, false);
	facts_free(f);
}

/* There should be sixteen, and eight were seen. */
static void half_of_the_job_was_not_seen(void **state)
{
	struct facts *f = with_batches();

	f->world_size = 16;
	expect_ruled_out(f, VERDICT_EMPTY_SHARD, false);
	expect_ruled_out(f, VERDICT_COMPILE_SKEW, false);
	expect_ruled_out(f, VERDICT_RANK_DEATH, false);
	expect_ruled_out(f, VERDICT_TRANSPORT_STALL, false);
	facts_free(f);
}

/* Its end was seen: what else is well with the job tells nobody why the others wait. */
static void an_end_is_no_compile_and_no_network(void **state)
{
	static const struct {
		enum job_end end;
		int status;
		enum verdict_class class;
		bool shards;
	} ends[] = {{JOB_SIGNALED, SIGKILL, VERDICT_RANK_DEATH, false},
		{JOB_EXITED, 1, VERDICT_RANK_DEATH, false},
		{JOB_EXITED, 0, VERDICT_EARLY_EXIT, true}};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct facts *f = with_batches();

		facts_end(f, 5, ends[i].end, ends[i].status, 22);
		facts_expect(f, ends[i].class, "5", NULL);
		expect_ruled_out(f, VERDICT_EMPTY_SHARD, ends[i].shards);
		expect_ruled_out(f, VERDICT_COMPILE_SKEW, false);
		expect_ruled_out(f, VERDICT_COLLECTIVE_MISMATCH, false);
		expect_ruled_out(f, VERDICT_TRANSPORT_STALL, false);
		facts_free(f);
	}
}

static void one_who_lost_records(void **state)
{
	struct facts *f = with_batches();

	f->ranks[2].lost = 5;
	expect_ruled_out(f, VERDICT_COMPILE_SKEW, false);
	facts_free(f);
}

static void one_whose_end_is_not_known(void **state)
{
	struct facts *f = with_batches();

	f->ranks[2].exit_known = false;
	expect_ruled_out(f, VERDICT_RANK_DEATH, false);
	facts_free(f);
}

/* -- who may be stopped ------------------------------------------------------------------------ */

/* All GPUs began an operation that does not complete; `but_one`: it did, but for rank 2. */
static struct facts *all_in(bool but_one)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 5, 20, 0.5);
	for (int i = 0; i < 4; i++) {
		facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 64, 40)->completed = JOB_NO;
		facts_sync(f, i, 41);
		f->members[0][i].fact.begun_known = true;
		f->members[0][i].fact.begun = 6;
		if (!but_one || i == 2)
			continue;
		f->members[0][i].fact.done = 6;
		f->members[0][i].ops[5].completed = JOB_YES;
		facts_outside(f, i, 42);
	}
	return f;
}

/* So it is judged, and this is said to be lacking of rank 2 alone where it is no more than that. */
static void expect_unseen(struct facts *f, enum verdict_class class, bool unseen)
{
	struct judged j = judge(f);
	bool asked = false;

	assert_int_equal(j.first->class, class);
	assert_int_equal(
		j.first->confidence, unseen ? VERDICT_HYPOTHESIS : VERDICT_SUPPORTED);
	assert_int_equal(j.first->next == VERDICT_NEXT_CHECK_FABRIC,
		class == VERDICT_TRANSPORT_STALL && !unseen);
	for (size_t i = 0; i < j.v->nnot_judged; i++)
		asked |= j.v->not_judged[i].need == NEED_STATE &&
			 j.v->not_judged[i].class == VERDICT_HOST_STALL &&
			 j.v->not_judged[i].ranks.n == 1 &&
			 j.v->not_judged[i].ranks.at[0].i == 2;
	assert_int_equal(asked, unseen);
	done(&j, f);
}

/* A ring shows a wait alike of who waits and of who was stopped there. */
static void who_was_not_looked_at_may_be_stopped(void **state)
{
	struct facts *f = all_in(false);

	expect_unseen(f, VERDICT_TRANSPORT_STALL, false);
	f = all_in(false);
	f->ranks[2].process.state = 0;
	expect_unseen(f, VERDICT_TRANSPORT_STALL, true);
	/* Its own dump it wrote itself. */
	f = all_in(false);
	f->ranks[2].process.state = 0;
	f->ranks[2].dump = true;
	expect_unseen(f, VERDICT_TRANSPORT_STALL, false);
	/* It is stopped, or its GPU is behind. */
	f = all_in(true);
	expect_unseen(f, VERDICT_GPU_STALL, false);
	f = all_in(true);
	f->ranks[2].process.state = 0;
	expect_unseen(f, VERDICT_GPU_STALL, true);
	(void)state;
}

/* Launchers kill stopped ones, or continue and end them; of its own signal only who runs dies. */
static void who_was_killed_may_have_been_stopped(void **state)
{
	static const struct {
		int signo;
		bool sampled, unseen;
	} ends[] = {{SIGABRT, false, false}, {SIGKILL, false, true}, {SIGKILL, true, false},
		{SIGTERM, false, true}, {SIGTERM, true, false}};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct facts *f = all_in(false);

		for (int rank = 0; rank < 4; rank++) {
			facts_end(f, rank, JOB_SIGNALED, rank == 2 ? ends[i].signo : SIGABRT, 90);
			facts_signal(f, rank, SIGABRT, 0, "pt_nccl_watchdg", 89);
		}
		if (ends[i].sampled)
			f->ranks[2].process.cpu_used = 5000000000;
		expect_unseen(f, VERDICT_TRANSPORT_STALL, ends[i].unseen);
	}
	(void)state;
}

/* A synchronisation that does not return, for nothing that is known. */
static void who_synchronises_may_be_stopped_there(void **state)
{
	for (int unseen = 0; unseen < 2; unseen++) {
		struct facts *f = facts_missing(4, 2, 41);

		facts_sync(f, 2, 41);
		if (unseen)
			f->ranks[2].process.state = 0;
		expect_unseen(f, VERDICT_GPU_STALL, unseen);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_late_may_be_one_of_many),
		cmocka_unit_test(who_died_is_one_whoever_else_is_late),
		cmocka_unit_test(an_order_that_only_looks_rare),
		cmocka_unit_test(lost_steps_are_not_none),
		cmocka_unit_test(no_batch_and_another_op),
		cmocka_unit_test(no_batch_and_no_op),
		cmocka_unit_test(no_batch_and_gone),
		cmocka_unit_test(no_batch_and_another_group),
		cmocka_unit_test(two_without_a_batch_and_a_later_pass),
		cmocka_unit_test(who_has_not_begun_got_not_nothing),
		cmocka_unit_test(an_empty_pass_of_all_is_nothing),
		cmocka_unit_test(all_have_testified),
		cmocka_unit_test(one_has_no_batch_to_show),
		cmocka_unit_test(one_whose_ring_is_lost),
		cmocka_unit_test(half_of_the_job_was_not_seen),
		cmocka_unit_test(an_end_is_no_compile_and_no_network),
		cmocka_unit_test(one_who_lost_records),
		cmocka_unit_test(one_whose_end_is_not_known),
		cmocka_unit_test(who_was_not_looked_at_may_be_stopped),
		cmocka_unit_test(who_was_killed_may_have_been_stopped),
		cmocka_unit_test(who_synchronises_may_be_stopped_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
