/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank that has secrets everywhere: rank WORD... -- ANYTHING...
 *
 *	stack	(first) has a secret on its stack
 *	child	starts a child that has all that stands behind "--" for arguments, too
 *	error	says that it dies of an exception
 *	moved	has its arguments elsewhere, as programs do that give themselves a title
 *	known	waits until the agent knows it
 *	wait	waits for ever
 *	die	dies by a signal, on a shallow stack
 *	abort	dies by another one, with a core where that is allowed
 *
 * It writes a line with secrets first. Its environment and arguments are the test's business. On
 *its stack lies a marker, which no walk reads.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "probes/inquest.h"

#define PAGE 4096
#define LOG  "visible-log of postgres://me:canary-in-log@db.site/x API_TOKEN=canary-token-in-log\n"

static volatile int *volatile nowhere = (volatile int *)16;

static void do_child(char **argv)
{
	pid_t parent = getpid();

	while (*argv && strcmp(*argv, "--") != 0)
		argv++;
	if (*argv && fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(9);
		argv[-1] = (char *)"rank";
		*argv = (char *)"wait";
		execv("/proc/self/exe", argv - 1);
		_exit(9);
	}
}

/* The kernel is told that arguments and environment begin in a page of ours. */
static void do_moved(void)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		_exit(9);
	snprintf(page, PAGE, "train: step 3");
	prctl(PR_SET_MM, PR_SET_MM_ARG_START, page, 0, 0);
	prctl(PR_SET_MM, PR_SET_MM_ARG_END, page + strlen(page) + 1, 0, 0);
	prctl(PR_SET_MM, PR_SET_MM_ENV_START, page + PAGE / 2, 0, 0);
	prctl(PR_SET_MM, PR_SET_MM_ENV_END, page + PAGE, 0, 0);
}

/* The history of its job names it, and with it where it says why it dies. */
static bool is_known(void)
{
	const char *folder = getenv("INQUEST_JOB_DIR");
	char path[512], pid[32], text[65536];
	size_t len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/history", folder ? folder : "");
	snprintf(pid, sizeof(pid), "\"pid\":%d,", (int)getpid());
	file = fopen(path, "r");
	if (file) {
		len = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[len] = 0;
	return strstr(text, pid) && strstr(text, "ERROR_FILE");
}

int main(int argc, char **argv)
{
	const char *secret = getenv("PLAIN_SECRET");
	char stack[64] = "marker-on-the-stack ";

	if (argc > 1 && !strcmp(argv[1], "stack") && secret)
		strncat(stack, secret, sizeof(stack) - strlen(stack) - 1);
	if (write(STDERR_FILENO, LOG, strlen(LOG)) < 0)
		return 9;
	__asm__ volatile("" : : "r"(stack) : "memory");
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (!strcmp(argv[i], "stack"))
			continue;
		if (!strcmp(argv[i], "child"))
			do_child(argv);
		else if (!strcmp(argv[i], "error"))
			inquest_note("exception: ValueError: visible-error password=canary-error");
		else if (!strcmp(argv[i], "known"))
			for (int tries = 0; tries < 1200 && !is_known(); tries++)
				usleep(50000);
		else if (!strcmp(argv[i], "moved"))
			do_moved();
		else if (!strcmp(argv[i], "die"))
			*nowhere = 0;
		else if (!strcmp(argv[i], "abort"))
			abort();
		else
			for (;;)
				pause();
	}
	return 0;
}
