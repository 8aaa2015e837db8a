/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plight KIND [NUMBER]: a process in a plight; writes "ready PID" once it is in it. Kinds:
 *
 *	threads N	N threads that sleep
 *	churn		threads that begin and end all the time, beside one that sleeps
 *	spin N		N threads that compute, the main one sleeps
 *	exec N		calls exec every N ms
 *	execthreads N	N threads sleep, another one calls exec after a second: pid of a `threads 3`
 *	vfork		waits for a vfork child: uninterruptible
 *	zombie		a child that ended and is not waited for; its pid
 *	headless	the main thread has ended, others sleep
 *	undumpable	wants nobody to look
 *	maps N		N mappings
 *	hold FILE	in the kernel with its address space locked, by a FILE of hold-file
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void ready(pid_t pid)
{
	printf("ready %d\n", (int)pid);
	fflush(stdout);
}

static void __attribute__((noinline)) sleep_on(void)
{
	for (;;)
		pause();
}

static void nap(long ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

static void *sleeper(void *arg)
{
	(void)arg;
	sleep_on();
	return NULL;
}

static void *spinner(void *arg)
{
	volatile unsigned long *count = calloc(1, sizeof(*count));

	(void)arg;
	for (;;)
		++*count;
	return NULL;
}

static void *mayfly(void *arg)
{
	nap((long)(size_t)arg % 3);
	return NULL;
}

static void start(void *(*work)(void *), long nr)
{
	pthread_t thread;

	for (long i = 0; i < nr; i++) {
		if (pthread_create(&thread, NULL, work, (void *)i) != 0) {
			perror("plight: pthread_create");
			exit(77);
		}
	}
}

static void churn(void)
{
	start(sleeper, 1);
	ready(getpid());
	for (size_t i = 0;; i++) {
		pthread_t thread[8];

		for (size_t k = 0; k < 8; k++)
			if (pthread_create(&thread[k], NULL, mayfly, (void *)(i + k)) != 0)
				exit(77);
		for (size_t k = 0; k < 8; k++)
			pthread_join(thread[k], NULL);
	}
}

static void exec_again(char **argv)
{
	if (!getenv("PLIGHT_AGAIN"))
		ready(getpid());
	setenv("PLIGHT_AGAIN", "1", 1);
	start(sleeper, 3);
	nap(atol(argv[2]));
	execv("/proc/self/exe", argv);
	exit(1);
}

static char *own_path;

static void *exec_other(void *arg)
{
	char *argv[] = {own_path, (char *)"threads", (char *)"3", NULL};

	(void)arg;
	nap(1000);
	execv("/proc/self/exe", argv);
	exit(1);
}

static void __attribute__((noinline)) wait_for_vfork(void)
{
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, 9);
		nap(100); /* its parent is in vfork by then */
		ready(getppid());
		sleep_on();
	}
	if (vfork() == 0) {
		/* Only system calls: this is the parent's memory. */
		syscall(SYS_prctl, PR_SET_PDEATHSIG, 9, 0, 0, 0);
		for (;;)
			syscall(SYS_pause);
	}
}

static void leave_zombie(void)
{
	siginfo_t info;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	ready(child);
	sleep_on();
}

static void *say_ready_later(void *arg)
{
	(void)arg;
	nap(100);
	ready(getpid());
	return sleeper(NULL);
}

static void map_many(long nr)
{
	for (long i = 0; i < nr; i++) {
		/* Two neighbours are never alike: else they would be one. */
		int protection = i % 2 ? PROT_READ : PROT_READ | PROT_WRITE;

		if (mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			MAP_FAILED) {
			perror("plight: mmap");
			exit(77);
		}
	}
}

/* munmap only keeps writers from the lock; it is behind a waiting one that readers must wait. */
static void *map_later(void *arg)
{
	(void)arg;
	nap(300);
	mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return sleeper(NULL);
}

static void hold(const char *path)
{
	int fd = open(path, O_RDWR);
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED) {
		perror("plight: hold");
		exit(77);
	}
	start(sleeper, 1);
	start(map_later, 1);
	*page = 1;
	ready(getpid());
	munmap(page, 4096); /* waits in the kernel until its bytes are written */
	sleep_on();
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	long number = argc > 2 ? atol(argv[2]) : 0;

	own_path = argv[0];
	prctl(PR_SET_PDEATHSIG, 9);
	if (!strcmp(kind, "threads")) {
		start(sleeper, number);
	} else if (!strcmp(kind, "spin")) {
		start(spinner, number);
	} else if (!strcmp(kind, "churn")) {
		churn();
	} else if (!strcmp(kind, "exec")) {
		exec_again(argv);
	} else if (!strcmp(kind, "execthreads")) {
		start(sleeper, number);
		start(exec_other, 1);
	} else if (!strcmp(kind, "vfork")) {
		wait_for_vfork();
	} else if (!strcmp(kind, "zombie")) {
		leave_zombie();
	} else if (!strcmp(kind, "headless")) {
		start(sleeper, 2);
		start(say_ready_later, 1);
		pthread_exit(NULL);
	} else if (!strcmp(kind, "undumpable")) {
		prctl(PR_SET_DUMPABLE, 0);
	} else if (!strcmp(kind, "maps")) {
		map_many(number);
	} else if (!strcmp(kind, "hold")) {
		hold(argc > 2 ? argv[2] : "");
	} else {
		fputs("plight: what kind?\n", stderr);
		return 2;
	}
	ready(getpid());
	sleep_on();
}
