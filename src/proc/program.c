/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/program.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/helper.h"

#define PROGRAM_PIECE 4096 /* bytes of one read */

/* Becomes the program, in a process that ends when the helper ends. */
static void become(pid_t helper, int out, const struct program *program)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != helper)
		_exit(PROGRAM_NOT_FOUND);
	for (const char *const *env = program->env; env && *env; env++)
		putenv((char *)*env);
	dup2(out, STDOUT_FILENO);
	execvp(program->argv[0], (char *const *)program->argv);
	_exit(PROGRAM_NOT_FOUND);
}

/*
 * Runs the program and ends as it ends. This runs in the helper, which has the program as a child
 * and does not become it: one that cannot end (a driver that does not answer) would be left behind
 * under a name that helper.c does not know, and be a zombie of ours for ever. As a child of the
 * helper it is init's then.
 */
static void supervise(int out, void *arg)
{
	pid_t us = getpid(), child = fork();
	int status = 0;

	if (child == 0)
		become(us, out, arg);
	if (child < 0)
		_exit(PROGRAM_NOT_FOUND);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		raise(SIGKILL);
	_exit(WEXITSTATUS(status));
}

/*
 * Reads up to the end, or to `until` (monotonic ns). Returns 0 or -errno; -EFBIG beyond `most`
 * bytes.
 */
static int read_all(int fd, int64_t until, size_t most, struct str *ret)
{
	size_t before = ret->len;

	for (;;) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		int left = clock_ms_until(until);
		ssize_t got;

		if (!left)
			return -ETIMEDOUT;
		if (poll(&poll_fd, 1, left) <= 0)
			continue;
		got = read(fd, str_room(ret, PROGRAM_PIECE), PROGRAM_PIECE);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		str_grow(ret, (size_t)got);
		if (ret->len - before > most)
			return -EFBIG;
	}
}

/* Returns the status of a helper that prints nothing more, once it has ended. */
static int status_of(struct helper *helper, int64_t until)
{
	int status = 0;

	while (!helper_is_over(helper, INT64_MAX, NULL, &status)) {
		if (clock_monotonic_ns() > until)
			return -ETIMEDOUT;
		usleep(500);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EIO;
}

int program_read(const struct program *program, int deadline_ms, size_t most, struct str *ret)
{
	int64_t until = clock_monotonic_ns() + deadline_ms * CLOCK_NS_PER_MS;
	struct helper helper;
	int status = helper_start(&helper, supervise, (void *)program);

	if (status)
		return status;
	status = read_all(helper.fd, until, most, ret);
	if (!status)
		status = status_of(&helper, until);
	helper_end(&helper);
	return status;
}

bool program_is_here(const char *name)
{
	struct str path = {0};
	bool found = false;

	for (const char *at = getenv("PATH"); at && *at && !found; at += *at == ':') {
		size_t len = strcspn(at, ":");

		str_printf(&path, "%.*s/%s", (int)len, at, name);
		found = access(str_text(&path), X_OK) == 0;
		str_cut(&path, 0);
		at += len;
	}
	str_release(&path);
	return found;
}
