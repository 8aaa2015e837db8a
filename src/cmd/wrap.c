/* SPDX-License-Identifier: Apache-2.0 */
/*
 * We do not become a subreaper, although statuses of orphans would be worth having: getppid() of
 * a daemon of the job would no longer be 1. How orphans and other ranks ended is asked of the
 * kernel by pidfd (exits.c).
 *
 * STOPPING. A stop key stops the command; we see that in its wait status and stop ourselves, so
 * that the shell which waits for us takes its terminal back. SIGCONT is passed on like any other. A
 * command stopped by SIGSTOP does not stop us: somebody froze a rank, and that is what we are here
 * to say.
 */
#include "cmd/wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "proc/read.h"

/* Signals that are ours to handle or nobody's: faults of our own, and those that cannot be had. */
static const int not_passed_on[] = {SIGKILL, SIGSTOP, SIGCHLD, SIGSEGV, SIGBUS, SIGILL, SIGFPE,
	SIGTRAP, SIGSYS, SIGABRT, SIGPIPE, SIGXFSZ, SIGXCPU};
/* Of these, the ones that tell of a limit: ours, not the command's. */
static const int limits[] = {SIGXFSZ, SIGXCPU};

/* Every signal that we take to pass on, and SIGCHLD. One that is ignored is so for the command,
 * too. */
static void fill_taken(sigset_t *set)
{
	sigfillset(set);
	for (size_t i = 0; i < sizeof(not_passed_on) / sizeof(not_passed_on[0]); i++)
		sigdelset(set, not_passed_on[i]);
	for (int signo = 1; signo < NSIG; signo++) {
		struct sigaction action;

		if (sigaction(signo, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			sigdelset(set, signo);
	}
	sigaddset(set, SIGCHLD);
}

/* The witness: all blocked, gone with us, holding nothing open. */
static pid_t start_witness(void)
{
	pid_t us = getpid();
	pid_t pid = fork();
	sigset_t all;

	if (pid)
		return pid;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	while (getppid() == us)
		pause();
	_exit(0);
}

static void end_witness(struct wrap *wrap)
{
	if (wrap->witness <= 0)
		return;
	kill(wrap->witness, SIGKILL);
	while (waitpid(wrap->witness, NULL, 0) < 0 && errno == EINTR)
		;
	wrap->witness = -1;
}

/* Is it pending for the witness? */
static bool has_witnessed(const struct wrap *wrap, int signo)
{
	struct str status = {0};
	const char *line;
	uint64_t pending = 0;

	if (proc_read((uint32_t)wrap->witness, "status", &status, NULL) == 0) {
		line = strstr(str_text(&status), "\nShdPnd:");
		if (line)
			pending = strtoull(line + strlen("\nShdPnd:"), NULL, 16);
	}
	str_release(&status);
	return pending >> (signo - 1) & 1;
}

/* Was this signal sent to the whole process group? */
static bool was_for_group(struct wrap *wrap, int signo)
{
	const struct timespec moment = {.tv_nsec = 5000000};

	if (wrap->witness <= 0)
		return false;
	if (!has_witnessed(wrap, signo)) {
		/* The kernel serves a group one by one, and we may have been first. */
		nanosleep(&moment, NULL);
		if (!has_witnessed(wrap, signo))
			return false;
	}
	/* What it has seen it cannot forget: the next signal needs a new one. */
	end_witness(wrap);
	wrap->witness = start_witness();
	return true;
}

static void become_command(
	const struct wrap *wrap, char *const *argv, char *const *envp, int report_fd)
{
	int err;

	sigprocmask(SIG_SETMASK, &wrap->old_mask, NULL);
	if (wrap->ignored_children)
		signal(SIGCHLD, SIG_IGN);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (!wrap->ignored_limits[i])
			signal(limits[i], SIG_DFL);
	execvpe(argv[0], argv, envp);
	err = errno;
	if (write(report_fd, &err, sizeof(err)) < 0)
		_exit(WRAP_FAILED);
	_exit(WRAP_NOT_FOUND);
}

/* Forks and execs; gives 0 once the command runs, else the errno of what failed. */
static int spawn(struct wrap *wrap, char *const *argv, char *const *envp)
{
	int report[2], err = 0;
	ssize_t got;

	if (pipe2(report, O_CLOEXEC) < 0)
		return errno;
	wrap->child = fork();
	if (wrap->child == 0)
		become_command(wrap, argv, envp, report[1]);
	if (wrap->child < 0)
		err = errno;
	close(report[1]);
	do
		got = wrap->child < 0 ? 0 : read(report[0], &err, sizeof(err));
	while (got < 0 && errno == EINTR);
	close(report[0]);
	if (err && wrap->child > 0)
		waitpid(wrap->child, NULL, 0);
	return err;
}

void wrap_guard(struct wrap *wrap)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		wrap->ignored_limits[i] = signal(limits[i], SIG_IGN) == SIG_IGN;
}

int wrap_start(struct wrap *wrap, char *const *argv, char *const *envp, struct complaint *why)
{
	sigset_t taken;
	int err;

	wrap->child = wrap->witness = wrap->signals = -1;
	/* Where our parent ignored SIGCHLD the kernel would tell us no status. */
	wrap->ignored_children = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	fill_taken(&taken);
	sigprocmask(SIG_BLOCK, &taken, &wrap->old_mask);
	wrap->signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	err = wrap->signals < 0 ? errno : spawn(wrap, argv, envp);
	if (!err) {
		wrap->witness = start_witness();
		signal(SIGPIPE, SIG_IGN);
		return 0;
	}
	complaint_errno(why, err, "cannot run %s", argv[0]);
	if (wrap->signals < 0 || wrap->child < 0)
		err = WRAP_FAILED;
	else
		err = err == ENOENT || err == ENOTDIR ? WRAP_NOT_FOUND : WRAP_NOT_EXECUTABLE;
	wrap_release(wrap);
	sigprocmask(SIG_SETMASK, &wrap->old_mask, NULL);
	return err;
}

static bool is_stop_key(int signo)
{
	return signo == SIGTSTP || signo == SIGTTIN || signo == SIGTTOU;
}

/* Takes the news of the command: its end, a stop, that it goes on. */
static void take_child(struct wrap *wrap)
{
	int status;

	while (!wrap->ended &&
		waitpid(wrap->child, &status, WNOHANG | WUNTRACED | WCONTINUED) > 0) {
		if (WIFSTOPPED(status)) {
			wrap->child_stopped = is_stop_key(WSTOPSIG(status));
		} else if (WIFCONTINUED(status)) {
			wrap->child_stopped = false;
		} else {
			wrap->ended = true;
			wrap->wait_status = status;
		}
	}
}

/* Stops us with the command if both were told so; a later SIGCONT is a signal like any other. */
static void stop_with_child(struct wrap *wrap)
{
	if (!wrap->child_stopped || !wrap->stop_asked)
		return;
	wrap->child_stopped = wrap->stop_asked = false;
	raise(SIGSTOP);
}

int wrap_next_signal(struct wrap *wrap)
{
	struct signalfd_siginfo info;

	take_child(wrap);
	while (read(wrap->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			take_child(wrap);
			continue;
		}
		if (info.ssi_code == SI_USER && (pid_t)info.ssi_pid == wrap->child)
			continue;
		if (is_stop_key((int)info.ssi_signo))
			wrap->stop_asked = true;
		if (info.ssi_signo == SIGCONT)
			wrap->stop_asked = false;
		return (int)info.ssi_signo;
	}
	stop_with_child(wrap);
	return 0;
}

void wrap_pass_on(struct wrap *wrap, int signo)
{
	if (!was_for_group(wrap, signo) && !wrap->ended)
		kill(wrap->child, signo);
}

int wrap_shell_status(const struct wrap *wrap)
{
	if (WIFSIGNALED(wrap->wait_status))
		return 128 + WTERMSIG(wrap->wait_status);
	return WEXITSTATUS(wrap->wait_status);
}

void wrap_end_alike(struct wrap *wrap)
{
	int signo = WIFSIGNALED(wrap->wait_status) ? WTERMSIG(wrap->wait_status) : 0;
	struct rlimit no_core = {0, 0};
	sigset_t only;

	if (signo) {
		/* The command's core is the one that tells something. */
		setrlimit(RLIMIT_CORE, &no_core);
		signal(signo, SIG_DFL);
		sigemptyset(&only);
		sigaddset(&only, signo);
		raise(signo);
		sigprocmask(SIG_UNBLOCK, &only, NULL);
	}
	exit(wrap_shell_status(wrap));
}

void wrap_release(struct wrap *wrap)
{
	end_witness(wrap);
	if (wrap->signals >= 0)
		close(wrap->signals);
	wrap->signals = -1;
}
