/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The helper answers on a pipe: a header per errand, then its bytes. It allocates nothing (its
 * buffer exists before the fork) and touches nothing of ours, so that killing it at any moment, or
 * leaving it behind in the kernel, has no effect but the loss of the answer it owed.
 */
#include "proc/errand.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "proc/survey/leftover.h"

#define ERRAND_STRIKES 5 /* helpers lost before the rest is given up */
#define ERRAND_REAP_MS 50

struct answer {
	int32_t error;
	uint32_t pad;
	uint64_t dev;
	uint64_t ino;
	uint64_t len;
};

struct helper {
	pid_t pid;
	int fd; /* our end of the pipe */
};

static int errand_put(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t put = write(fd, at, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return -1;
		at += put;
		size -= (size_t)put;
	}
	return 0;
}

/* Reads up to cap bytes from offset; returns how many, or -errno. */
static ssize_t errand_fill(int fd, char *buffer, size_t cap)
{
	size_t len = 0;

	while (len < cap) {
		ssize_t got = read(fd, buffer + len, cap - len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		len += (size_t)got;
	}
	return (ssize_t)len;
}

static void errand_path(const struct proc_errand *errand, char path[static PATH_MAX])
{
	if (errand->pid)
		snprintf(path, PATH_MAX, "/proc/%u/%s", errand->pid, errand->name);
	else
		snprintf(path, PATH_MAX, "%s", errand->name);
}

/* Does one errand into buffer; everything in here may block for ever. Returns the length. */
static size_t errand_do(const struct proc_errand *errand, char *buffer, struct answer *answer)
{
	char path[PATH_MAX];
	struct stat st;
	ssize_t len;
	int fd;

	errand_path(errand, path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		answer->error = errno;
		return 0;
	}
	if (fstat(fd, &st) < 0) {
		answer->error = errno;
	} else if (!S_ISREG(st.st_mode)) {
		answer->error = EINVAL;
	} else if (!errand->pid && st.st_uid != errand->owner) {
		answer->error = EPERM;
	} else {
		answer->dev = st.st_dev;
		answer->ino = st.st_ino;
		if (errand->what == PROC_ERRAND_TAIL && st.st_size > (off_t)errand->cap)
			(void)lseek(fd, st.st_size - (off_t)errand->cap, SEEK_SET);
		len = errand_fill(fd, buffer, errand->cap);
		answer->error = len < 0 ? (int)-len : 0;
		answer->len = len < 0 ? 0 : (uint64_t)len;
	}
	close(fd);
	return answer->len;
}

/* Opening what is no regular file may have effects of its own: a TTY's or FIFO's. */
static bool errand_is_safe(const struct proc_errand *errand)
{
	char path[PATH_MAX];
	struct stat st;

	if (errand->what != PROC_ERRAND_TAIL)
		return true;
	errand_path(errand, path);
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void __attribute__((noreturn)) errand_serve(
	const struct proc_errand *errands, size_t nr, int out, char *buffer)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	leftover_name();
	signal(SIGPIPE, SIG_DFL);
	for (size_t i = 0; i < nr; i++) {
		struct answer answer = {.error = EINVAL};
		size_t len = 0;

		if (errand_is_safe(&errands[i])) {
			answer.error = 0;
			len = errand_do(&errands[i], buffer, &answer);
		}
		if (errand_put(out, &answer, sizeof(answer)) || errand_put(out, buffer, len))
			break;
	}
	_exit(0);
}

/* Starts a helper for these errands. Returns 0 or an errno. */
static int helper_start(struct helper *helper, const struct proc_errand *errands, size_t nr,
	char *buffer)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return errno;
	helper->pid = fork();
	if (helper->pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return EAGAIN;
	}
	if (helper->pid == 0) {
		close(fds[0]);
		errand_serve(errands, nr, fds[1], buffer);
	}
	close(fds[1]);
	helper->fd = fds[0];
	return 0;
}

/* Ends a helper. One in uninterruptible sleep dies when the kernel lets it; we do not wait. */
static void helper_end(struct helper *helper)
{
	int64_t until = clock_monotonic_ns() + ERRAND_REAP_MS * CLOCK_NS_PER_MS;

	close(helper->fd);
	kill(helper->pid, SIGKILL);
	while (waitpid(helper->pid, NULL, WNOHANG) == 0) {
		if (clock_monotonic_ns() >= until) {
			leftover_leave(helper->pid);
			return;
		}
		usleep(200);
	}
}

/* Reads size bytes before `until`. Returns 0 or an errno. */
static int helper_take(const struct helper *helper, void *into, size_t size, int64_t until)
{
	char *at = into;

	while (size) {
		struct pollfd poll_fd = {.fd = helper->fd, .events = POLLIN};
		int64_t left = until - clock_monotonic_ns();
		ssize_t got;

		if (left <= 0)
			return ETIMEDOUT;
		if (poll(&poll_fd, 1, (int)(left / CLOCK_NS_PER_MS) + 1) <= 0)
			continue;
		got = read(helper->fd, at, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return EPIPE;
		at += got;
		size -= (size_t)got;
	}
	return 0;
}

/* Waits for the answer to one errand. Returns 0 (the errand may still have its own error). */
static int errand_await(struct proc_errand *errand, const struct helper *helper, int deadline_ms)
{
	int64_t until = clock_monotonic_ns() + deadline_ms * CLOCK_NS_PER_MS;
	struct answer answer;
	int error = helper_take(helper, &answer, sizeof(answer), until);

	if (!error && answer.len <= errand->cap) {
		error = helper_take(
			helper, str_room(&errand->bytes, answer.len + 1), answer.len, until);
		if (!error)
			str_grow(&errand->bytes, answer.len);
	}
	errand->error = error ? error : answer.error;
	if (!error) {
		errand->dev = answer.dev;
		errand->ino = answer.ino;
	}
	return error;
}

void proc_errands_run(struct proc_errand *errands, size_t nr, int deadline_ms)
{
	size_t done = 0, cap = 1;
	char *buffer;

	for (size_t i = 0; i < nr; i++) {
		errands[i].error = ETIMEDOUT;
		if (errands[i].cap > cap)
			cap = errands[i].cap;
	}
	leftover_reap();
	buffer = alloc_zeroed(1, cap);
	for (int strikes = 0; done < nr && strikes < ERRAND_STRIKES; strikes++) {
		struct helper helper = {.fd = -1, .pid = -1};

		if (helper_start(&helper, errands + done, nr - done, buffer))
			break;
		while (done < nr && errand_await(&errands[done++], &helper, deadline_ms) == 0)
			;
		helper_end(&helper);
	}
	free(buffer);
}
