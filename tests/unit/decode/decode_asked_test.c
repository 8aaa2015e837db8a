/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings of libraries that tell on the host when an op is done: how far that word is believed, and
 * for how long a thread that asked is taken to ask still.
 */
#include "decode/decode.h"

#include "job/job.h"
#include "ring/calls.h"
#include "tests/decode/forge.h"
#include "tests/unit/unit.h"

static struct job *decoded(struct evidence *evidence)
{
	struct job *job = decode_job(evidence);

	evidence_release(evidence);
	return job;
}

/* A group whose library says on the host when an op is done; the header knows of no device. */
static int seat_of_gloo(struct fixture *f)
{
	const struct ring_member member = {.key = FORGE_KEY,
		.size = 3,
		.rank = 1,
		.maker = RING_MAKER_GLOO,
		.state = RING_G_HOST_DONE,
		.ranks = ring_string(&f->w, "4,0-1", 5),
		.timeout_ns = 60000000000};
	int group = ring_group_claim(&f->w);

	f->w.header->completion = 0;
	ring_group_publish(&f->w, group, forge_tsc(60), &member);
	ring_group_ready(&f->w, group, forge_tsc(59), 0x1234);
	return group;
}

static void forge_send(struct fixture *f, int group, uint32_t peer, double seconds)
{
	const struct ring_record op = {
		.meta = ring_meta(
			RING_CALL_ENTER, RING_F_P2P, (unsigned)group, RING_CALL_c10d_send),
		.count = 5,
		.sig = ring_sig(RING_OP_SEND, 7, 0, peer),
	};
	struct ring_entered e = ring_group_enqueue(&f->w, group, 0, forge_tsc(seconds), &op);

	ring_group_returned(&f->w, &e, RING_F_RETURNED);
}

static void a_library_that_tells_the_end_of_ops_is_believed(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	int group = seat_of_gloo(f);
	const struct job_member *member;
	struct job *job;

	ring_lane_claim(&f->w, 100, "main");
	for (int i = 0; i < 3; i++)
		forge_op(f, group, 10, 10 - i);
	forge_send(f, group, 0, 5);
	forge_send(f, group, 2, 4);
	f->w.groups[group].completed_word = 2;
	f->w.groups[group].completed_p2p = 1;
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_string_equal(job->groups[0].maker, "gloo");
	assert_string_equal(job->groups[0].ranks, "4,0-1");
	member = &job->members[job->groups[0].first_member + 1];
	assert_true(member->done_known);
	assert_int_equal(member->done, 2);
	assert_int_equal(member->timeout, 60000000000);
	assert_int_equal(member->ops[1].completed, JOB_YES);
	assert_int_equal(member->ops[2].completed, JOB_NO);
	assert_int_equal(member->p2p[0].completed, JOB_YES);
	assert_int_equal(member->p2p[1].completed, JOB_MAYBE); /* nobody has waited for it */
	assert_true(job->ranks[0].knows & JOB_KNOWS_COMPLETION);
	job_free(job);
}

static void lost_ends_of_ops_leave_the_rest_unknown(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	int group = seat_of_gloo(f);
	const struct job_member *member;
	struct job *job;

	forge_op(f, group, 10, 3);
	forge_op(f, group, 10, 2);
	f->w.groups[group].completed_word = 1;
	f->w.header->losses.completions = 1;
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	member = &job->members[job->groups[0].first_member + 1];
	assert_false(member->done_known);
	assert_int_equal(member->ops[0].completed, JOB_YES);
	assert_int_equal(member->ops[1].completed, JOB_MAYBE);
	job_free(job);
}

/* An abort ends what is open on a device, whoever has not come; a library tells of its own. */
static void what_is_over_after_an_abort_may_not_be_done(void **state)
{
	for (int by_library = 0; by_library < 2; by_library++) {
		struct evidence evidence = {0};
		struct fixture *f = forge_rank(0);
		int group = by_library ? seat_of_gloo(f) : forge_seat(f, 0);
		const struct job_member *member;
		struct job *job;

		f->w.header->completion = 1;
		forge_op(f, group, 10, 3);
		f->w.groups[group].completed_word = 1;
		f->w.groups[group].state |= RING_G_ABORTED;
		forge_gather(&evidence);
		forge_ring(&evidence, f);
		job = decoded(&evidence);
		member = &job->members[job->groups[0].first_member + (by_library ? 1 : 0)];
		assert_true(member->aborted);
		assert_int_equal(member->done_known, by_library);
		assert_int_equal(member->ops[0].completed, by_library ? JOB_YES : JOB_MAYBE);
		job_free(job);
	}
}

/* A host that must ask again to get on does so often: who asked long ago is elsewhere since. */
static void who_asked_long_ago_asks_no_more(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct ring_lane *asks = ring_lane_claim(&f->w, 100, "main");
	struct ring_lane *asked = ring_lane_claim(&f->w, 101, "helper");
	struct ring_lane *device = ring_lane_claim(&f->w, 102, "other");
	struct ring_record poll = {
		.meta = ring_meta(RING_WAIT_ENTER, RING_F_POLL, RING_NO_GROUP, RING_CALL_MPI_Test)};
	struct job *job;

	ring_lane_board(asks, forge_tsc(0.1), &poll);
	ring_lane_board(asked, forge_tsc(5), &poll);
	poll.meta = ring_meta(
		RING_WAIT_ENTER, RING_F_POLL, RING_NO_GROUP, RING_CALL_cudaStreamQuery);
	ring_lane_board(device, forge_tsc(5), &poll);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->nthreads, 3);
	assert_int_equal(job->threads[0].state, JOB_THREAD_POLLING);
	assert_int_equal(job->threads[1].state, JOB_THREAD_OUTSIDE);
	assert_int_equal(job->threads[1].since, forge_real(5));
	assert_int_equal(job->threads[2].state, JOB_THREAD_POLLING);
	job_free(job);
}

/* So does who waits for a communicator that is made without blocking. */
static void who_asked_about_a_communicator_long_ago_asks_no_more(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	unsigned group = (unsigned)forge_seat(f, 0);
	struct ring_lane *asks = ring_lane_claim(&f->w, 100, "main");
	struct ring_lane *asked = ring_lane_claim(&f->w, 101, "helper");
	const struct ring_record poll = {.meta = ring_meta(RING_CALL_ENTER, RING_F_POLL, group,
						 RING_CALL_ncclCommGetAsyncError)};
	struct job *job;

	ring_lane_board(asks, forge_tsc(0.1), &poll);
	ring_lane_board(asked, forge_tsc(5), &poll);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->nthreads, 2);
	assert_int_equal(job->threads[0].state, JOB_THREAD_IN_CALL);
	assert_int_equal(job->threads[0].group, 0);
	assert_int_equal(job->threads[1].state, JOB_THREAD_OUTSIDE);
	assert_int_equal(job->threads[1].since, forge_real(5));
	job_free(job);
}

/* Nobody says when the ring was read: whether it still asks is not known. A module has no time. */
static void who_asked_at_an_unknown_time_may_be_elsewhere(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct ring_lane *asks = ring_lane_claim(&f->w, 100, "main");
	const struct ring_record poll = {
		.meta = ring_meta(RING_WAIT_ENTER, RING_F_POLL, RING_NO_GROUP, RING_CALL_MPI_Test)};
	struct job *job;

	ring_lane_board(asks, forge_tsc(0.1), &poll);
	forge_text(&evidence, EXHIBIT_MODULE, 0, "");
	evidence.at[0].when = 0;
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->threads[0].state, JOB_THREAD_UNKNOWN);
	assert_true(job->gathered > forge_real(0) - 1000 * CLOCK_NS_PER_S);
	job_free(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_library_that_tells_the_end_of_ops_is_believed),
		cmocka_unit_test(lost_ends_of_ops_leave_the_rest_unknown),
		cmocka_unit_test(what_is_over_after_an_abort_may_not_be_done),
		cmocka_unit_test(who_asked_long_ago_asks_no_more),
		cmocka_unit_test(who_asked_about_a_communicator_long_ago_asks_no_more),
		cmocka_unit_test(who_asked_at_an_unknown_time_may_be_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
