/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/survey/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "proc/survey/claims.h"

#define SLURM_OUTPUT_CAP (1024 * 1024)
#define SLURM_NOT_FOUND	 127

void slurm_parse_pids(const char *text, struct slurm_pids *into)
{
	const char *end;

	for (; *text; text = end) {
		char pid[16], job[16], step[16], local[16], global[16];

		if (sscanf(text, "%15s %15s %15s %15s %15s", pid, job, step, local, global) == 5 &&
			claims_number(pid) > 0 && claims_number(job) >= 0 &&
			claims_number(step) >= 0 && claims_number(global) >= 0) {
			struct slurm_pid *one = array_add(&into->all);

			one->pid = (uint32_t)claims_number(pid);
			one->local_id = claims_number(local);
			one->global_id = claims_number(global);
			snprintf(one->step, sizeof(one->step), "%s.%s", job, step);
		}
		end = strchr(text, '\n');
		end = end ? end + 1 : text + strlen(text);
	}
}

static void __attribute__((noreturn)) slurm_run(const char *job, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 2);
	}
	dup2(out, 1);
	execlp("scontrol", "scontrol", "listpids", job, (char *)NULL);
	_exit(SLURM_NOT_FOUND);
}

/* Reads until the end, or `until`. 0 or -errno. */
static int slurm_read(int fd, int64_t until, struct str *into)
{
	for (;;) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		int64_t left = until - clock_monotonic_ns();
		ssize_t got;

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&poll_fd, 1, (int)(left / CLOCK_NS_PER_MS) + 1) <= 0)
			continue;
		got = read(fd, str_room(into, 4096), 4096);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		str_grow(into, (size_t)got);
		if (into->len > SLURM_OUTPUT_CAP)
			return -EFBIG;
	}
}

/* Its end: waited for where it is over, killed where it is not. 0 or -errno. */
static int slurm_end(pid_t pid, int error)
{
	int status = 0;

	if (error)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (error)
		return error;
	if (WIFEXITED(status) && WEXITSTATUS(status) == SLURM_NOT_FOUND)
		return -ENOENT;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

int slurm_list_pids(const char *job, int deadline_ms, struct slurm_pids *into)
{
	int64_t until = clock_monotonic_ns() + deadline_ms * CLOCK_NS_PER_MS;
	struct str text = {0};
	int fds[2], error;
	pid_t pid;

	if (claims_number(job) < 0)
		return -EINVAL;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		slurm_run(job, fds[1]);
	close(fds[1]);
	error = pid < 0 ? -EAGAIN : slurm_end(pid, slurm_read(fds[0], until, &text));
	close(fds[0]);
	if (!error)
		slurm_parse_pids(str_text(&text), into);
	str_release(&text);
	return error;
}

void slurm_pids_release(struct slurm_pids *pids)
{
	if (pids)
		array_release(&pids->all);
}
