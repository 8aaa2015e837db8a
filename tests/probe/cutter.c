/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cutter.c: a rank whose files in the job's folder are cut, by itself, at the worst moments. What
 * it prints and how it ends must not depend on there being any.
 *
 *	cutter WORD...		words are done in order
 *
 *	rank			becomes one, in a world of its own
 *	mark			has a ring, as who is no rank has one
 *	cut NAME SIZE		all files of the job whose names end so
 *	cut NAME again		to nothing, and as long as they were
 *	record			does what is recorded: operations, marks, spans, last words
 *	many			a million marks
 *	thread WORD		the word, in a thread of its own
 *	waiting WORD		in a thread that was there before, and has recorded
 *	fork WORD, vfork	the word in a forked child; another program in a vfork child
 *	killed			waits for a child that a signal killed
 *	catch, catch-full, catch-once	a handler of its own for SIGBUS; with all blocked; but once
 *	ask			what the program has for SIGBUS
 *	own			a fault in a file of its own
 *	null			a fault that is SIGSEGV, caught, in whose handler is recorded
 *	raise			SIGBUS, sent to itself
 *	block, ignore		SIGBUS from now on
 *	past			the kernel is told of a handler without libc
 *	seal			gives up its system calls
 */
#include <cuda_runtime_api.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <nccl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/inquest.h"

#define PAGE 4096

static struct {
	char **words;
	const char *self;
	ncclComm_t comm;
	cudaStream_t stream;
	float *memory;
	sem_t go, gone;
	const char *errand;
	pthread_t waiting;
	void *own;
} me;

static sigjmp_buf back;
static volatile int *volatile nowhere = (volatile int *)16;

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "failed: %s\n", what);
	exit(9);
}

static void say(const char *what, long n)
{
	printf("%s %ld\n", what, n);
	fflush(stdout);
}

static const char *next_word(void)
{
	must(*me.words != NULL, "a word more");
	return *me.words++;
}

static void do_word(const char *word);

/* --- What is recorded ------------------------------------------------------------------------- */

static void do_rank(void)
{
	ncclUniqueId id;

	must(ncclGetUniqueId(&id) == ncclSuccess, "id");
	must(ncclCommInitRank(&me.comm, 1, id, 0) == ncclSuccess, "init");
	must(cudaMalloc((void **)&me.memory, 4096) == cudaSuccess, "memory");
	must(cudaStreamCreate(&me.stream) == cudaSuccess, "stream");
}

static void do_mark(void)
{
	inquest_step(1);
}

static void do_record(void)
{
	static const char text[] = "last words\n";
	const uint64_t shape[] = {3, 4};

	for (int i = 0; me.comm && i < 10; i++) {
		must(ncclAllReduce(me.memory, me.memory, 8, ncclFloat, ncclSum, me.comm,
			     me.stream) == ncclSuccess,
			"sum");
		must(cudaStreamSynchronize(me.stream) == cudaSuccess, "sync");
	}
	inquest_step(2);
	inquest_shard("loader", 1, 3, 12);
	inquest_shard_shape("loader", 1, 2, shape);
	inquest_span_begin(INQUEST_COMPILE, "graph", "detail");
	inquest_span_end(INQUEST_COMPILE, "graph");
	must(write(STDERR_FILENO, text, sizeof(text) - 1) > 0, "words");
}

static void do_many(void)
{
	for (uint64_t i = 0; i < 1000000; i++)
		inquest_step(i);
}

/* --- Cutting ---------------------------------------------------------------------------------- */

static int ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), tail = strlen(end);

	return len >= tail && !strcmp(name + len - tail, end);
}

static void cut_one(const char *path, const char *size)
{
	struct stat about;

	must(!stat(path, &about), path);
	if (strcmp(size, "again") != 0) {
		must(!truncate(path, atol(size)), "cut");
		return;
	}
	must(!truncate(path, 0) && !truncate(path, about.st_size), "cut and made longer");
}

static void do_cut(void)
{
	const char *end = next_word(), *size = next_word(), *folder = getenv("INQUEST_JOB_DIR");
	DIR *dir = folder ? opendir(folder) : NULL;
	struct dirent *entry;
	char path[1024];

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' && ends_in(entry->d_name, end))
			cut_one(path, size);
	}
	if (dir)
		closedir(dir);
}

/* --- Where ------------------------------------------------------------------------------------ */

static void *in_thread(void *word)
{
	do_word(word);
	return NULL;
}

static void do_thread(void)
{
	pthread_t thread;

	must(!pthread_create(&thread, NULL, in_thread, (void *)(uintptr_t)next_word()), "thread");
	pthread_join(thread, NULL);
}

static void *in_waiting(void *arg)
{
	do_record();
	sem_post(&me.gone);
	sem_wait(&me.go);
	do_word(me.errand);
	return arg;
}

static void do_wait(void)
{
	sem_init(&me.go, 0, 0);
	sem_init(&me.gone, 0, 0);
	must(!pthread_create(&me.waiting, NULL, in_waiting, NULL), "thread");
	sem_wait(&me.gone);
}

static void do_waiting(void)
{
	me.errand = next_word();
	sem_post(&me.go);
	pthread_join(me.waiting, NULL);
}

static void end_of(pid_t child)
{
	int status;

	must(waitpid(child, &status, 0) == child, "child");
	say("child ended", status);
}

static void do_fork(void)
{
	const char *word = next_word();
	pid_t child = fork();

	if (!child) {
		me.comm = NULL; /* it has no threads to work for it */
		do_word(word);
		exit(0);
	}
	end_of(child);
}

static void do_vfork(void)
{
	pid_t child = vfork();

	if (!child) {
		execl(me.self, me.self, "ask", NULL);
		_exit(7);
	}
	end_of(child);
}

static void do_killed(void)
{
	pid_t child = fork();

	if (!child) {
		signal(SIGKILL, SIG_DFL);
		kill(getpid(), SIGKILL);
	}
	end_of(child);
}

/* --- Signals ---------------------------------------------------------------------------------- */

static void on_bus(int sig, siginfo_t *info, void *context)
{
	sigset_t now;

	(void)context;
	sigprocmask(SIG_BLOCK, NULL, &now);
	say("caught", sig);
	say("in its own", info->si_code > 0 && info->si_addr == me.own);
	say("blocked", sigismember(&now, SIGBUS) + 2 * sigismember(&now, SIGTERM));
	do_record();
	if (info->si_code > 0)
		siglongjmp(back, 1);
}

static void catch_bus(int flags, int full)
{
	struct sigaction act = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | flags};

	if (full)
		sigfillset(&act.sa_mask);
	must(!sigaction(SIGBUS, &act, NULL), "sigaction");
}

static void do_catch(void)
{
	catch_bus(0, 0);
}

static void do_catch_full(void)
{
	catch_bus(0, 1);
}

static void do_catch_once(void)
{
	catch_bus((int)SA_RESETHAND, 0);
}

static void do_ask(void)
{
	struct sigaction act;
	sigset_t now;

	must(!sigaction(SIGBUS, NULL, &act), "sigaction");
	sigprocmask(SIG_BLOCK, NULL, &now);
	say("default", act.sa_handler == SIG_DFL);
	say("ignored", act.sa_handler == SIG_IGN);
	say("mine", act.sa_sigaction == on_bus);
	say("flags", act.sa_flags & ~0x04000000); /* the restorer, which libc adds */
	say("is blocked", sigismember(&now, SIGBUS));
}

static void do_own(void)
{
	int fd = open("own", O_RDWR | O_CREAT | O_TRUNC, 0600);

	must(fd >= 0 && !ftruncate(fd, 2 * PAGE), "own file");
	me.own = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(me.own != MAP_FAILED && !ftruncate(fd, 0), "own map");
	if (!sigsetjmp(back, 1))
		*(volatile int *)me.own = 1;
	munmap(me.own, 2 * PAGE);
	close(fd);
}

static void on_segv(int sig)
{
	say("caught", sig);
	do_record();
	siglongjmp(back, 1);
}

static void do_null(void)
{
	struct sigaction act = {.sa_handler = on_segv};

	sigfillset(&act.sa_mask);
	must(!sigaction(SIGSEGV, &act, NULL), "sigaction");
	if (!sigsetjmp(back, 1))
		*nowhere = 1;
}

static void do_raise(void)
{
	raise(SIGBUS);
}

static void do_block(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static void do_ignore(void)
{
	signal(SIGBUS, SIG_IGN);
}

static void on_past(int sig)
{
	(void)sig;
	syscall(SYS_exit_group, 8);
}

static void do_past(void)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void *restorer;
		unsigned long mask;
	} act = {.handler = on_past};

	syscall(SYS_rt_sigaction, SIGBUS, &act, NULL, 8);
}

static void do_seal(void)
{
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	syscall(SYS_exit, 5);
}

/* --- Words ------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	void (*fn)(void);
} deeds[] = {
	{"rank", do_rank},
	{"mark", do_mark},
	{"cut", do_cut},
	{"record", do_record},
	{"many", do_many},
	{"thread", do_thread},
	{"wait", do_wait},
	{"waiting", do_waiting},
	{"fork", do_fork},
	{"vfork", do_vfork},
	{"killed", do_killed},
	{"catch", do_catch},
	{"catch-full", do_catch_full},
	{"catch-once", do_catch_once},
	{"ask", do_ask},
	{"own", do_own},
	{"null", do_null},
	{"raise", do_raise},
	{"block", do_block},
	{"ignore", do_ignore},
	{"past", do_past},
	{"seal", do_seal},
};

static void do_word(const char *word)
{
	for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++) {
		if (strcmp(word, deeds[i].name) != 0)
			continue;
		deeds[i].fn();
		return;
	}
	must(0, word);
}

int main(int argc, char **argv)
{
	(void)argc;
	me.self = argv[0];
	me.words = argv + 1;
	while (*me.words)
		do_word(next_word());
	say("done", 0);
	return 3;
}
