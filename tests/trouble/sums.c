/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums.c: one rank of a job that says what it computed, so that a wrong result, a lost line or
 * another end can be seen.
 *
 *	RANK=n WORLD_SIZE=n sums DIR [WORD...]
 *
 * Ranks meet through a file in DIR. Words are done in order, by all ranks; one that ends in :N is
 * done by rank N only, one in :-N by all others. After the last word the communicator is destroyed
 * and "done" is said. It runs on the stand-in and on the real libraries.
 *
 *	sum		one AllReduce of known numbers, its result printed and checked
 *	zero		an AllReduce of nothing
 *	timed		a hundred AllReduces, what one took on stderr
 *	compile		a compile span that goes on for ever
 *	die		SIGKILL
 *	abort		SIGABRT, its own
 *	fork		a child that uses nothing of ours, and one that marks, are waited for
 *	exec		the communicator is destroyed; this program, anew, does the rest
 *	threads		200 of them at once, each with marks and some stack
 *	closefrom	closes all descriptors but the first three
 *	fd		the number of the next descriptor is printed
 *	nap		a tenth of a second
 *	stay		for ever; meanwhile SIGTERM is what it is by default
 *	asked		from now on SIGTERM is answered by exit(1)
 *	leave		exit(0) at once, as one whose work is done
 *	hold		for ever in munmap of the file HOLD_FILE, while another thread wants to mmap
 */
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <nccl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probes/inquest.h"
#include "tests/tools/meet.h"

#define ELEMENTS 4096
#define THREADS  200
#define TIMED    100
#define PAGE     4096

static struct {
	char *dir;
	char *self;
	int rank, size;
	int generation; /* how often this process has exec'ed */
	int sums;
	ncclComm_t comm;
	cudaStream_t stream;
	float *memory;
} me;

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "rank %d: failed: %s\n", me.rank, what);
	exit(9);
}

#define NCCL(call) must((call) == ncclSuccess, #call)
#define CUDA(call) must((call) == cudaSuccess, #call)

static void say(const char *what, double number)
{
	printf("rank %d: %s %.0f\n", me.rank, what, number);
	fflush(stdout);
}

static ncclUniqueId meet(void)
{
	char path[512];
	ncclUniqueId id;

	snprintf(path, sizeof(path), "%s/id.%d", me.dir, me.generation);
	if (!me.rank)
		NCCL(ncclGetUniqueId(&id));
	must(meet_by(path, me.rank, &id, sizeof(id)), path);
	return id;
}

static void join_world(void)
{
	CUDA(cudaStreamCreate(&me.stream));
	CUDA(cudaMalloc((void **)&me.memory, ELEMENTS * sizeof(float)));
	NCCL(ncclCommInitRank(&me.comm, me.size, meet(), me.rank));
}

static void leave_world(void)
{
	NCCL(ncclCommFinalize(me.comm));
	NCCL(ncclCommDestroy(me.comm));
	CUDA(cudaFree(me.memory));
	CUDA(cudaStreamDestroy(me.stream));
}

static void do_sum(void)
{
	float numbers[ELEMENTS];
	double total = 0, expected = 0;

	me.sums++;
	for (int i = 0; i < ELEMENTS; i++)
		numbers[i] = (float)(me.rank + i % 7 + me.sums);
	CUDA(cudaMemcpy(me.memory, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	NCCL(ncclAllReduce(me.memory, me.memory, ELEMENTS, ncclFloat, ncclSum, me.comm, me.stream));
	CUDA(cudaStreamSynchronize(me.stream));
	CUDA(cudaMemcpy(numbers, me.memory, sizeof(numbers), cudaMemcpyDeviceToHost));
	for (int i = 0; i < ELEMENTS; i++) {
		total += (double)numbers[i];
		for (int rank = 0; rank < me.size; rank++)
			expected += rank + i % 7 + me.sums;
	}
	say("sum", total);
	must(total >= expected && total <= expected, "the sum is wrong");
}

static void do_zero(void)
{
	NCCL(ncclAllReduce(me.memory, me.memory, 0, ncclFloat, ncclSum, me.comm, me.stream));
	CUDA(cudaStreamSynchronize(me.stream));
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void do_timed(void)
{
	double begin = now_us();

	for (int i = 0; i < TIMED; i++)
		NCCL(ncclAllReduce(
			me.memory, me.memory, ELEMENTS, ncclFloat, ncclMax, me.comm, me.stream));
	CUDA(cudaStreamSynchronize(me.stream));
	fprintf(stderr, "%.1f us\n", (now_us() - begin) / TIMED);
}

static void do_compile(void)
{
	inquest_span_begin(INQUEST_COMPILE, "code generation", "graph 1");
	for (;;)
		for (double until = now_us() + 1e5; now_us() < until;)
			;
}

static void do_die(void)
{
	raise(SIGKILL);
}

static void do_abort(void)
{
	abort();
}

static void fork_and_wait(bool with_marks)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		if (with_marks)
			inquest_note("a child's");
		_exit(with_marks ? 4 : 3);
	}
	must(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status), "fork");
	say("child ended with", WEXITSTATUS(status));
}

static void do_fork(void)
{
	fork_and_wait(false);
	fork_and_wait(true);
}

static void *one_thread(void *barrier)
{
	volatile char room[20000];

	room[0] = room[sizeof(room) - 1] = 1;
	inquest_span_begin(INQUEST_INPUT, "batch", NULL);
	pthread_barrier_wait(barrier);
	inquest_shard("train", 1, 4, 4096);
	inquest_span_end(INQUEST_INPUT, "batch");
	return room[0] ? barrier : NULL;
}

static void do_threads(void)
{
	pthread_barrier_t barrier;
	pthread_t threads[THREADS];
	int came = 0;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		must(!pthread_create(&threads[i], NULL, one_thread, &barrier), "pthread_create");
	for (int i = 0; i < THREADS; i++) {
		void *result = NULL;

		came += !pthread_join(threads[i], &result) && result == &barrier;
	}
	say("threads", came);
}

static void do_closefrom(void)
{
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
}

static void do_fd(void)
{
	int fd = open("/dev/null", O_RDONLY);

	say("next descriptor", fd);
	close(fd);
}

static void do_nap(void)
{
	usleep(100000);
}

static void do_stay(void)
{
	for (;;)
		pause();
}

static void on_asked(int signo)
{
	(void)signo;
	_exit(1);
}

static void do_asked(void)
{
	must(signal(SIGTERM, on_asked) != SIG_ERR, "signal");
}

static void do_leave(void)
{
	exit(0);
}

static void *want_to_map(void *unused)
{
	(void)unused;
	for (;;) {
		void *at = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at != MAP_FAILED)
			munmap(at, PAGE);
		usleep(1000);
	}
	return NULL;
}

/* Unmapping a dirty page waits for its file, with the address space locked. */
static void do_hold(void)
{
	const char *path = getenv("HOLD_FILE");
	int fd = open(path ? path : "", O_RDWR);
	pthread_t thread;
	struct stat st;
	char *at;

	must(fd >= 0 && !fstat(fd, &st) && st.st_size >= PAGE, "open HOLD_FILE");
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(at != MAP_FAILED, "mmap HOLD_FILE");
	at[0] = 'x';
	must(!pthread_create(&thread, NULL, want_to_map, NULL), "pthread_create");
	say("holds", 1);
	munmap(at, PAGE);
	say("was let go", 1);
}

static const struct word {
	const char *name;
	void (*act)(void);
} words[] = {
	{"sum", do_sum},
	{"zero", do_zero},
	{"timed", do_timed},
	{"compile", do_compile},
	{"die", do_die},
	{"abort", do_abort},
	{"fork", do_fork},
	{"threads", do_threads},
	{"closefrom", do_closefrom},
	{"fd", do_fd},
	{"nap", do_nap},
	{"stay", do_stay},
	{"asked", do_asked},
	{"leave", do_leave},
	{"hold", do_hold},
};

static bool is_for_me(const char *who)
{
	return *who == '-' ? atoi(who + 1) != me.rank : atoi(who) == me.rank;
}

/* Does a word, if it is for this rank. */
static void act_on(const char *asked)
{
	size_t length = strcspn(asked, ":");

	if (asked[length] && !is_for_me(asked + length + 1))
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].name) == length && !strncmp(words[i].name, asked, length)) {
			words[i].act();
			return;
		}
	must(false, asked);
}

/* This program anew, in this process, with what is left to do. */
static void exec_the_rest(char **argv)
{
	char generation[16];

	snprintf(generation, sizeof(generation), "%d", me.generation + 1);
	setenv("SUMS_GENERATION", generation, 1);
	leave_world();
	argv[0] = me.dir;
	argv[-1] = me.self;
	execv("/proc/self/exe", argv - 1);
	must(false, "exec");
}

int main(int argc, char **argv)
{
	const char *rank = getenv("RANK"), *size = getenv("WORLD_SIZE");
	const char *generation = getenv("SUMS_GENERATION");

	if (argc < 2)
		return 2;
	me.self = argv[0];
	me.dir = argv[1];
	me.rank = rank ? atoi(rank) : 0;
	me.size = size ? atoi(size) : 1;
	me.generation = generation ? atoi(generation) : 0;
	join_world();
	for (int i = 2; i < argc; i++)
		if (!strcmp(argv[i], "exec"))
			exec_the_rest(argv + i);
		else
			act_on(argv[i]);
	leave_world();
	say("done", me.sums);
	return 0;
}
