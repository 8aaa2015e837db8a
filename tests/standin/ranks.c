/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/standin/ranks.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "tests/unit/unit.h"

enum { POLL_MS = 2, STAYS_MS = 150 };

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = POLL_MS * 1000000 }, NULL);
}

struct crew *crew_start(int size, void (*fn)(struct crew *crew, int rank), void *arg)
{
	struct crew *crew = mmap(NULL, sizeof(*crew), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(crew != MAP_FAILED && size <= RANKS_MAX);
	crew->size = size;
	crew->arg = arg;
	assert_int_equal(ncclGetUniqueId(&crew->id), ncclSuccess);
	fflush(NULL);
	for (int r = 0; r < size; r++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			fn(crew, r);
			_exit(0);
		}
		crew->pids[r] = pid;
	}
	return crew;
}

int crew_finish(struct crew *crew)
{
	long deadline = now_ms() + RANKS_DEADLINE_S * 1000;
	int left = crew->size, failed = 0, status;

	while (left) {
		for (int r = 0; r < crew->size; r++) {
			if (!crew->pids[r] || waitpid(crew->pids[r], &status, WNOHANG) <= 0)
				continue;
			if (status)
				fprintf(stderr, "rank %d ended with %#x\n", r, status);
			crew->pids[r] = 0;
			failed += status != 0;
			left--;
		}
		if (left && now_ms() > deadline) {
			fprintf(stderr, "%d ranks are out of time\n", left);
			failed += left;
			break;
		}
		nap();
	}
	crew_end(crew);
	return failed;
}

void crew_end(struct crew *crew)
{
	for (int r = 0; crew && r < crew->size; r++) {
		if (!crew->pids[r])
			continue;
		kill(crew->pids[r], SIGKILL);
		waitpid(crew->pids[r], NULL, 0);
	}
	if (crew)
		munmap(crew, sizeof(*crew));
}

int crew_run(int size, void (*fn)(struct crew *crew, int rank), void *arg)
{
	return crew_finish(crew_start(size, fn, arg));
}

bool crew_wait_at(struct crew *crew, int rank, int point)
{
	long deadline = now_ms() + RANKS_DEADLINE_S * 1000;

	while (atomic_load(&crew->at[rank]) < point) {
		if (now_ms() > deadline)
			return false;
		nap();
	}
	return true;
}

bool crew_stays_before(struct crew *crew, int rank, int point)
{
	long end = now_ms() + STAYS_MS;

	while (now_ms() < end) {
		if (atomic_load(&crew->at[rank]) >= point)
			return false;
		nap();
	}
	return true;
}

void crew_open(struct crew *crew, int gate)
{
	atomic_store(&crew->gate, gate);
}

void rank_at(struct crew *crew, int rank, int point)
{
	atomic_store(&crew->at[rank], point);
}

void rank_wait(struct crew *crew, int gate)
{
	while (atomic_load(&crew->gate) < gate)
		nap();
}

ncclComm_t rank_join(struct crew *crew, int rank, cudaStream_t *ret_stream)
{
	ncclComm_t comm;

	WELL(cudaSetDevice(rank % 8));
	WELL(cudaStreamCreateWithFlags(ret_stream, cudaStreamNonBlocking));
	WELL(ncclCommInitRank(&comm, crew->size, crew->id, rank));
	return comm;
}
