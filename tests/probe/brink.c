/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brink.c WORD: a program at the bounds that the kernel sets: as many maps as a process may have,
 * address space that the program limits itself, the first process of a pid namespace. What it
 * prints and how it ends must not depend on us.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 4096

static pthread_barrier_t together;

static void must(int ok, const char *what)
{
	if (!ok) {
		printf("%s: %s\n", what, strerror(errno));
		exit(9);
	}
}

/* Counts the lines of a file of /proc, or returns the number in the line that begins so. */
static long told(const char *path, const char *begin)
{
	FILE *file = fopen(path, "r");
	char line[1024];
	long n = 0;

	must(file != NULL, path);
	while (fgets(line, sizeof(line), file)) {
		if (!begin)
			n++;
		else if (!strncmp(line, begin, strlen(begin)))
			n = atol(line + strlen(begin));
	}
	fclose(file);
	return n;
}

static void *stay(void *arg)
{
	pthread_barrier_wait(&together);
	pthread_barrier_wait(&together);
	return arg;
}

/* Returns how much more there is of something while there are n threads. */
static long with_threads(int n, size_t stack, const char *path, const char *begin)
{
	static pthread_t threads[MOST];
	long before = told(path, begin), more;
	pthread_attr_t attr;

	pthread_barrier_init(&together, NULL, (unsigned)n + 1);
	must(!pthread_attr_init(&attr) && !pthread_attr_setstacksize(&attr, stack), "attr");
	for (int i = 0; i < n; i++)
		must(!pthread_create(&threads[i], &attr, stay, NULL), "thread");
	pthread_barrier_wait(&together);
	more = told(path, begin) - before;
	pthread_barrier_wait(&together);
	for (int i = 0; i < n; i++)
		must(!pthread_join(threads[i], NULL), "join");
	return more;
}

/* Threads by the thousand take two maps each, and few of them more. */
static void do_maps(void)
{
	printf("crowded %d\n", with_threads(MOST, 65536, "/proc/self/maps", NULL) > 3 * MOST + 100);
}

/* Threads with stacks of 256 KiB, where address space has an end that the program has set. */
static void do_limit(void)
{
	const struct rlimit space = {4ul << 30, RLIM_INFINITY};

	must(!setrlimit(RLIMIT_AS, &space), "setrlimit");
	printf("costly %d\n", with_threads(10, 262144, "/proc/self/status", "VmSize:") > 10 * 400);
}

/* Sleeps on, whatever it is sent: the kernel keeps signals off that it has no handler for. */
static void be_first(void)
{
	const struct timespec moment = {.tv_nsec = 700000000};
	int err = nanosleep(&moment, NULL) ? errno : 0;

	printf("pid %d slept: %s\n", (int)getpid(), strerror(err));
	exit(3);
}

static void do_first(void)
{
	const struct timespec moment = {.tv_nsec = 200000000};
	int status = 0;
	pid_t child;

	must(!unshare(CLONE_NEWPID), "unshare");
	child = fork();
	if (!child)
		be_first();
	nanosleep(&moment, NULL);
	must(!kill(child, SIGTERM) && !kill(child, SIGINT), "kill");
	must(waitpid(child, &status, 0) == child, "waitpid");
	printf("status %d\n", status);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		void (*act)(void);
	} deeds[] = {{"maps", do_maps}, {"limit", do_limit}, {"first", do_first}};

	setvbuf(stdout, NULL, _IONBF, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(deeds) / sizeof(*deeds); i++)
		if (!strcmp(argv[1], deeds[i].word))
			deeds[i].act();
	return 0;
}
