/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each launcher is a session of its own: it can ask nobody for a password, and all that it has
 * started ends with it. What it says last on its standard error is why it failed.
 */
#include "cmd/reach/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/reach/answers.h"
#include "cmd/reach/collect-words.h"
#include "cmd/reach/script.h"

#define SAID_MOST 4096                    /* of a launcher's standard error: its end */
#define READS_MOST 1024 /* of 64 KiB each */
#define GRACE_NS   (200 * CLOCK_NS_PER_MS) /* from TERM to KILL */

/* A run of all launchers. */
struct run {
	struct collect *collect;
	struct script_program program; /* what is sent to nodes that have no inquest */
	struct progress progress;
};

/* -- One launcher ----------------------------------------------------------------------------- */

/* Becomes the launcher, in the child, with these as its standard streams. Does not return. */
static void become(const struct collect_node *node, const int fds[3])
{
	for (int i = 0; i < 3; i++)
		if (dup2(fds[i], i) < 0)
			_exit(126);
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGPIPE, SIG_DFL);
	execvp(node->argv[0], node->argv);
	dprintf(2, "cannot run %s: %s\n", node->argv[0], strerror(errno));
	_exit(127);
}

/* Closes *fd if it is open, and sets it to -1. */
static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Starts a node's launcher. Where that fails the node lacks. */
static void start(struct run *run, struct collect_node *node)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};

	node->frames.meter = run->collect->meter;
	node->until = clock_monotonic_ns() + run->collect->deadline_ms * CLOCK_NS_PER_MS;
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		node->pid = -1;
	else
		node->pid = fork();
	if (node->pid == 0)
		become(node, (const int[]){in[0], out[1], err[1]});
	close_fd(&in[0]);
	close_fd(&out[1]);
	close_fd(&err[1]);
	node->in = in[1];
	node->out = out[0];
	node->err = err[0];
	if (node->pid < 0) {
		answer_lacks(node, "no process or pipe for it here: %s", strerror(errno));
		return;
	}
	fcntl(node->in, F_SETFL, O_NONBLOCK);
	fcntl(node->out, F_SETFL, O_NONBLOCK);
	fcntl(node->err, F_SETFL, O_NONBLOCK);
	if (node->whole)
		close_fd(&node->in);
	else
		script_add(&node->input, run->collect, &run->program);
}

/* True while its launcher runs and its time is not over. */
static bool is_at_work(const struct collect_node *node)
{
	return node->pid > 0;
}

/*
 * Tells the launcher, and all that it started here, to end; reap() sees to it. Its answer is
 * closed: what it has done is known.
 */
static void end(struct collect_node *node)
{
	close_fd(&node->in);
	close_fd(&node->out);
	close_fd(&node->err);
	if (node->pid <= 0)
		return;
	kill(-node->pid, SIGTERM);
	kill(node->pid, SIGTERM);
	node->ending = node->pid;
	node->kill_at = clock_monotonic_ns() + GRACE_NS;
	node->pid = 0;
}

/*
 * Reaps a launcher that was told to end, by force once the grace is over. What is left in its
 * session ends with it: until it is reaped no other process has that number.
 */
static void reap(struct collect_node *node)
{
	siginfo_t info = {0};
	bool over;

	if (!node->ending)
		return;
	over = waitid(P_PID, (id_t)node->ending, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       info.si_pid;
	if (over || clock_monotonic_ns() >= node->kill_at) {
		kill(-node->ending, SIGKILL);
		kill(node->ending, SIGKILL);
	}
	if (over) {
		waitpid(node->ending, NULL, WNOHANG);
		node->ending = 0;
	}
}

/* Reaps those that have ended. True while some of those told to end have not. */
static bool reap_all(const struct collect *collect)
{
	struct collect_node *node;
	bool left = false;

	array_for_each (&collect->nodes, node) {
		reap(node);
		left = left || node->ending;
	}
	return left;
}

/*
 * Waits for those that were told to end, for all of them at once; one that is stuck in the kernel
 * stays there.
 */
static void end_all(const struct collect *collect)
{
	const struct timespec moment = {0, 5 * CLOCK_NS_PER_MS};
	int64_t until = clock_monotonic_ns() + 2 * GRACE_NS;

	while (reap_all(collect) && clock_monotonic_ns() < until)
		nanosleep(&moment, NULL);
}

/* True once the launcher has ended; its status then stands in *ret. */
static bool is_over(struct collect_node *node, int *ret)
{
	if (waitpid(node->pid, ret, WNOHANG) <= 0)
		return false;
	node->pid = 0;
	return true;
}

/* -- What goes to and fro --------------------------------------------------------------------- */

/* Sends what its input takes now. A launcher that reads no more gets no more. */
static void send_some(struct run *run, struct collect_node *node)
{
	const struct str *from = node->streamed ? &run->program.bytes : &node->input;
	ssize_t n = write(node->in, from->text + node->sent, from->len - node->sent);

	if (n > 0)
		node->sent += (size_t)n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		close_fd(&node->in);
}

/* True if there is something to send, of the script or, once asked for, of our program. */
static bool has_to_send(const struct run *run, const struct collect_node *node)
{
	return node->in >= 0 &&
	       node->sent < (node->streamed ? run->program.bytes.len : node->input.len);
}

/* Begins to send our program if the node asks for it: for that once, and no other. */
static void heed_want(struct run *run, struct collect_node *node)
{
	if (!node->frames.wanted || node->streamed)
		return;
	if (node->frames.wanted != run->program.bytes.len) {
		str_add(&node->frames.wrong, "it asks for a program that we do not have");
		return;
	}
	node->streamed = true;
	node->sent = 0;
}

/* Takes what has come on the launcher's standard output. */
static void hear(struct run *run, struct collect_node *node)
{
	char bytes[65536];
	ssize_t n = read(node->out, bytes, sizeof(bytes));

	if (n > 0) {
		frames_take(&node->frames, bytes, (size_t)n);
		heed_want(run, node);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		close_fd(&node->out);
	}
}

/* Takes what has come on its standard error, of which the end is kept. */
static void hear_errors(struct collect_node *node)
{
	char bytes[4096];
	ssize_t n = read(node->err, bytes, sizeof(bytes));

	if (n > 0) {
		str_add_bytes(&node->said, bytes, (size_t)n);
		if (node->said.len > 2 * SAID_MOST) {
			memmove(node->said.text, node->said.text + node->said.len - SAID_MOST,
				SAID_MOST);
			str_cut(&node->said, SAID_MOST);
		}
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		close_fd(&node->err);
	}
}

/* Takes what has come but was not read: bytes that came in time count, whenever we read them. */
static void hear_rest(struct run *run, struct collect_node *node)
{
	for (int n = 0; n < READS_MOST && node->out >= 0 && !node->frames.done; n++) {
		struct pollfd one = {node->out, POLLIN, 0};

		if (node->frames.wrong.len || poll(&one, 1, 0) <= 0)
			return;
		hear(run, node);
	}
}

/* Ends a node that has said all, cannot be believed, has ended, or has had its time. */
static void look_after(struct run *run, struct collect_node *node)
{
	bool late = clock_monotonic_ns() >= node->until;
	int status = 0;

	if (late)
		hear_rest(run, node);
	if (node->frames.wrong.len || node->frames.done || late) {
		end(node);
		answer_settle(node, late && !node->frames.done, -1, run->collect->deadline_ms);
	} else if (node->out < 0 && is_over(node, &status)) {
		while (node->err >= 0) {
			int before = (int)node->said.len;

			hear_errors(node);
			if (before == (int)node->said.len)
				close_fd(&node->err);
		}
		end(node);
		answer_settle(node, false, status, run->collect->deadline_ms);
	}
}

/* Waits up to 20 ms for the launchers at work, and looks after each. */
static void poll_all(struct run *run)
{
	struct collect *collect = run->collect;
	struct pollfd polls[3 * COLLECT_AT_ONCE];
	struct collect_node *whose[COLLECT_AT_ONCE], *node;
	size_t n = 0;

	array_for_each (&collect->nodes, node) {
		if (!is_at_work(node))
			continue;
		polls[3 * n] = (struct pollfd){has_to_send(run, node) ? node->in : -1, POLLOUT, 0};
		polls[3 * n + 1] = (struct pollfd){node->out, POLLIN, 0};
		polls[3 * n + 2] = (struct pollfd){node->err, POLLIN, 0};
		whose[n++] = node;
	}
	/* A launcher that has ended wakes nobody once its pipes are closed. */
	poll(polls, 3 * n, 20);
	for (size_t i = 0; i < n; i++) {
		if (polls[3 * i].revents)
			send_some(run, whose[i]);
		if (polls[3 * i + 1].revents)
			hear(run, whose[i]);
		if (polls[3 * i + 2].revents)
			hear_errors(whose[i]);
		look_after(run, whose[i]);
	}
}

/* -- All of them ------------------------------------------------------------------------------ */

/* Returns the next node that waits for its launcher; NULL: none does. */
static struct collect_node *next_waiting(const struct collect *collect)
{
	struct collect_node *node;

	array_for_each (&collect->nodes, node)
		if (node->state == COLLECT_WAITING && !is_at_work(node))
			return node;
	return NULL;
}

/* Runs all launchers, at most COLLECT_AT_ONCE at a time, until each has been settled. */
static void run_all(struct run *run)
{
	size_t at_work = 0;
	struct collect_node *node;

	do {
		while (at_work < COLLECT_AT_ONCE && (node = next_waiting(run->collect))) {
			start(run, node);
			at_work += is_at_work(node);
		}
		progress_show(&run->progress, run->collect);
		poll_all(run);
		reap_all(run->collect);
		at_work = 0;
		array_for_each (&run->collect->nodes, node)
			at_work += is_at_work(node);
	} while (at_work || next_waiting(run->collect));
	end_all(run->collect);
}

size_t collect_run(struct collect *collect, struct bundle_groups *groups)
{
	struct run run = {.collect = collect};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;

	if (collect->deadline_ms <= 0)
		collect->deadline_ms = COLLECT_DEADLINE_MS;
	script_program_read(&run.program);
	sigaction(SIGPIPE, &ignore, &before);
	run_all(&run);
	sigaction(SIGPIPE, &before, NULL);
	progress_end(&run.progress);
	script_program_release(&run.program);
	return answers_take(collect, groups);
}

/* -- Who is asked ----------------------------------------------------------------------------- */

/* Adds a node, and takes argv over. */
static void add_node(struct collect *collect, const char *name, char **argv, bool whole)
{
	*array_add(&collect->nodes) = (struct collect_node){
		.name = alloc_text(name),
		.argv = argv,
		.whole = whole,
		.in = -1,
		.out = -1,
		.err = -1,
	};
}

/* Frees an argv and its words; NULL is fine. */
static void free_words(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

/* True if there is a node of that name. */
static bool is_known(const struct collect *collect, const char *name)
{
	const struct collect_node *node;

	array_for_each (&collect->nodes, node)
		if (!strcmp(node->name, name))
			return true;
	return false;
}

void collect_add(struct collect *collect, const char *name, const char *const *argv)
{
	size_t n = 0;
	char **copy;

	if (is_known(collect, name))
		return;
	while (argv[n])
		n++;
	copy = alloc_zeroed(n + 2, sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = alloc_text(argv[i]);
	copy[n] = alloc_text("sh");
	add_node(collect, name, copy, false);
}

int collect_add_via(
	struct collect *collect, const char *name, const char *via, struct complaint *why)
{
	struct str command = {0};
	struct via_words words = {.node = name};
	int error;

	if (is_known(collect, name))
		return 0;
	script_add_command(&command, collect);
	words.command = str_text(&command);
	error = via_split(via, &words, why);
	if (!error)
		add_node(collect, name, words.argv, words.has_command);
	else
		free_words(words.argv);
	str_release(&command);
	return error;
}

void collect_release(struct collect *collect)
{
	struct collect_node *node;

	array_for_each (&collect->nodes, node)
		end(node);
	end_all(collect);
	array_for_each (&collect->nodes, node) {
		free(node->name);
		free_words(node->argv);
		str_release(&node->why);
		str_release(&node->input);
		str_release(&node->said);
		frames_release(&node->frames);
	}
	array_release(&collect->nodes);
}
