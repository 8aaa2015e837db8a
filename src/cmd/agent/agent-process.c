/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fds.h"

#define WATCHED_FDS 1024
/* When the signal goes out: after a twentieth of what a launcher gives a job to end. */
#define SIGNAL_MS 300
/*
 * How long is waited until files of the launch are there. Whatever keeps the agent, the command
 * then begins without it.
 */
#define BEGIN_MS 1000
#define END_MS   15000

/*
 * What a message is: READY and DONE by the agent, SIGNAL a question to it, TAKEN the answer, ENDED
 * the command's end.
 */
enum word { READY, SIGNAL, TAKEN, ENDED, DONE };

/* A message between wrapper and agent, sent in one piece. */
struct message {
	enum word word;
	unsigned number; /* of a question, and in its answer */
	int value;       /* a signal, or the wait status */
	int shell_status;
	struct proc_id child;
	int64_t until; /* when the signal goes out, CLOCK_MONOTONIC ns */
};

/* Sends a message. Returns false if the other end is gone, or its queue is full. */
static bool tell(int fd, const struct message *message)
{
	return send(fd, message, sizeof(*message), MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
}

/*
 * Takes the next message that comes within so many ms. Returns false if none does, or nobody is
 * there any more.
 */
static bool hear(int fd, struct message *message, int ms)
{
	struct pollfd set = {.fd = fd, .events = POLLIN};

	return poll(&set, 1, ms) > 0 &&
	       recv(fd, message, sizeof(*message), MSG_DONTWAIT) == (ssize_t)sizeof(*message);
}

/* --- The agent -------------------------------------------------------------------------------- */

/* Answers the question that comes before a signal, after the look. */
static void before_signal(struct agent *agent, int fd, const struct message *asked)
{
	struct message answer = {.word = TAKEN, .number = asked->number};

	agent_before_signal(agent, asked->value, asked->until);
	tell(fd, &answer);
}

/* Sleeps until something is to be done: a message, a request for stacks, an end. */
static void wait_for_news(struct agent *agent, int fd, int timeout_ms)
{
	struct pollfd fds[WATCHED_FDS];
	size_t nr = 0;
	bool look;

	fds[nr++] = (struct pollfd){.fd = fd, .events = POLLIN};
	if (agent->serve.fd >= 0 && !agent->serve.helper.pid)
		fds[nr++] = (struct pollfd){.fd = agent->serve.fd, .events = POLLIN};
	nr += exits_poll_set(&agent->exits, fds + nr, WATCHED_FDS - nr, &look);
	if (look && timeout_ms > 100)
		timeout_ms = 100;
	poll(fds, nr, timeout_ms);
}

/* Watches over the job until the command has ended, whose message is put into `end`. */
static void watch(struct agent *agent, int fd, struct message *end)
{
	for (;;) {
		while (hear(fd, end, 0)) {
			if (end->word == ENDED)
				return;
			if (end->word == SIGNAL)
				before_signal(agent, fd, end);
		}
		wait_for_news(agent, fd, agent_turn(agent));
	}
}

/* Runs the agent. Never returns. */
static void be_agent(int fd, pid_t wrapper, const struct agent_options *options, struct jobdir *dir)
{
	const int keep[] = {fd, dir->census_fd};
	const struct message ready = {.word = READY}, done = {.word = DONE};
	struct agent agent;
	struct message end;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_NAME, "inquest-agent", 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != wrapper)
		_exit(0);
	signal(SIGPIPE, SIG_IGN);
	fds_keep(keep, sizeof(keep) / sizeof(keep[0]));
	agent_begin(&agent, options, dir);
	tell(fd, &ready);
	jobdir_sweep(dir);
	watch(&agent, fd, &end);
	if (end.child.pid)
		agent_end(&agent, end.child, end.value, end.shell_status);
	else
		agent_never_began(&agent, end.shell_status);
	if (!end.child.pid) {
		jobdir_remove(dir);
	} else if (agent_may_remove(&agent)) {
		agent_fellows_remove(&agent);
		jobdir_remove(dir);
	}
	agent_release(&agent);
	jobdir_release(dir);
	tell(fd, &done);
	_exit(0);
}

/* --- The wrapper ------------------------------------------------------------------------------ */

int agent_process_start(struct agent_process *process, const struct agent_options *options,
	struct jobdir *dir, struct complaint *why)
{
	pid_t us = getpid();
	struct message ready;
	int ends[2];

	*process = (struct agent_process){.fd = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return complaint_errno(why, errno, "cannot make a socket");
	process->pid = fork();
	if (process->pid == 0)
		be_agent(ends[1], us, options, dir);
	close(ends[1]);
	if (process->pid < 0) {
		int err = errno;

		process->pid = 0;
		close(ends[0]);
		return complaint_errno(why, err, "cannot start the agent");
	}
	process->fd = ends[0];
	jobdir_release(dir);
	hear(process->fd, &ready, BEGIN_MS);
	return 0;
}

void agent_process_before_signal(struct agent_process *process, int signo)
{
	struct message question = {.word = SIGNAL,
		.number = ++process->asked,
		.value = signo,
		.until = clock_monotonic_ns() + SIGNAL_MS * CLOCK_NS_PER_MS};
	struct message answer = {.number = 0};

	if (process->fd < 0 || !tell(process->fd, &question))
		return;
	/* Late answers to earlier questions are passed over. */
	while (hear(process->fd, &answer, clock_ms_until(question.until)))
		if (answer.word == TAKEN && answer.number == question.number)
			return;
}

/* Waits for the process' end until that time. Returns whether it came. */
static bool is_reaped(pid_t pid, int64_t until)
{
	const struct timespec moment = {.tv_nsec = CLOCK_NS_PER_MS};

	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (clock_monotonic_ns() > until)
			return false;
		nanosleep(&moment, NULL);
	}
	return true;
}

void agent_process_end(
	struct agent_process *process, struct proc_id child, int wait_status, int shell_status)
{
	struct message end = {
		.word = ENDED, .value = wait_status, .shell_status = shell_status, .child = child};
	int64_t until = clock_monotonic_ns() + END_MS * CLOCK_NS_PER_MS;
	struct message said = {.word = READY};

	if (!process->pid)
		return;
	if (process->fd >= 0 && tell(process->fd, &end))
		while (said.word != DONE && hear(process->fd, &said, clock_ms_until(until)))
			;
	/*
	 * An agent that waits for a disk is not gone when it is killed, but nobody needs to wait
	 * for it.
	 */
	if (said.word != DONE || !is_reaped(process->pid, until)) {
		kill(process->pid, SIGKILL);
		is_reaped(process->pid, clock_monotonic_ns() + 100 * CLOCK_NS_PER_MS);
	}
	if (process->fd >= 0)
		close(process->fd);
	*process = (struct agent_process){.fd = -1};
}

bool agent_process_failed(struct agent_process *process)
{
	char byte;

	if (process->fd < 0 || recv(process->fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) != 0)
		return false;
	close(process->fd);
	process->fd = -1;
	return true;
}
