/* SPDX-License-Identifier: Apache-2.0 */
/* The life of groups: joining, splitting, shrinking, threads as ranks, ending. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "tests/standin/ranks.h"
#include "tests/unit/unit.h"

/* The sum of all members' ranks, by way of the group. */
static int sum_of_ranks(ncclComm_t comm, cudaStream_t stream)
{
	int rank, sum = -1;

	WELL(ncclCommUserRank(comm, &rank));
	WELL(ncclAllReduce(&rank, &sum, 1, ncclInt, ncclSum, comm, stream));
	WELL(cudaStreamSynchronize(stream));
	return sum;
}

static int files_left(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int count = 0;

	while (dir && (entry = readdir(dir)))
		count += !strncmp(entry->d_name, "standin-nccl-", 13);
	if (dir)
		closedir(dir);
	return count;
}

static bool thread_is_job(const char *tid)
{
	char path[300], name[16] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/comm", tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = 0;
	fclose(file);
	return !strcmp(name, "nccl-job\n");
}

/* How many threads NCCL has at work for this process. */
static int jobs_alive(void)
{
	DIR *dir = opendir("/proc/self/task");
	int count = 0;

	MUST(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		count += entry->d_name[0] != '.' && thread_is_job(entry->d_name);
	closedir(dir);
	return count;
}

/* -- Joining ---------------------------------------------------------------------------------- */

static void join_and_ask(struct crew *crew, int rank)
{
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream);
	ncclResult_t state;
	int value;

	WELL(ncclCommCount(comm, &value));
	MUST(value == crew->size);
	WELL(ncclCommUserRank(comm, &value));
	MUST(value == rank);
	WELL(ncclCommCuDevice(comm, &value));
	MUST(value == rank % 8);
	WELL(ncclCommGetAsyncError(comm, &state));
	MUST(state == ncclSuccess);
	MUST(sum_of_ranks(comm, stream) == crew->size * (crew->size - 1) / 2);
	WELL(ncclCommFinalize(comm));
	MUST(ncclAllReduce(&value, &value, 1, ncclInt, ncclSum, comm, stream) == ncclInvalidUsage);
	WELL(ncclCommDestroy(comm));
}

static void sixty_four_ranks_meet(void **state)
{
	assert_int_equal(crew_run(64, join_and_ask, NULL), 0);
}

static void join_with_many_ids(struct crew *crew, int rank)
{
	ncclUniqueId ids[2] = { crew->id, crew->id };
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	cudaStream_t stream;
	ncclComm_t comm;

	config.commName = "tenor";
	WELL(cudaStreamCreate(&stream));
	WELL(ncclCommInitRankScalable(&comm, crew->size, rank, 2, ids, &config));
	MUST(sum_of_ranks(comm, stream) == 3);
	WELL(ncclCommDestroy(comm));
}

static void a_list_of_ids_serves_as_one(void **state)
{
	assert_int_equal(crew_run(3, join_with_many_ids, NULL), 0);
}

static void join_late(struct crew *crew, int rank)
{
	cudaStream_t stream;
	ncclComm_t comm;

	if (rank == 2)
		rank_wait(crew, 1);
	rank_at(crew, rank, 1);
	comm = rank_join(crew, rank, &stream);
	rank_at(crew, rank, 2);
	WELL(ncclCommDestroy(comm));
}

static void init_waits_for_every_rank(void **state)
{
	struct crew *crew = crew_start(3, join_late, NULL);

	assert_true(crew_wait_at(crew, 0, 1));
	assert_true(crew_stays_before(crew, 0, 2));
	assert_int_equal(crew->at[1], 1);
	crew_open(crew, 1);
	assert_int_equal(crew_finish(crew), 0);
}

static void nothing_is_left_in_shared_memory(void **state)
{
	char folder[] = "/tmp/standin-test-XXXXXX";
	struct crew *crew;
	ncclUniqueId id;

	assert_non_null(mkdtemp(folder));
	setenv("STANDIN_DIR", folder, 1);
	/* two that wait for a third are killed; the next id sweeps their file */
	crew = crew_start(3, join_late, NULL);
	assert_true(crew_wait_at(crew, 0, 1));
	assert_true(crew_wait_at(crew, 1, 1));
	assert_true(crew_stays_before(crew, 0, 2));
	assert_int_equal(files_left(folder), 1);
	crew_end(crew);
	assert_int_equal(files_left(folder), 1);
	assert_int_equal(ncclGetUniqueId(&id), ncclSuccess);
	assert_int_equal(files_left(folder), 0);
	assert_int_equal(crew_run(3, join_and_ask, NULL), 0);
	unsetenv("STANDIN_DIR");
	assert_int_equal(rmdir(folder), 0);
}

static void join_without_blocking(struct crew *crew, int rank)
{
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	ncclResult_t state;
	cudaStream_t stream;
	ncclComm_t comm;
	int sum = 0, one = 1;

	config.blocking = 0;
	WELL(cudaStreamCreate(&stream));
	if (rank == 1)
		rank_wait(crew, 1);
	MUST(ncclCommInitRankConfig(&comm, crew->size, crew->id, rank, &config) == ncclInProgress);
	if (rank == 0) {
		WELL(ncclCommGetAsyncError(comm, &state));
		MUST(state == ncclInProgress);
		MUST(ncclAllReduce(&one, &sum, 1, ncclInt, ncclSum, comm, stream) ==
		     ncclInvalidArgument);
		rank_at(crew, rank, 1);
	}
	do {
		usleep(1000);
		WELL(ncclCommGetAsyncError(comm, &state));
	} while (state == ncclInProgress);
	WELL(state);
	if (rank == 1)
		rank_wait(crew, 2);
	state = ncclAllReduce(&one, &sum, 1, ncclInt, ncclSum, comm, stream);
	MUST(rank == 0 ? state == ncclInProgress : !state || state == ncclInProgress);
	rank_at(crew, rank, 2);
	do {
		usleep(1000);
		WELL(ncclCommGetAsyncError(comm, &state));
	} while (state == ncclInProgress);
	WELL(state);
	WELL(cudaStreamSynchronize(stream));
	MUST(sum == 2);
	WELL(ncclCommDestroy(comm));
}

static void a_non_blocking_group_says_in_progress(void **state)
{
	struct crew *crew = crew_start(2, join_without_blocking, NULL);

	assert_true(crew_wait_at(crew, 0, 1));
	crew_open(crew, 1);
	assert_true(crew_wait_at(crew, 0, 2));
	crew_open(crew, 2);
	assert_int_equal(crew_finish(crew), 0);
}

static void join_nobody(struct crew *crew, int rank)
{
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	ncclComm_t comm;

	config.blocking = 0;
	MUST(ncclCommInitRankConfig(&comm, 2, crew->id, rank, &config) == ncclInProgress);
	while (jobs_alive() < 1)
		usleep(1000);
	WELL(ncclCommAbort(comm));
	while (jobs_alive() > 0)
		usleep(1000);
}

static void an_abort_ends_an_init_that_nobody_joins(void **state)
{
	assert_int_equal(crew_run(1, join_nobody, NULL), 0);
}

/* -- Groups from groups ----------------------------------------------------------------------- */

static void split_by_parity(struct crew *crew, int rank)
{
	cudaStream_t stream;
	ncclComm_t world = rank_join(crew, rank, &stream), half, none;
	int value;

	/* the higher the old rank, the lower the new one */
	WELL(ncclCommSplit(world, rank % 2, -rank, &half, NULL));
	WELL(ncclCommCount(half, &value));
	MUST(value == crew->size / 2);
	WELL(ncclCommUserRank(half, &value));
	MUST(value == (crew->size - 1 - rank) / 2);
	WELL(ncclAllReduce(&rank, &value, 1, ncclInt, ncclSum, half, stream));
	WELL(cudaStreamSynchronize(stream));
	MUST(value == (rank % 2 ? 1 + 3 + 5 : 0 + 2 + 4));
	WELL(ncclCommSplit(world, rank ? 7 : NCCL_SPLIT_NOCOLOR, 0, &none, NULL));
	MUST(rank ? none != NULL : none == NULL);
	if (none)
		MUST(sum_of_ranks(none, stream) == 10);
	MUST(sum_of_ranks(world, stream) == 15);
	WELL(ncclCommDestroy(none));
	WELL(ncclCommDestroy(half));
	WELL(ncclCommDestroy(world));
}

static void a_split_orders_by_key(void **state)
{
	assert_int_equal(crew_run(6, split_by_parity, NULL), 0);
}

static void split_twice_in_a_group(struct crew *crew, int rank)
{
	cudaStream_t stream;
	ncclComm_t world = rank_join(crew, rank, &stream), row, column;

	WELL(ncclGroupStart());
	WELL(ncclCommSplit(world, rank / 2, 0, &row, NULL));
	WELL(ncclCommSplit(world, rank % 2, 0, &column, NULL));
	WELL(ncclGroupEnd());
	WELL(ncclGroupStart());
	WELL(ncclAllReduce(&rank, &crew->value[rank], 1, ncclInt, ncclSum, row, stream));
	WELL(ncclGroupEnd());
	WELL(cudaStreamSynchronize(stream));
	MUST(crew->value[rank] == (rank < 2 ? 1 : 5));
	WELL(ncclAllReduce(&rank, &crew->value[rank], 1, ncclInt, ncclSum, column, stream));
	WELL(cudaStreamSynchronize(stream));
	MUST(crew->value[rank] == (rank % 2 ? 4 : 2));
	WELL(ncclCommDestroy(row));
	WELL(ncclCommDestroy(column));
	WELL(ncclCommDestroy(world));
}

static void splits_of_one_group_of_calls_take_turns(void **state)
{
	assert_int_equal(crew_run(4, split_twice_in_a_group, NULL), 0);
}

static void shrink_without_two(struct crew *crew, int rank)
{
	int out[] = { 1, 3 }, value;
	cudaStream_t stream;
	ncclComm_t world = rank_join(crew, rank, &stream), rest;

	if (rank == 1 || rank == 3) {
		MUST(ncclCommShrink(world, out, 2, &rest, NULL, 0) == ncclInvalidArgument);
		return;
	}
	WELL(ncclCommShrink(world, out, 2, &rest, NULL, NCCL_SHRINK_DEFAULT));
	WELL(ncclCommCount(rest, &value));
	MUST(value == 3);
	WELL(ncclCommUserRank(rest, &value));
	MUST(value == rank / 2);
	MUST(sum_of_ranks(rest, stream) == 3);
	WELL(ncclCommDestroy(rest));
}

static void the_excluded_need_not_come_to_a_shrink(void **state)
{
	assert_int_equal(crew_run(5, shrink_without_two, NULL), 0);
}

static void shrink_away_the_dead(struct crew *crew, int rank)
{
	int dead[] = { 1 }, one = 1;
	cudaStream_t stream;
	ncclComm_t world = rank_join(crew, rank, &stream), rest;

	MUST(sum_of_ranks(world, stream) == 3);
	if (rank == 1)
		return;
	WELL(ncclAllReduce(&one, &one, 1, ncclInt, ncclSum, world, stream));
	rank_at(crew, rank, 1);
	rank_wait(crew, 1);
	WELL(ncclCommShrink(world, dead, 1, &rest, NULL, NCCL_SHRINK_ABORT));
	WELL(cudaStreamSynchronize(stream));
	MUST(sum_of_ranks(rest, stream) == 1);
}

static void an_aborting_shrink_frees_the_streams(void **state)
{
	struct crew *crew = crew_start(3, shrink_away_the_dead, NULL);

	assert_true(crew_wait_at(crew, 0, 1));
	assert_true(crew_wait_at(crew, 2, 1));
	crew_open(crew, 1);
	assert_int_equal(crew_finish(crew), 0);
}

static void revoke_and_go_on(struct crew *crew, int rank)
{
	cudaStream_t stream;
	ncclComm_t world = rank_join(crew, rank, &stream), next;
	int one = 1;

	MUST(sum_of_ranks(world, stream) == 1);
	if (rank == 0)
		WELL(ncclAllReduce(&one, &one, 1, ncclInt, ncclSum, world, stream));
	WELL(ncclCommRevoke(world, NCCL_REVOKE_DEFAULT));
	WELL(cudaStreamSynchronize(stream));
	MUST(ncclAllReduce(&one, &one, 1, ncclInt, ncclSum, world, stream) == ncclInvalidUsage);
	WELL(ncclCommSplit(world, 0, rank, &next, NULL));
	MUST(sum_of_ranks(next, stream) == 1);
	WELL(ncclCommDestroy(next));
	WELL(ncclCommDestroy(world));
}

static void a_revoked_group_can_still_be_split(void **state)
{
	assert_int_equal(crew_run(2, revoke_and_go_on, NULL), 0);
}

/* -- Many members in one process -------------------------------------------------------------- */

static void all_in_one_thread(struct crew *crew, int rank)
{
	enum { N = 5 };
	ncclComm_t comms[N];
	cudaStream_t streams[N];
	int in[N], out[N];

	WELL(ncclCommInitAll(comms, N, NULL));
	for (int round = 0; round < 3; round++) {
		WELL(ncclGroupStart());
		for (int i = 0; i < N; i++) {
			WELL(cudaSetDevice(i));
			if (!round)
				WELL(cudaStreamCreate(&streams[i]));
			in[i] = i + round;
			WELL(ncclAllReduce(&in[i], &out[i], 1, ncclInt, ncclSum, comms[i],
					   streams[i]));
		}
		WELL(ncclGroupEnd());
		for (int i = 0; i < N; i++) {
			WELL(cudaStreamSynchronize(streams[i]));
			MUST(out[i] == 10 + N * round);
		}
	}
	for (int i = 0; i < N; i++)
		WELL(ncclCommDestroy(comms[i]));
}

static void one_thread_drives_many_devices(void **state)
{
	assert_int_equal(crew_run(1, all_in_one_thread, NULL), 0);
}

struct member {
	struct crew *crew;
	int rank;
};

enum { THREADS = 16 };

static void *member_run(void *arg)
{
	struct member *member = arg;
	cudaStream_t stream;
	ncclComm_t comm, half;

	WELL(cudaSetDevice(member->rank % 8));
	WELL(cudaStreamCreate(&stream));
	WELL(ncclCommInitRank(&comm, THREADS, member->crew->id, member->rank));
	for (int i = 0; i < 5; i++)
		MUST(sum_of_ranks(comm, stream) == THREADS * (THREADS - 1) / 2);
	WELL(ncclCommSplit(comm, member->rank / 8, 0, &half, NULL));
	MUST(sum_of_ranks(half, stream) == 28);
	WELL(ncclCommDestroy(half));
	WELL(ncclCommDestroy(comm));
	WELL(cudaStreamDestroy(stream));
	return NULL;
}

static void all_in_threads(struct crew *crew, int rank)
{
	struct member members[THREADS];
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		members[i] = (struct member){ crew, i };
		MUST(!pthread_create(&threads[i], NULL, member_run, &members[i]));
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void threads_can_be_ranks(void **state)
{
	assert_int_equal(crew_run(1, all_in_threads, NULL), 0);
}

/* -- Groups of calls -------------------------------------------------------------------------- */

static void nested_groups(struct crew *crew, int rank)
{
	cudaStream_t stream, other;
	ncclComm_t comm = rank_join(crew, rank, &stream);
	int in[3] = { rank, 10 * rank, 100 }, out[3] = { 0 };
	ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;

	WELL(cudaStreamCreate(&other));
	WELL(ncclGroupStart());
	WELL(ncclAllReduce(&in[0], &out[0], 1, ncclInt, ncclSum, comm, stream));
	WELL(ncclGroupStart());
	WELL(ncclAllReduce(&in[1], &out[1], 1, ncclInt, ncclSum, comm, other));
	WELL(ncclGroupEnd());
	MUST(cudaStreamQuery(stream) == cudaSuccess);
	WELL(ncclBroadcast(&in[2], &out[2], 1, ncclInt, 0, comm, other));
	WELL(ncclGroupEnd());
	WELL(cudaStreamSynchronize(other));
	MUST(out[0] == 3 && out[1] == 30 && out[2] == 100);
	WELL(ncclGroupStart());
	WELL(ncclAllReduce(&in[0], &out[0], 1, ncclInt, ncclSum, comm, stream));
	WELL(ncclGroupSimulateEnd(&info));
	MUST(info.estimatedTime > 0);
	MUST(ncclGroupEnd() == ncclInvalidUsage);
	WELL(ncclCommDestroy(comm));
}

static void groups_nest_and_launch_at_the_outermost_end(void **state)
{
	assert_int_equal(crew_run(3, nested_groups, NULL), 0);
}

static void a_bad_call_spoils_its_group(struct crew *crew, int rank)
{
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream);
	int one = 1;

	WELL(ncclGroupStart());
	WELL(ncclAllReduce(&one, &one, 1, ncclInt, ncclSum, comm, stream));
	MUST(ncclBroadcast(&one, &one, 1, ncclInt, 99, comm, stream) == ncclInvalidArgument);
	MUST(ncclGroupEnd() == ncclInvalidArgument);
	WELL(cudaStreamSynchronize(stream));
	MUST(one == 1);
	MUST(sum_of_ranks(comm, stream) == 1);
	WELL(ncclCommDestroy(comm));
}

static void a_group_with_a_bad_call_launches_nothing(void **state)
{
	assert_int_equal(crew_run(2, a_bad_call_spoils_its_group, NULL), 0);
}

/* -- Arguments -------------------------------------------------------------------------------- */

static void bad_arguments(struct crew *crew, int rank)
{
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	ncclUniqueId junk = { "junk" };
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream), other;
	int one = 1, value;

	config.magic = 1;
	MUST(ncclCommInitRank(&other, 1, junk, 0) == ncclInvalidArgument);
	MUST(ncclCommInitRank(&other, 1, crew->id, 1) == ncclInvalidArgument);
	MUST(ncclCommInitRank(NULL, 1, crew->id, 0) == ncclInvalidArgument);
	MUST(ncclCommInitRankConfig(&other, 1, crew->id, 0, &config) == ncclInvalidArgument);
	MUST(ncclAllReduce(&one, &one, 1, ncclInt, ncclSum, NULL, stream) == ncclInvalidArgument);
	MUST(ncclAllReduce(&one, &one, 1, ncclNumTypes, ncclSum, comm, stream) ==
	     ncclInvalidArgument);
	MUST(ncclAllReduce(&one, &one, 1, ncclInt, ncclNumOps, comm, stream) ==
	     ncclInvalidArgument);
	MUST(ncclAllReduce(NULL, &one, 1, ncclInt, ncclSum, comm, stream) == ncclInvalidArgument);
	MUST(ncclSend(&one, 1, ncclInt, 5, comm, stream) == ncclInvalidArgument);
	MUST(ncclRedOpDestroy(ncclNumOps, comm) == ncclInvalidArgument);
	MUST(ncclCommCount(NULL, &value) == ncclInvalidArgument);
	MUST(ncclCommDestroy(NULL) == ncclSuccess);
	MUST(strlen(ncclGetLastError(NULL)) > 0);
	MUST(!strcmp(ncclGetErrorString(ncclSuccess), "no error"));
	WELL(ncclGetVersion(&value));
	MUST(value == 22809);
	WELL(ncclCommDestroy(comm));
}

static void bad_arguments_are_refused(void **state)
{
	assert_int_equal(crew_run(1, bad_arguments, NULL), 0);
}

static void registered_memory(struct crew *crew, int rank)
{
	cudaStream_t stream;
	ncclComm_t comm = rank_join(crew, rank, &stream);
	ncclWindow_t window;
	void *buffer, *handle;

	WELL(ncclMemAlloc(&buffer, 8192));
	WELL(ncclCommRegister(comm, buffer, 8192, &handle));
	WELL(ncclCommDeregister(comm, handle));
	MUST(ncclCommWindowRegister(comm, (char *)buffer + 8, 64, &window, 0) ==
	     ncclInvalidArgument);
	WELL(ncclMemFree(buffer));
	MUST(ncclMemFree(&rank) == ncclInvalidArgument);
	WELL(ncclCommDestroy(comm));
}

static void memory_can_be_registered(void **state)
{
	assert_int_equal(crew_run(1, registered_memory, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sixty_four_ranks_meet),
		cmocka_unit_test(a_list_of_ids_serves_as_one),
		cmocka_unit_test(init_waits_for_every_rank),
		cmocka_unit_test(nothing_is_left_in_shared_memory),
		cmocka_unit_test(a_non_blocking_group_says_in_progress),
		cmocka_unit_test(an_abort_ends_an_init_that_nobody_joins),
		cmocka_unit_test(a_split_orders_by_key),
		cmocka_unit_test(splits_of_one_group_of_calls_take_turns),
		cmocka_unit_test(the_excluded_need_not_come_to_a_shrink),
		cmocka_unit_test(an_aborting_shrink_frees_the_streams),
		cmocka_unit_test(a_revoked_group_can_still_be_split),
		cmocka_unit_test(one_thread_drives_many_devices),
		cmocka_unit_test(threads_can_be_ranks),
		cmocka_unit_test(groups_nest_and_launch_at_the_outermost_end),
		cmocka_unit_test(a_group_with_a_bad_call_launches_nothing),
		cmocka_unit_test(bad_arguments_are_refused),
		cmocka_unit_test(memory_can_be_registered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
