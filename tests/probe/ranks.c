/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks.c: one rank of a small job, for tests of what the probe writes about it.
 *
 *	RANK=n WORLD_SIZE=n ranks DIR [WORD...]
 *
 * Ranks meet through the file DIR/id. Words are done in order, all ranks alike unless the word says
 * otherwise; at the end a rank creates DIR/done.RANK, and where the last word is `stay` it sleeps
 * until it is killed.
 */
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/inquest.h"
#include "tests/tools/meet.h"

#define ELEMENTS 1024

static struct {
	const char *dir;
	int rank, size;
	ncclComm_t comm, child;
	cudaStream_t stream;
	float *a, *b;
} me;

#define NCCL(call)                                                                                 \
	do {                                                                                       \
		ncclResult_t result_ = (call);                                                     \
		if (result_ != ncclSuccess) {                                                      \
			fprintf(stderr, "rank %d: %s: %d\n", me.rank, #call, (int)result_);        \
			exit(9);                                                                   \
		}                                                                                  \
	} while (0)

#define CUDA(call)                                                                                 \
	do {                                                                                       \
		if ((call) != cudaSuccess) {                                                       \
			fprintf(stderr, "rank %d: %s\n", me.rank, #call);                          \
			exit(9);                                                                   \
		}                                                                                  \
	} while (0)

static ncclUniqueId meet(void)
{
	char path[512];
	ncclUniqueId id;

	snprintf(path, sizeof(path), "%s/id", me.dir);
	if (!me.rank)
		NCCL(ncclGetUniqueId(&id));
	if (!meet_by(path, me.rank, &id, sizeof(id)))
		exit(9);
	return id;
}

static void do_init(void)
{
	NCCL(ncclCommInitRank(&me.comm, me.size, meet(), me.rank));
}

static void do_config(void)
{
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	ncclResult_t state;

	config.blocking = 0;
	config.commName = "the world";
	state = ncclCommInitRankConfig(&me.comm, me.size, meet(), me.rank, &config);
	if (state != ncclSuccess && state != ncclInProgress)
		exit(9);
	do {
		NCCL(ncclCommGetAsyncError(me.comm, &state));
		usleep(1000);
	} while (state == ncclInProgress);
}

static void do_all_reduce(size_t count)
{
	ncclResult_t state =
		ncclAllReduce(me.a, me.b, count, ncclFloat, ncclSum, me.comm, me.stream);

	if (state != ncclInProgress)
		NCCL(state);
	while (state == ncclInProgress)
		NCCL(ncclCommGetAsyncError(me.comm, &state));
}

static void do_sync(void)
{
	CUDA(cudaStreamSynchronize(me.stream));
}

static void do_group(void)
{
	int next = (me.rank + 1) % me.size, last = (me.rank + me.size - 1) % me.size;

	NCCL(ncclGroupStart());
	NCCL(ncclSend(me.a, 16, ncclFloat, next, me.comm, me.stream));
	NCCL(ncclRecv(me.b, 16, ncclFloat, last, me.comm, me.stream));
	NCCL(ncclGroupStart());
	NCCL(ncclAllReduce(me.a, me.b, 32, ncclFloat, ncclMax, me.comm, me.stream));
	NCCL(ncclGroupEnd());
	NCCL(ncclBroadcast(me.a, me.b, 64, ncclFloat, 1, me.comm, me.stream));
	NCCL(ncclGroupEnd());
}

static void do_split(void)
{
	NCCL(ncclCommSplit(
		me.comm, me.rank % 2 ? NCCL_SPLIT_NOCOLOR : 7, me.rank, &me.child, NULL));
	if (me.child)
		NCCL(ncclAllReduce(me.a, me.b, 8, ncclFloat, ncclSum, me.child, me.stream));
}

/* Two members in one process: two communicators of one world, born in one group. */
static void do_two_members(void)
{
	ncclComm_t both[2] = {NULL, NULL};
	cudaStream_t streams[2];
	ncclUniqueId id;

	NCCL(ncclGetUniqueId(&id));
	NCCL(ncclGroupStart());
	for (int i = 0; i < 2; i++) {
		CUDA(cudaSetDevice(i));
		CUDA(cudaStreamCreate(&streams[i]));
		NCCL(ncclCommInitRank(&both[i], 2, id, i));
	}
	NCCL(ncclGroupEnd());
	NCCL(ncclGroupStart());
	for (int i = 0; i < 2; i++)
		NCCL(ncclAllReduce(me.a, me.b, 2, ncclFloat, ncclSum, both[i], streams[i]));
	NCCL(ncclGroupEnd());
	for (int i = 0; i < 2; i++)
		CUDA(cudaStreamSynchronize(streams[i]));
}

static void do_init_all(void)
{
	ncclComm_t all[2];

	NCCL(ncclCommInitAll(all, 2, NULL));
	NCCL(ncclCommAbort(all[0]));
}

static void do_shrink(void)
{
	int last = me.size - 1;

	if (me.rank == last)
		return;
	NCCL(ncclCommShrink(me.comm, &last, 1, &me.child, NULL, NCCL_SHRINK_DEFAULT));
	NCCL(ncclAllReduce(me.a, me.b, 8, ncclFloat, ncclSum, me.child, me.stream));
}

static void do_capture(void)
{
	cudaGraph_t graph;

	CUDA(cudaStreamBeginCapture(me.stream, cudaStreamCaptureModeRelaxed));
	do_all_reduce(ELEMENTS);
	CUDA(cudaStreamEndCapture(me.stream, &graph));
}

static void do_event(void)
{
	cudaStream_t other;
	cudaEvent_t event;

	CUDA(cudaStreamCreate(&other));
	CUDA(cudaEventCreate(&event));
	CUDA(cudaEventRecord(event, me.stream));
	CUDA(cudaStreamWaitEvent(other, event, 0));
	while (cudaEventQuery(event) == cudaErrorNotReady)
		usleep(1000);
	CUDA(cudaEventSynchronize(event));
	CUDA(cudaDeviceSynchronize());
}

static void do_marks(void)
{
	const uint64_t dims[] = {4, 512, 3, 2};

	inquest_span_begin(INQUEST_COMPILE, "codegen", "graph 0/0");
	inquest_span_end(INQUEST_COMPILE, "codegen");
	inquest_span_begin(INQUEST_INPUT, "next batch", NULL);
	inquest_shard("train", 0, 32, 4096);
	inquest_shard_shape("train", 0, 4, dims);
	inquest_shard("train", 1, 0, 0);
	inquest_step(17);
	inquest_note("exception: none really");
}

static void do_fork(void)
{
	pid_t child = fork();
	int count;

	if (!child) {
		ncclCommCount(me.comm, &count);
		inquest_note("from the child");
		_exit(3);
	}
	waitpid(child, NULL, 0);
}

static void do_destroy(void)
{
	if (me.child)
		NCCL(ncclCommDestroy(me.child));
	NCCL(ncclCommFinalize(me.comm));
	NCCL(ncclCommDestroy(me.comm));
}

static volatile int *volatile nowhere = (volatile int *)16;

static int do_word(const char *word)
{
	if (!strcmp(word, "init"))
		do_init();
	else if (!strcmp(word, "config"))
		do_config();
	else if (!strcmp(word, "reduce"))
		do_all_reduce(ELEMENTS);
	else if (!strcmp(word, "zero"))
		do_all_reduce(0);
	else if (!strcmp(word, "zero-here") || !strcmp(word, "reduce-first"))
		do_all_reduce(me.rank ? 0 : ELEMENTS);
	else if (!strcmp(word, "only-rank-0") && me.rank)
		pause();
	else if (!strcmp(word, "sync"))
		do_sync();
	else if (!strcmp(word, "group"))
		do_group();
	else if (!strcmp(word, "split"))
		do_split();
	else if (!strcmp(word, "two-members"))
		do_two_members();
	else if (!strcmp(word, "init-all"))
		do_init_all();
	else if (!strcmp(word, "shrink"))
		do_shrink();
	else if (!strcmp(word, "capture"))
		do_capture();
	else if (!strcmp(word, "event"))
		do_event();
	else if (!strcmp(word, "marks"))
		do_marks();
	else if (!strcmp(word, "open-span"))
		inquest_span_begin(INQUEST_COMPILE, "still at it", "graph 1/0");
	else if (!strcmp(word, "close-span"))
		inquest_span_end(INQUEST_COMPILE, "still at it");
	else if (!strcmp(word, "fork"))
		do_fork();
	else if (!strcmp(word, "destroy"))
		do_destroy();
	else if (!strcmp(word, "bad-argument"))
		return ncclAllReduce(me.a, me.b, 1, (ncclDataType_t)99, ncclSum, me.comm,
			       me.stream) == ncclSuccess;
	else if (!strcmp(word, "segv"))
		*nowhere = 1;
	return 0;
}

int main(int argc, char **argv)
{
	char path[512];

	if (argc < 2 || !getenv("RANK") || !getenv("WORLD_SIZE"))
		return 2;
	me.dir = argv[1];
	me.rank = atoi(getenv("RANK"));
	me.size = atoi(getenv("WORLD_SIZE"));
	CUDA(cudaSetDevice(0));
	CUDA(cudaStreamCreate(&me.stream));
	CUDA(cudaMalloc((void **)&me.a, ELEMENTS * sizeof(*me.a)));
	CUDA(cudaMalloc((void **)&me.b, ELEMENTS * sizeof(*me.b)));
	for (int i = 2; i < argc; i++)
		if (do_word(argv[i]))
			return 9;
	snprintf(path, sizeof(path), "%s/done.%d", me.dir, me.rank);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	if (!strcmp(argv[argc - 1], "stay"))
		pause();
	return 0;
}
