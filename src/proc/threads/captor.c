/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/threads/captor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/survey/leftover.h"

#define CAPTOR_PIPE	(1 << 20)
#define CAPTOR_REAP_MS	50
#define CAPTOR_MESSAGE	(1ull << 30) /* bytes; more is no message */
#define CAPTOR_LAST_FDS 1024	     /* closed one by one where close_range() is not to be had */

/* A length that says: no more. */
#define CAPTOR_DONE UINT64_MAX

static bool captor_write(int out, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t put = write(out, at, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		at += put;
		size -= (size_t)put;
	}
	return true;
}

bool captor_send(int out, const void *head, size_t head_len, const void *body, size_t body_len)
{
	uint64_t len = head_len + body_len;

	return captor_write(out, &len, sizeof(len)) && captor_write(out, head, head_len) &&
	       captor_write(out, body, body_len);
}

/* Leaves nothing open but `out`, which becomes descriptor 3. */
static void captor_close_all(int out)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3; fd++)
		(void)dup2(null, fd);
	(void)dup2(out, 3);
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 4, ~0u, 0) == 0)
		return;
#endif
	for (int fd = 4; fd < CAPTOR_LAST_FDS; fd++)
		close(fd);
}

static void captor_forget_signals(void)
{
	static const int ours[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD, SIGALRM,
		SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		signal(ours[i], SIG_DFL);
}

static void __attribute__((noreturn)) captor_serve(
	int out, void (*work)(int out, void *arg), void *arg)
{
	const uint64_t done = CAPTOR_DONE;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	leftover_name();
	captor_forget_signals();
	captor_close_all(out);
	work(3, arg);
	(void)captor_write(3, &done, sizeof(done));
	_exit(0);
}

int captor_start(struct captor *captor, void (*work)(int out, void *arg), void *arg)
{
	int fds[2], error;

	*captor = (struct captor){.fd = -1};
	leftover_reap();
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	(void)fcntl(fds[1], F_SETPIPE_SZ, CAPTOR_PIPE);
	captor->pid = fork();
	if (captor->pid == 0) {
		close(fds[0]);
		captor_serve(fds[1], work, arg);
	}
	error = captor->pid < 0 ? -errno : 0;
	close(fds[1]);
	if (error) {
		close(fds[0]);
		captor->pid = 0;
		return error;
	}
	captor->fd = fds[0];
	return 0;
}

/* Reads size bytes before `until`. 0 or -errno. */
static int captor_read(const struct captor *captor, void *into, size_t size, int64_t until)
{
	char *at = into;

	while (size) {
		struct pollfd poll_fd = {.fd = captor->fd, .events = POLLIN};
		int64_t left = until - clock_monotonic_ns();
		ssize_t got;

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&poll_fd, 1, (int)(left / CLOCK_NS_PER_MS) + 1) <= 0)
			continue;
		got = read(captor->fd, at, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EPIPE;
		at += got;
		size -= (size_t)got;
	}
	return 0;
}

int captor_receive(struct captor *captor, int64_t until, struct str *ret)
{
	uint64_t len;
	int error = captor_read(captor, &len, sizeof(len), until);

	str_cut(ret, 0);
	if (error)
		return error;
	if (len == CAPTOR_DONE)
		return 0;
	if (len > CAPTOR_MESSAGE)
		return -EPIPE;
	error = captor_read(captor, str_room(ret, len + 1), len, until);
	if (error)
		return error;
	str_grow(ret, len);
	return 1;
}

void captor_end(struct captor *captor)
{
	int64_t until = clock_monotonic_ns() + CAPTOR_REAP_MS * CLOCK_NS_PER_MS;

	if (!captor->pid)
		return;
	close(captor->fd);
	kill(captor->pid, SIGKILL);
	while (waitpid(captor->pid, NULL, WNOHANG) == 0) {
		if (clock_monotonic_ns() >= until) {
			leftover_leave(captor->pid);
			break;
		}
		usleep(200);
	}
	captor->pid = 0;
	captor->fd = -1;
}
