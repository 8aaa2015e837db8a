/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message is a length and so many bytes; the length HELPER_DONE says that the work is done.
 *
 * A helper that was killed and does not end at once (a thread in uninterruptible sleep, a machine
 * that has no time for it) is left behind in a process group of its own. By its name and its group
 * the next start knows it, and waits for it if it has ended: else a long-lived agent would collect
 * zombies for ever. Therefore a helper becomes no other program, which would have another name, and
 * cannot be given a group: it has the program below it (program.c), or outlives us as nobody's
 * child (helper_outlive()).
 */
#include "proc/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fds.h"
#include "base/file.h"

#define HELPER_NAME	"inquest-helper" /* as /proc/PID/comm shows it */
#define HELPER_PIPE	(1 << 20) /* bytes that the pipe is asked to hold */
#define HELPER_REAP_MS	50 /* how long helper_end() waits for a killed helper */
#define HELPER_MESSAGE	(1ull << 30) /* bytes; a longer one is no message */
#define HELPER_DONE	UINT64_MAX
#define HELPER_CHILDREN (64 << 10) /* bytes of the list of our children */

/* --- In the helper ---------------------------------------------------------------------------- */

/* Moves on in the parts by `put` bytes that were written. */
static void parts_skip(struct iovec *parts, size_t nr, size_t put)
{
	for (size_t i = 0; i < nr && put; i++) {
		size_t step = put < parts[i].iov_len ? put : parts[i].iov_len;

		parts[i].iov_base = (char *)parts[i].iov_base + step;
		parts[i].iov_len -= step;
		put -= step;
	}
}

bool helper_send(int out, const void *head, size_t head_len, const void *body, size_t body_len)
{
	uint64_t len = head_len + body_len;
	struct iovec parts[] = {
		{&len, sizeof(len)}, {(void *)head, head_len}, {(void *)body, body_len}};

	while (parts[0].iov_len || parts[1].iov_len || parts[2].iov_len) {
		ssize_t put = writev(out, parts, 3);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		parts_skip(parts, 3, (size_t)put);
	}
	return true;
}

void helper_outlive(const char *name)
{
	prctl(PR_SET_PDEATHSIG, 0);
	prctl(PR_SET_NAME, name, 0, 0, 0);
}

/* Gives all signals that we handle their default action. */
static void forget_handlers(void)
{
	static const int ours[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD, SIGALRM,
		SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT};

	/*
	 * What is ignored (nohup) stays so: it would end the helper, and not us, who wait for its
	 * answer.
	 */
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (signal(ours[i], SIG_DFL) == SIG_IGN && ours[i] != SIGPIPE && ours[i] != SIGCHLD)
			signal(ours[i], SIG_IGN);
}

/* Does the work, with no descriptor but `out`, and ends. Runs in the helper. */
static void __attribute__((noreturn)) serve(
	pid_t parent, int out, bool messages, helper_work work, void *arg)
{
	const uint64_t done = HELPER_DONE;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	prctl(PR_SET_NAME, HELPER_NAME, 0, 0, 0);
	forget_handlers();
	if (out <= STDERR_FILENO)
		out = fcntl(out, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	fds_keep(&out, 1);
	fds_silence();
	work(out, arg);
	if (messages)
		(void)!write(out, &done, sizeof(done));
	_exit(0);
}

/* --- Those left behind ------------------------------------------------------------------------ */

/* True if a child is a helper that was left behind. */
static bool is_left(pid_t pid)
{
	struct str comm = {0};
	char path[32];
	bool is;

	if (getpgid(pid) != pid)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	is = file_read(path, sizeof(HELPER_NAME) + 1, &comm, NULL) == 0 &&
	     !strcmp(str_text(&comm), HELPER_NAME "\n");
	str_release(&comm);
	return is;
}

/* Waits for helpers that this thread left behind and that have ended meanwhile. */
static void reap_left(void)
{
	struct str children = {0};

	if (file_read("/proc/thread-self/children", HELPER_CHILDREN, &children, NULL) == 0) {
		char *at = children.text, *end;

		for (long pid; at && (pid = strtol(at, &end, 10)) > 0; at = end)
			if (is_left((pid_t)pid))
				waitpid((pid_t)pid, NULL, WNOHANG);
	}
	str_release(&children);
}

/* --- Who asks --------------------------------------------------------------------------------- */

/* Starts a helper that answers into `out`. Returns 0 or -errno. */
static int start(struct helper *helper, int out, bool messages, helper_work work, void *arg)
{
	pid_t us = getpid();

	*helper = (struct helper){.fd = -1, .begun = clock_monotonic_ns()};
	reap_left();
	helper->pid = fork();
	if (helper->pid == 0)
		serve(us, out, messages, work, arg);
	if (helper->pid < 0) {
		helper->pid = 0;
		return -errno;
	}
	return 0;
}

int helper_start_into(struct helper *helper, int out, helper_work work, void *arg)
{
	return start(helper, out, false, work, arg);
}

int helper_start(struct helper *helper, helper_work work, void *arg)
{
	int ends[2], error;

	*helper = (struct helper){.fd = -1};
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	(void)fcntl(ends[1], F_SETPIPE_SZ, HELPER_PIPE);
	error = start(helper, ends[1], true, work, arg);
	close(ends[1]);
	if (error)
		close(ends[0]);
	else
		helper->fd = ends[0];
	return error;
}

/* Reads `size` bytes from the helper's pipe before `until`. Returns 0, -ETIMEDOUT or -EPIPE. */
static int receive(const struct helper *helper, void *into, size_t size, int64_t until)
{
	char *at = into;

	while (size) {
		struct pollfd poll_fd = {.fd = helper->fd, .events = POLLIN};
		int left = clock_ms_until(until);
		ssize_t got;

		if (!left)
			return -ETIMEDOUT;
		if (poll(&poll_fd, 1, left) <= 0)
			continue;
		got = read(helper->fd, at, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EPIPE;
		at += got;
		size -= (size_t)got;
	}
	return 0;
}

int helper_receive(struct helper *helper, int64_t until, struct str *ret)
{
	uint64_t len;
	int error = receive(helper, &len, sizeof(len), until);

	str_cut(ret, 0);
	if (error)
		return error;
	if (len == HELPER_DONE)
		return 0;
	if (len > HELPER_MESSAGE)
		return -EPIPE;
	error = receive(helper, str_room(ret, len + 1), len, until);
	if (error)
		return error;
	str_grow(ret, len);
	return 1;
}

/* Closes our end and leaves {no helper}. */
static void forget(struct helper *helper)
{
	if (helper->fd >= 0)
		close(helper->fd);
	helper->pid = 0;
	helper->fd = -1;
}

static int64_t time_ns(struct timeval time)
{
	return time.tv_sec * CLOCK_NS_PER_S + time.tv_usec * 1000;
}

bool helper_is_over(struct helper *helper, int64_t most, int64_t *ret_cost, int *ret_status)
{
	struct rusage used = {0};
	int status = 0;
	pid_t over;

	if (!helper->pid)
		return true;
	if (clock_monotonic_ns() - helper->begun > most)
		kill(helper->pid, SIGKILL);
	over = wait4(helper->pid, &status, WNOHANG, &used);
	if (over == 0)
		return false;
	/*
	 * Somebody else has reaped it (SIGCHLD is ignored). How it ended is not known, so it counts
	 * as ended badly.
	 */
	if (over < 0)
		status = SIGKILL;
	if (ret_cost)
		*ret_cost = time_ns(used.ru_utime) + time_ns(used.ru_stime);
	if (ret_status)
		*ret_status = status;
	forget(helper);
	return true;
}

void helper_end(struct helper *helper)
{
	int64_t until = clock_monotonic_ns() + HELPER_REAP_MS * CLOCK_NS_PER_MS;

	if (!helper->pid)
		return;
	kill(helper->pid, SIGKILL);
	while (waitpid(helper->pid, NULL, WNOHANG) == 0) {
		if (clock_monotonic_ns() >= until) {
			(void)setpgid(helper->pid, helper->pid);
			break;
		}
		usleep(200);
	}
	forget(helper);
}

void helper_let_go(struct helper *helper)
{
	if (!helper->pid)
		return;
	waitpid(helper->pid, NULL, WNOHANG);
	forget(helper);
}
