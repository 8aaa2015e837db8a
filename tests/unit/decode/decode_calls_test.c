/* SPDX-License-Identifier: Apache-2.0 */
/* What threads were in over time, read from rings that the real writer wrote. */
#include "decode/decode.h"

#include <string.h>

#include "job/spans.h"
#include "ring/calls.h"
#include "tests/decode/forge.h"
#include "tests/unit/unit.h"

static struct job *decoded(struct fixture *f)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decode_job_with_calls(&evidence);
	evidence_release(&evidence);
	return job;
}

/* A record of that type, `ago` seconds before the gathering; its ticket. */
static uint64_t put(struct fixture *f, struct ring_lane *lane, unsigned type, unsigned call,
	uint64_t ticket, double ago)
{
	struct ring_record record = {
		.meta = ring_meta(type, 0, RING_NO_GROUP, call), .more = ticket};

	return ring_put(&f->w, lane, forge_tsc(ago), &record);
}

static void expect_call(const struct job *job, size_t i, enum job_call_kind kind,
	const char *name, double entered, double returned)
{
	const struct job_call *call = &job->calls[i];

	assert_true(i < job->ncalls);
	assert_int_equal(call->kind, kind);
	assert_string_equal(call->name, name);
	assert_int_equal(call->entered, forge_real(entered));
	assert_int_equal(call->returned, returned < 0 ? JOB_UNKNOWN : forge_real(returned));
}

static void a_call_lasts_from_its_entry_to_its_return(void **state)
{
	struct fixture *f = forge_rank(0);
	struct ring_lane *lane = ring_lane_claim(&f->w, 100, "main");
	int group = forge_seat(f, 0);
	struct ring_record op = {.index = 7, .count = 64};
	struct job *job;
	uint64_t ticket;

	op.meta = ring_meta(RING_CALL_ENTER, 0, (unsigned)group, RING_CALL_ncclAllReduce);
	op.sig = ring_sig(RING_OP_ALLREDUCE, 7, 0, RING_SIG_NO_PEER);
	ticket = ring_put(&f->w, lane, forge_tsc(9), &op);
	put(f, lane, RING_CALL_EXIT, RING_CALL_ncclAllReduce, ticket, 8.5);
	ticket = put(f, lane, RING_WAIT_ENTER, RING_CALL_cudaStreamSynchronize, 0, 8);
	put(f, lane, RING_WAIT_EXIT, RING_CALL_cudaStreamSynchronize, ticket, 3);
	job = decoded(f);
	assert_true(job->calls_told);
	assert_int_equal(job->ncalls, 2);
	expect_call(job, 0, JOB_CALL_INSIDE, "ncclAllReduce", 9, 8.5);
	assert_int_equal(job->calls[0].index, 7);
	assert_int_equal(job->calls[0].sig.op, RING_OP_ALLREDUCE);
	assert_int_equal(job->calls[0].group, 0);
	expect_call(job, 1, JOB_CALL_WAIT, "cudaStreamSynchronize", 8, 3);
	assert_int_equal(calls_of(job, rank_index(0)).to, 2);
	job_free(job);
}

/* It is in it when the evidence ends; what came after that has not happened yet. */
static void an_open_call_has_no_return(void **state)
{
	struct fixture *f = forge_rank(0);
	struct ring_lane *lane = ring_lane_claim(&f->w, 100, "main");
	struct ring_record board = {.meta = ring_meta(
					    RING_WAIT_ENTER, 0, RING_NO_GROUP,
					    RING_CALL_cudaDeviceSynchronize)};
	struct job *job;
	uint64_t ticket;

	ticket = put(f, lane, RING_WAIT_ENTER, RING_CALL_cudaDeviceSynchronize, 0, 5);
	ring_lane_board(lane, forge_tsc(5), &board);
	put(f, lane, RING_WAIT_EXIT, RING_CALL_cudaDeviceSynchronize, ticket, -1);
	job = decoded(f);
	assert_int_equal(job->ncalls, 1);
	expect_call(job, 0, JOB_CALL_WAIT, "cudaDeviceSynchronize", 5, -1);
	job_free(job);
}

/* Its board says that it came back: when, nobody wrote down. */
static void a_return_that_nobody_wrote_down_is_a_hole(void **state)
{
	struct fixture *f = forge_rank(0);
	struct ring_lane *lane = ring_lane_claim(&f->w, 100, "main");
	struct job *job;

	put(f, lane, RING_WAIT_ENTER, RING_CALL_cudaDeviceSynchronize, 0, 5);
	ring_lane_idle(lane, forge_tsc(2));
	job = decoded(f);
	assert_int_equal(job->ncalls, 1);
	expect_call(job, 0, JOB_CALL_HOLE, "return not recorded", 5, 2);
	assert_int_equal(job->calls[0].index, 1);
	job_free(job);
}

static void what_the_lane_has_overwritten_is_a_hole_with_its_count(void **state)
{
	struct fixture *f = forge_rank(0);
	struct ring_lane *lane = ring_lane_claim(&f->w, 100, "main");
	uint64_t n = lane->n + 10; /* even: entries and returns */
	struct ring_header *header = f->base;
	struct job *job;

	header->birth_tsc = forge_tsc(100);
	for (uint64_t i = 0; i < n / 2; i++) {
		double ago = 50 - 40 * (double)i / (double)(n / 2);
		uint64_t ticket = put(
			f, lane, RING_WAIT_ENTER, RING_CALL_cudaDeviceSynchronize, 0, ago);

		put(f, lane, RING_WAIT_EXIT, RING_CALL_cudaDeviceSynchronize, ticket, ago - 0.001);
	}
	job = decoded(f);
	assert_int_equal(job->calls[0].kind, JOB_CALL_HOLE);
	assert_string_equal(job->calls[0].name, "overwritten in the ring");
	assert_int_equal(job->calls[0].index, 10);
	assert_int_equal(job->calls[0].entered, forge_real(100));
	assert_int_equal(job->calls[0].returned, job->calls[1].entered);
	assert_int_equal(job->ncalls, 1 + (n - 10) / 2);
	job_free(job);
}

/* One record in the middle is torn: all from the one before it to the one behind it is unknown. */
static void a_record_that_cannot_be_read_is_a_hole(void **state)
{
	struct fixture *f = forge_rank(0);
	struct ring_lane *lane = ring_lane_claim(&f->w, 100, "main");
	uint64_t first, torn;
	struct job *job;

	first = put(f, lane, RING_WAIT_ENTER, RING_CALL_cudaDeviceSynchronize, 0, 9);
	torn = put(f, lane, RING_WAIT_EXIT, RING_CALL_cudaDeviceSynchronize, first, 8);
	first = put(f, lane, RING_WAIT_ENTER, RING_CALL_cudaDeviceSynchronize, 0, 7);
	put(f, lane, RING_WAIT_EXIT, RING_CALL_cudaDeviceSynchronize, first, 6);
	f->w.slots[lane->first + torn].seq = 1;
	job = decoded(f);
	assert_int_equal(job->ncalls, 3);
	expect_call(job, 0, JOB_CALL_HOLE, "not readable in the ring", 9, 7);
	expect_call(job, 1, JOB_CALL_HOLE, "return not recorded", 9, 7);
	expect_call(job, 2, JOB_CALL_WAIT, "cudaDeviceSynchronize", 7, 6);
	job_free(job);
}

static void ops_of_a_group_call_are_moments_in_it(void **state)
{
	struct fixture *f = forge_rank(0);
	struct ring_lane *lane = ring_lane_claim(&f->w, 100, "main");
	int group = forge_seat(f, 0);
	struct ring_record op = {.index = 3, .count = 64};
	struct job *job;
	uint64_t ticket;

	ticket = put(f, lane, RING_CALL_ENTER, RING_CALL_ncclGroupEnd, 0, 9);
	op.meta = ring_meta(RING_OP_ENTERED, RING_F_GROUPED, (unsigned)group, 0);
	op.sig = ring_sig(RING_OP_ALLREDUCE, 7, 0, RING_SIG_NO_PEER);
	ring_put(&f->w, lane, forge_tsc(8.9), &op);
	put(f, lane, RING_CALL_EXIT, RING_CALL_ncclGroupEnd, ticket, 8);
	job = decoded(f);
	assert_int_equal(job->ncalls, 2);
	expect_call(job, 0, JOB_CALL_INSIDE, "ncclGroupEnd", 9, 8);
	assert_int_equal(job->calls[0].index, 0);
	expect_call(job, 1, JOB_CALL_ENTERED, "", 8.9, 8.9);
	assert_int_equal(job->calls[1].index, 3);
	job_free(job);
}

/* Whoever draws a ruler wants each, by its number. */
static void steps_are_moments_with_their_numbers(void **state)
{
	struct fixture *f = forge_rank(0);
	struct ring_lane *lane = ring_lane_claim(&f->w, 100, "main");
	struct job *job;

	for (uint64_t n = 7; n <= 9; n++)
		ring_mark_step(&f->w, lane, forge_tsc(17 - (double)n), n);
	job = decoded(f);
	assert_int_equal(job->ncalls, 3);
	for (size_t i = 0; i < 3; i++) {
		expect_call(job, i, JOB_CALL_STEP, "", 10 - (double)i, 10 - (double)i);
		assert_int_equal(job->calls[i].index, 7 + i);
		assert_int_equal(job->calls[i].group, JOB_NONE);
	}
	job_free(job);
}

static void who_only_watches_is_in_nothing(void **state)
{
	struct fixture *f = forge_rank(0);
	struct ring_lane *lane = ring_lane_claim(&f->w, 100, "pt_nccl_watchdg");
	struct job *job;

	put(f, lane, RING_WAIT_ENTER, RING_CALL_cudaDeviceSynchronize, 0, 9);
	job = decoded(f);
	assert_int_equal(job->ncalls, 0);
	job_free(job);
}

/* Whoever judges does not pay for what is drawn. */
static void they_are_there_for_who_asks(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct ring_lane *lane = ring_lane_claim(&f->w, 100, "main");
	struct job *job;

	put(f, lane, RING_WAIT_ENTER, RING_CALL_cudaDeviceSynchronize, 0, 9);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decode_job(&evidence);
	evidence_release(&evidence);
	assert_int_equal(job->ncalls, 0);
	assert_false(job->calls_told);
	job_free(job);
}

/* A wait for several says which; where the thread went on since, it waits for none of them. */
static void a_wait_for_several_says_which(void **state)
{
	struct fixture *f = forge_rank(0);
	struct ring_lane *waits = ring_lane_claim(&f->w, 100, "main");
	struct ring_lane *asked = ring_lane_claim(&f->w, 101, "helper");
	struct ring_record wait = {
		.meta = ring_meta(RING_WAIT_ENTER, 0, RING_NO_GROUP, RING_CALL_MPI_Waitall),
		.aux = UINT64_MAX,
		.count = 7,
		.sig = 5};
	struct job *job;

	ring_lane_board(waits, forge_tsc(5), &wait);
	wait.meta = ring_meta(
		RING_WAIT_ENTER, RING_F_POLL, RING_NO_GROUP, RING_CALL_MPI_Testall);
	ring_lane_board(asked, forge_tsc(5), &wait);
	job = decoded(f);
	assert_int_equal(job->threads[0].state, JOB_THREAD_IN_WAIT);
	assert_int_equal(job->threads[0].first_op, 7);
	assert_int_equal(job->threads[0].ops, 5);
	assert_int_equal(job->threads[1].state, JOB_THREAD_OUTSIDE);
	assert_int_equal(job->threads[1].ops, 0);
	job_free(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_lasts_from_its_entry_to_its_return),
		cmocka_unit_test(an_open_call_has_no_return),
		cmocka_unit_test(a_return_that_nobody_wrote_down_is_a_hole),
		cmocka_unit_test(what_the_lane_has_overwritten_is_a_hole_with_its_count),
		cmocka_unit_test(a_record_that_cannot_be_read_is_a_hole),
		cmocka_unit_test(ops_of_a_group_call_are_moments_in_it),
		cmocka_unit_test(steps_are_moments_with_their_numbers),
		cmocka_unit_test(who_only_watches_is_in_nothing),
		cmocka_unit_test(they_are_there_for_who_asks),
		cmocka_unit_test(a_wait_for_several_says_which),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
