/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sanitized.c WORD: a program of somebody else, built with his sanitizer or for his libc. It has a
 * thread and a child, and does WORD: nothing, a fault, a leak, an abort, or a loop that calls
 * nothing, to be ended by SIGTERM.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

static void *in_thread(void *arg)
{
	sink = 1;
	return arg;
}

static void on_signal(int sig)
{
	(void)sig;
	if (write(STDOUT_FILENO, "handled\n", 8) < 0)
		_exit(9);
	_exit(5);
}

static void work(void)
{
	void *volatile memory = malloc(1000);
	pthread_t thread;
	int status = 0;

	free(memory);
	if (pthread_create(&thread, NULL, in_thread, NULL) || pthread_join(thread, NULL))
		exit(8);
	if (!fork())
		_exit(4);
	wait(&status);
	printf("a thread, and a child that ended with %d\n", WEXITSTATUS(status));
	fflush(stdout);
}

static void spin(void)
{
	printf("spins\n");
	fflush(stdout);
	for (;;)
		sink++;
}

/*
 * A block is lost for LeakSanitizer only where no register and no word of the stack looks like its
 * address, and old ones lie about: of very many some always are.
 */
static void leak(void)
{
	void *volatile lost;

	for (int i = 0; i < 1000; i++)
		lost = malloc(77);
	lost = NULL;
	(void)lost;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (!strcmp(word, "handle"))
		signal(SIGTERM, on_signal);
	if (!strcmp(word, "back")) {
		signal(SIGTERM, on_signal);
		signal(SIGTERM, SIG_DFL);
	}
	work();
	if (!strcmp(word, "segv"))
		*(volatile int *)(size_t)(sink * 8) = 1;
	if (!strcmp(word, "abort"))
		abort();
	if (!strcmp(word, "leak"))
		leak();
	if (!strcmp(word, "shift"))
		sink = 1 << (31 + sink);
	if (!strcmp(word, "handle"))
		raise(SIGTERM);
	if (!strcmp(word, "spin") || !strcmp(word, "back"))
		spin();
	return 3;
}
