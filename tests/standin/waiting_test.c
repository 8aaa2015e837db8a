/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for whom, and where: in the call or on the stream. This is what inquest diagnoses, so
 * here the stand-in must be as NCCL is.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "tests/standin/ranks.h"
#include "tests/unit/unit.h"

enum { COUNT = 1000 };
/* How far a rank is in the first and in the second of two operations. */
enum { JOINED = 1, FIRST_CALLED, FIRST_RETURNED, FIRST_DONE, SECOND_CALLED, SECOND_RETURNED,
       SECOND_DONE };

static float buffer[COUNT], result[COUNT];

static void hold(void *go)
{
	while (!atomic_load((atomic_int *)go))
		usleep(1000);
}

static void all_reduce(ncclComm_t comm, cudaStream_t stream, size_t count)
{
	WELL(ncclAllReduce(buffer, result, count, ncclFloat, ncclSum, comm, stream));
}

/* Two all-reduces; `late` (the argument) waits at the gate before each: gate 1, gate 2. */
static void two_operations(struct crew *crew, int rank)
{
	int late = *(int *)crew->arg;
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream);

	for (int op = 0; op < 2; op++) {
		int point = op ? SECOND_CALLED : FIRST_CALLED;

		if (rank == late)
			rank_wait(crew, op + 1);
		rank_at(crew, rank, point);
		all_reduce(comm, stream, COUNT);
		rank_at(crew, rank, point + 1);
		WELL(cudaStreamSynchronize(stream));
		rank_at(crew, rank, point + 2);
	}
	WELL(ncclCommDestroy(comm));
}

static void the_first_collective_waits_in_the_call(void **state)
{
	int late = 1;
	struct crew *crew = crew_start(3, two_operations, &late);

	assert_true(crew_wait_at(crew, 0, FIRST_CALLED));
	assert_true(crew_wait_at(crew, 2, FIRST_CALLED));
	assert_true(crew_stays_before(crew, 0, FIRST_RETURNED));
	assert_int_equal(crew->at[2], FIRST_CALLED);
	crew_open(crew, 2);
	assert_int_equal(crew_finish(crew), 0);
}

static void later_collectives_wait_on_the_stream(void **state)
{
	int late = 1;
	struct crew *crew = crew_start(3, two_operations, &late);

	crew_open(crew, 1);
	assert_true(crew_wait_at(crew, 0, SECOND_RETURNED));
	assert_true(crew_wait_at(crew, 2, SECOND_RETURNED));
	assert_true(crew_stays_before(crew, 0, SECOND_DONE));
	assert_int_equal(crew->at[2], SECOND_RETURNED);
	crew_open(crew, 2);
	assert_int_equal(crew_finish(crew), 0);
}

static void connections_made_at_init_leave_the_first_call_free(void **state)
{
	int late = 1;
	struct crew *crew;

	setenv("NCCL_RUNTIME_CONNECT", "0", 1);
	crew = crew_start(2, two_operations, &late);
	unsetenv("NCCL_RUNTIME_CONNECT");
	assert_true(crew_wait_at(crew, 0, FIRST_RETURNED));
	assert_true(crew_stays_before(crew, 0, FIRST_DONE));
	crew_open(crew, 2);
	assert_int_equal(crew_finish(crew), 0);
}

static void waiting_costs_no_cpu(void **state)
{
	int late = 1;
	struct crew *crew = crew_start(2, two_operations, &late);
	struct timespec before, after;
	clockid_t clock;

	crew_open(crew, 1);
	assert_true(crew_wait_at(crew, 0, SECOND_RETURNED));
	assert_int_equal(clock_getcpuclockid(crew->pids[0], &clock), 0);
	usleep(100000);
	assert_int_equal(clock_gettime(clock, &before), 0);
	usleep(500000);
	assert_int_equal(clock_gettime(clock, &after), 0);
	/* 500 ms of waiting: a spinning rank would use most of them, whatever else runs here */
	assert_true((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec <
		    20000000);
	crew_end(crew);
}

/* -- Empty collectives ------------------------------------------------------------------------ */

static void one_rank_brings_nothing(struct crew *crew, int rank)
{
	bool warm = *(bool *)crew->arg;
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream);

	if (warm)
		all_reduce(comm, stream, COUNT);
	WELL(cudaStreamSynchronize(stream));
	for (int i = 0; i < COUNT; i++)
		buffer[i] = 1;
	rank_at(crew, rank, FIRST_CALLED);
	all_reduce(comm, stream, rank == 1 ? 0 : COUNT);
	rank_at(crew, rank, FIRST_RETURNED);
	for (int i = 0; i < COUNT && rank == 1; i++)
		buffer[i] = 100;
	rank_wait(crew, 1);
	all_reduce(comm, stream, COUNT);
	rank_at(crew, rank, SECOND_RETURNED);
	WELL(cudaStreamSynchronize(stream));
	crew->value[rank] = (int)result[0];
	rank_at(crew, rank, SECOND_DONE);
}

static void an_empty_collective_is_not_counted(void **state)
{
	bool warm = true;
	struct crew *crew = crew_start(2, one_rank_brings_nothing, &warm);

	assert_true(crew_wait_at(crew, 0, FIRST_RETURNED));
	assert_true(crew_wait_at(crew, 1, FIRST_RETURNED));
	crew_open(crew, 1);
	/* rank 1's second meets rank 0's first, and rank 0's second meets nobody */
	assert_true(crew_wait_at(crew, 1, SECOND_DONE));
	assert_int_equal(crew->value[1], 101);
	assert_true(crew_stays_before(crew, 0, SECOND_DONE));
	crew_end(crew);
}

static void an_empty_collective_is_no_arrival_either(void **state)
{
	bool warm = false;
	struct crew *crew = crew_start(2, one_rank_brings_nothing, &warm);

	assert_true(crew_wait_at(crew, 1, FIRST_RETURNED));
	assert_true(crew_wait_at(crew, 0, FIRST_CALLED));
	assert_true(crew_stays_before(crew, 0, FIRST_RETURNED));
	crew_open(crew, 1);
	assert_true(crew_wait_at(crew, 0, FIRST_RETURNED));
	crew_end(crew);
}

static void everyone_brings_nothing(struct crew *crew, int rank)
{
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream);

	WELL(ncclAllReduce(NULL, NULL, 0, ncclFloat, ncclSum, comm, stream));
	WELL(ncclAllGather(NULL, NULL, 0, ncclFloat, comm, stream));
	WELL(cudaStreamSynchronize(stream));
	all_reduce(comm, stream, COUNT);
	WELL(cudaStreamSynchronize(stream));
	WELL(ncclCommDestroy(comm));
}

static void empty_everywhere_is_harmless(void **state)
{
	assert_int_equal(crew_run(3, everyone_brings_nothing, NULL), 0);
}

/* -- Disagreement ----------------------------------------------------------------------------- */

enum clash { CLASH_NONE, CLASH_OP, CLASH_BYTES, CLASH_ROOT, CLASH_TYPE, CLASH_REDUCTION };

static void one_rank_asks_otherwise(struct crew *crew, int rank)
{
	enum clash clash = rank == 1 ? *(enum clash *)crew->arg : CLASH_NONE;
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream);

	all_reduce(comm, stream, 8);
	WELL(cudaStreamSynchronize(stream));
	if (clash == CLASH_OP)
		WELL(ncclBroadcast(buffer, result, 64, ncclFloat, 0, comm, stream));
	else
		WELL(ncclReduce(buffer, result, clash == CLASH_BYTES ? 65 : 64,
				clash == CLASH_TYPE ? ncclInt32 : ncclFloat,
				clash == CLASH_REDUCTION ? ncclMax : ncclSum,
				clash == CLASH_ROOT ? 1 : 0, comm, stream));
	rank_at(crew, rank, SECOND_RETURNED);
	WELL(cudaStreamSynchronize(stream));
	rank_at(crew, rank, SECOND_DONE);
}

static void disagreement_about_op_bytes_or_root_never_completes(void **state)
{
	static const enum clash clashes[] = { CLASH_OP, CLASH_BYTES, CLASH_ROOT };

	for (size_t i = 0; i < sizeof(clashes) / sizeof(clashes[0]); i++) {
		enum clash clash = clashes[i];
		struct crew *crew = crew_start(3, one_rank_asks_otherwise, &clash);

		for (int r = 0; r < 3; r++)
			assert_true(crew_wait_at(crew, r, SECOND_RETURNED));
		assert_true(crew_stays_before(crew, 0, SECOND_DONE));
		assert_int_equal(crew->at[1], SECOND_RETURNED);
		assert_int_equal(crew->at[2], SECOND_RETURNED);
		crew_end(crew);
	}
}

static void another_type_or_reduction_of_equal_bytes_completes(void **state)
{
	enum clash clash = CLASH_TYPE;

	assert_int_equal(crew_run(3, one_rank_asks_otherwise, &clash), 0);
	clash = CLASH_REDUCTION;
	assert_int_equal(crew_run(3, one_rank_asks_otherwise, &clash), 0);
}

/* -- Death and abort -------------------------------------------------------------------------- */

static void a_killed_rank_leaves_the_others_waiting(void **state)
{
	int late = 1;
	struct crew *crew = crew_start(3, two_operations, &late);

	crew_open(crew, 1);
	for (int r = 0; r < 3; r++)
		assert_true(crew_wait_at(crew, r, r == 1 ? FIRST_DONE : SECOND_RETURNED));
	kill(crew->pids[1], SIGKILL);
	assert_true(crew_stays_before(crew, 0, SECOND_DONE));
	assert_int_equal(crew->at[2], SECOND_RETURNED);
	assert_int_equal(kill(crew->pids[0], 0), 0);
	crew_end(crew);
	/* and nothing is left locked for those who come after */
	late = -1;
	assert_int_equal(crew_run(3, two_operations, &late), 0);
}

struct aborter {
	struct crew *crew;
	ncclComm_t comm;
};

static void *abort_at_gate(void *arg)
{
	struct aborter *aborter = arg;

	rank_wait(aborter->crew, 3);
	WELL(ncclCommAbort(aborter->comm));
	return NULL;
}

/* Rank 0 waits for a rank that never comes; a second thread of it aborts. */
static void abandoned(struct crew *crew, int rank)
{
	bool warm = *(bool *)crew->arg;
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream);
	struct aborter aborter = { crew, comm };
	pthread_t thread;
	ncclResult_t called;

	if (warm) {
		all_reduce(comm, stream, COUNT);
		WELL(cudaStreamSynchronize(stream));
	}
	if (rank) {
		rank_wait(crew, 1000);
		return;
	}
	MUST(!pthread_create(&thread, NULL, abort_at_gate, &aborter));
	rank_at(crew, rank, SECOND_CALLED);
	called = ncclAllReduce(buffer, result, COUNT, ncclFloat, ncclSum, comm, stream);
	MUST(warm ? called == ncclSuccess : called != ncclSuccess);
	WELL(cudaStreamSynchronize(stream));
	rank_at(crew, rank, SECOND_DONE);
	pthread_join(thread, NULL);
}

static void an_abort_ends_this_ranks_waits(void **state)
{
	for (int warm = 0; warm < 2; warm++) {
		bool is_warm = warm;
		struct crew *crew = crew_start(2, abandoned, &is_warm);

		assert_true(crew_wait_at(crew, 0, SECOND_CALLED));
		assert_true(crew_stays_before(crew, 0, SECOND_DONE));
		crew_open(crew, 3);
		assert_true(crew_wait_at(crew, 0, SECOND_DONE));
		assert_int_equal(kill(crew->pids[1], 0), 0);
		crew_end(crew);
	}
}

/* -- Point to point --------------------------------------------------------------------------- */

static void exchange(struct crew *crew, int rank)
{
	bool grouped = *(bool *)crew->arg;
	int next = (rank + 1) % crew->size, before = (rank + crew->size - 1) % crew->size;
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream);

	for (int i = 0; i < COUNT; i++)
		buffer[i] = (float)rank;
	rank_at(crew, rank, FIRST_CALLED);
	if (grouped)
		WELL(ncclGroupStart());
	WELL(ncclSend(buffer, COUNT, ncclFloat, next, comm, stream));
	WELL(ncclRecv(result, COUNT, ncclFloat, before, comm, stream));
	if (grouped)
		WELL(ncclGroupEnd());
	WELL(cudaStreamSynchronize(stream));
	MUST(result[0] == (float)before && result[COUNT - 1] == (float)before);
	rank_at(crew, rank, FIRST_DONE);
	WELL(ncclCommDestroy(comm));
}

static void a_grouped_exchange_moves(void **state)
{
	bool grouped = true;

	assert_int_equal(crew_run(4, exchange, &grouped), 0);
}

static void send_against_send_is_a_deadlock(void **state)
{
	bool grouped = false;

	for (int eager = 0; eager < 2; eager++) {
		struct crew *crew;

		if (eager)
			setenv("NCCL_RUNTIME_CONNECT", "0", 1);
		crew = crew_start(2, exchange, &grouped);
		unsetenv("NCCL_RUNTIME_CONNECT");
		assert_true(crew_wait_at(crew, 0, FIRST_CALLED));
		assert_true(crew_wait_at(crew, 1, FIRST_CALLED));
		assert_true(crew_stays_before(crew, 0, FIRST_DONE));
		assert_int_equal(crew->at[1], FIRST_CALLED);
		crew_end(crew);
	}
}

static void pipeline(struct crew *crew, int rank)
{
	static char big[300000];
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream);

	for (int i = 0; i < 5; i++) {
		size_t bytes = i == 3 ? 0 : sizeof(big) - (size_t)i;

		if (rank == 0)
			memset(big, i + 1, sizeof(big));
		if (rank > 0)
			WELL(ncclRecv(big, bytes, ncclChar, rank - 1, comm, stream));
		if (rank < crew->size - 1)
			WELL(ncclSend(big, bytes, ncclChar, rank + 1, comm, stream));
		WELL(cudaStreamSynchronize(stream));
		MUST(bytes == 0 || (big[0] == i + 1 && big[bytes - 1] == i + 1));
	}
	WELL(ncclCommDestroy(comm));
}

static void a_chain_passes_long_and_empty_messages(void **state)
{
	assert_int_equal(crew_run(4, pipeline, NULL), 0);
}

static void unequal_ends(struct crew *crew, int rank)
{
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream);

	if (rank)
		WELL(ncclRecv(buffer, COUNT, ncclFloat, 0, comm, stream));
	else
		WELL(ncclSend(buffer, COUNT - 1, ncclFloat, 1, comm, stream));
	rank_at(crew, rank, FIRST_RETURNED);
	WELL(cudaStreamSynchronize(stream));
	rank_at(crew, rank, FIRST_DONE);
}

static void a_message_of_unequal_ends_never_completes(void **state)
{
	struct crew *crew = crew_start(2, unequal_ends, NULL);

	assert_true(crew_wait_at(crew, 0, FIRST_RETURNED));
	assert_true(crew_wait_at(crew, 1, FIRST_RETURNED));
	assert_true(crew_stays_before(crew, 0, FIRST_DONE));
	assert_int_equal(crew->at[1], FIRST_RETURNED);
	crew_end(crew);
}

static void two_streams(struct crew *crew, int rank)
{
	static atomic_int go;
	cudaStream_t first, second;
	ncclComm_t comm = rank_join(crew, rank, &first);

	WELL(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	all_reduce(comm, first, 8);
	WELL(cudaStreamSynchronize(first));
	WELL(cudaLaunchHostFunc(first, hold, &go));
	all_reduce(comm, first, COUNT);
	all_reduce(comm, second, COUNT);
	rank_at(crew, rank, SECOND_RETURNED);
	rank_wait(crew, 1);
	MUST(cudaStreamQuery(second) == cudaErrorNotReady);
	atomic_store(&go, 1);
	WELL(cudaStreamSynchronize(second));
	WELL(cudaStreamSynchronize(first)); /* its worker may be a moment behind */
}

static void launches_of_a_group_keep_the_order_of_calls(void **state)
{
	struct crew *crew = crew_start(2, two_streams, NULL);

	assert_true(crew_wait_at(crew, 0, SECOND_RETURNED));
	assert_true(crew_wait_at(crew, 1, SECOND_RETURNED));
	usleep(50000);
	crew_open(crew, 1);
	assert_int_equal(crew_finish(crew), 0);
}

static void everyone_to_everyone(struct crew *crew, int rank)
{
	static int out[RANKS_MAX][2][300], in[RANKS_MAX][2][300];
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream);

	for (int round = 0; round < 3; round++) {
		WELL(ncclGroupStart());
		for (int peer = 0; peer < crew->size; peer++) {
			for (int k = 0; k < 2; k++) {
				out[peer][k][299] = rank * 10000 + peer * 100 + round * 10 + k;
				WELL(ncclSend(out[peer][k], 300, ncclInt, peer, comm, stream));
				WELL(ncclRecv(in[peer][k], 300, ncclInt, peer, comm, stream));
			}
		}
		WELL(ncclGroupEnd());
		WELL(cudaStreamSynchronize(stream));
		for (int peer = 0; peer < crew->size; peer++) {
			for (int k = 0; k < 2; k++)
				MUST(in[peer][k][299] ==
				     peer * 10000 + rank * 100 + round * 10 + k);
		}
	}
	WELL(ncclCommDestroy(comm));
}

static void messages_of_one_pair_keep_their_order(void **state)
{
	assert_int_equal(crew_run(5, everyone_to_everyone, NULL), 0);
}

/* -- Injected faults -------------------------------------------------------------------------- */

static void a_stalled_gpu_holds_everyone(void **state)
{
	int late = -1;
	struct crew *crew;

	setenv("STANDIN_STALL_GPU", "2@2", 1);
	crew = crew_start(3, two_operations, &late);
	unsetenv("STANDIN_STALL_GPU");
	for (int r = 0; r < 3; r++)
		assert_true(crew_wait_at(crew, r, SECOND_RETURNED));
	assert_true(crew_stays_before(crew, 0, SECOND_DONE));
	crew_end(crew);
}

static void a_stalled_transport_completes_nothing(void **state)
{
	int late = -1;
	struct crew *crew;

	setenv("STANDIN_HANG_AT", "2", 1);
	crew = crew_start(3, two_operations, &late);
	unsetenv("STANDIN_HANG_AT");
	for (int r = 0; r < 3; r++)
		assert_true(crew_wait_at(crew, r, SECOND_RETURNED));
	assert_true(crew_stays_before(crew, 2, SECOND_DONE));
	crew_end(crew);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_collective_waits_in_the_call),
		cmocka_unit_test(later_collectives_wait_on_the_stream),
		cmocka_unit_test(connections_made_at_init_leave_the_first_call_free),
		cmocka_unit_test(waiting_costs_no_cpu),
		cmocka_unit_test(an_empty_collective_is_not_counted),
		cmocka_unit_test(an_empty_collective_is_no_arrival_either),
		cmocka_unit_test(empty_everywhere_is_harmless),
		cmocka_unit_test(disagreement_about_op_bytes_or_root_never_completes),
		cmocka_unit_test(another_type_or_reduction_of_equal_bytes_completes),
		cmocka_unit_test(a_killed_rank_leaves_the_others_waiting),
		cmocka_unit_test(an_abort_ends_this_ranks_waits),
		cmocka_unit_test(a_grouped_exchange_moves),
		cmocka_unit_test(send_against_send_is_a_deadlock),
		cmocka_unit_test(a_chain_passes_long_and_empty_messages),
		cmocka_unit_test(a_message_of_unequal_ends_never_completes),
		cmocka_unit_test(launches_of_a_group_keep_the_order_of_calls),
		cmocka_unit_test(messages_of_one_pair_keep_their_order),
		cmocka_unit_test(a_stalled_gpu_holds_everyone),
		cmocka_unit_test(a_stalled_transport_completes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
