/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Runs one test: tests/run-one TEST [ARGUMENT...]
 *
 * A test that hangs must not hang the suite, and this house's tests start jobs that hang on
 * purpose. So the test gets a deadline (TEST_TIMEOUT seconds, else 300) and, being a subreaper, we
 * inherit whatever it leaves behind, also what went into a session of its own: all of it is killed
 * before we give back the test's status. Leftovers are named, since a test should end what it
 * starts; they alone do not fail it. Tests crash on purpose, too: they write no core files unless
 * they raise the limit themselves. The last line of a test that failed is what repeats it.
 */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The parent of a process and its name; 0 if it is gone. */
static long parent_of(const char *pid, char name[static 32])
{
	char path[300], state;
	long parent = 0;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	stat = fopen(path, "re");
	if (!stat)
		return 0;
	if (fscanf(stat, "%*d (%31[^)]) %c %ld", name, &state, &parent) != 3 || state == 'Z')
		parent = 0;
	fclose(stat);
	return parent;
}

/* Kills each of our children (the test, or what we inherited). Returns how many there were. */
static int kill_children(const char *why)
{
	DIR *list = opendir("/proc");
	struct dirent *entry;
	int killed = 0;

	while (list && (entry = readdir(list))) {
		char name[32];

		if (!isdigit((unsigned char)entry->d_name[0]) ||
			parent_of(entry->d_name, name) != getpid())
			continue;
		fprintf(stderr, "run-one: %s: killing %s (pid %s)\n", why, name, entry->d_name);
		kill((pid_t)atol(entry->d_name), SIGKILL);
		killed++;
	}
	if (list)
		closedir(list);
	return killed;
}

/* Kills generation after generation: a killed child's children become ours. */
static void end_everything(const char *why)
{
	for (;;) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (!kill_children(why))
			return;
		if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD)
			return;
	}
}

static pid_t start(char **argv, const sigset_t *signals)
{
	pid_t pid = fork();
	struct rlimit core;

	if (pid)
		return pid;
	setpgid(0, 0);
	if (getrlimit(RLIMIT_CORE, &core) == 0) {
		core.rlim_cur = 0;
		setrlimit(RLIMIT_CORE, &core);
	}
	sigprocmask(SIG_UNBLOCK, signals, NULL);
	/* Background jobs ignore these, the last under nohup: who sends them would see nothing. */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	execvp(argv[0], argv);
	fprintf(stderr, "run-one: cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(99);
}

/* Waits for the test to end, for the deadline or for a signal to us. Returns an exit status. */
static int wait_for(pid_t pid, int signals_fd, long timeout_s)
{
	struct pollfd watch = {.fd = signals_fd, .events = POLLIN};
	long deadline = now_ms() + timeout_s * 1000;

	for (;;) {
		struct signalfd_siginfo info;
		long left = deadline - now_ms();
		int status;
		pid_t ended;

		while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
			if (ended == pid)
				return WIFEXITED(status) ? WEXITSTATUS(status)
							 : 128 + WTERMSIG(status);
		if (left <= 0) {
			fprintf(stderr, "run-one: still running after %ld s\n", timeout_s);
			return 124;
		}
		if (poll(&watch, 1, left < 60000 ? (int)left : 60000) <= 0)
			continue;
		if (read(signals_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
			continue;
		if (info.ssi_signo != SIGCHLD)
			return 128 + (int)info.ssi_signo;
	}
}

/* The line that repeats a test that failed: whoever reads its log need not look for it. */
static void say_how_to_repeat(const char *test)
{
	const char *build = getenv("top_builddir"), *source = getenv("srcdir");
	size_t len = source ? strlen(source) : 0;

	if (len && !strncmp(test, source, len) && test[len] == '/')
		test += len + 1;
	while (!strncmp(test, "./", 2) || !strncmp(test, "../", 3))
		test = strchr(test, '/') + 1;
	fprintf(stderr, "run-one: to repeat it: make -C %s check TESTS=%s\n",
		build ? build : ".", test);
}

int main(int argc, char **argv)
{
	const char *timeout = getenv("TEST_TIMEOUT");
	sigset_t signals;
	int signals_fd, status;
	pid_t pid;

	if (argc < 2) {
		fputs("usage: run-one TEST [ARGUMENT...]\n", stderr);
		return 99;
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signals_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	if (signals_fd < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) {
		perror("run-one");
		return 99;
	}
	pid = start(argv + 1, &signals);
	if (pid < 0) {
		perror("run-one: fork");
		return 99;
	}
	status = wait_for(pid, signals_fd, timeout && atol(timeout) > 0 ? atol(timeout) : 300);
	end_everything(status == 124 ? "too late" : "left over");
	if (status && status != 77)
		say_how_to_repeat(argv[1]);
	return status;
}
