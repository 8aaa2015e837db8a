/* SPDX-License-Identifier: Apache-2.0 */
/*
 * We do not become a subreaper, although statuses of orphans would be worth having: getppid() of
 * a daemon of the job would no longer be 1. How orphans and other ranks ended is asked of the
 * kernel by pidfd (exits.c).
 *
 * STOPPING. Whatever stops the command, a key of the terminal, another process, or it itself, as
 * editors and shells do: we see it in its wait status and stop by the same signal, so that the
 * shell which waits for us takes its terminal back. SIGSTOP is different: where no shell's job is
 * stopped by it, somebody froze a process, and that is what we are here to say.
 *
 * Stopped, we learn nothing. Whoever continues us continues the command, as SIGCONT is passed on
 * like any other; should somebody continue the command alone, the waker tells us.
 */
#include "cmd/run/wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/file.h"
#include "base/str.h"
#include "proc/read.h"

/*
 * Signals by which the kernel tells us of a fault or a limit of ours; sent by another process they
 * are for the command like any other. A fault of ours ends us although they are blocked: the kernel
 * keeps no fault waiting. A limit is an error of the call that met it, where they are blocked.
 */
static const int of_faults[] = {
	SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGPIPE, SIGXFSZ, SIGXCPU};

/*
 * Fills the set with every signal that we take to pass on, and SIGCHLD. One that is ignored is so
 * for the command, too.
 */
static void fill_taken(sigset_t *set)
{
	sigfillset(set);
	for (int signo = 1; signo < NSIG; signo++) {
		struct sigaction action;

		if (sigaction(signo, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			sigdelset(set, signo);
	}
	sigaddset(set, SIGCHLD);
}

/* Starts the witness: all blocked, gone with us, holding nothing open. Returns its pid, or -1. */
static pid_t start_witness(void)
{
	pid_t us = getpid();
	pid_t pid = fork();
	sigset_t all;

	if (pid)
		return pid;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_NAME, "inquest-witness", 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fds_keep(NULL, 0);
	fds_silence();
	while (getppid() == us)
		pause();
	_exit(0);
}

/* Ends the witness, and with it what was pending for it. */
static void end_witness(struct wrap *wrap)
{
	if (wrap->witness <= 0)
		return;
	kill(wrap->witness, SIGKILL);
	while (waitpid(wrap->witness, NULL, 0) < 0 && errno == EINTR)
		;
	wrap->witness = -1;
}

/* True if the signal is pending for the witness. */
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

/* True if this signal was sent to the whole process group. */
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

/* Sets all that we changed of ourselves as it was. */
static void restore(const struct wrap *wrap)
{
	if (wrap->ignored_children)
		signal(SIGCHLD, SIG_IGN);
	setrlimit(RLIMIT_NOFILE, &wrap->old_files);
	umask(wrap->old_umask);
	prctl(PR_SET_PDEATHSIG, wrap->death_signal, 0, 0, 0);
	sigprocmask(SIG_SETMASK, &wrap->old_mask, NULL);
}

/* Variables in which service managers say which process they mean (sd_listen_fds(3)). */
static const char *const meant[] = {"LISTEN_PID", "WATCHDOG_PID", "SYSTEMD_EXEC_PID"};

#define MEANT (sizeof(meant) / sizeof(meant[0]))

/* Room for one of them, with its value. */
struct meant_text {
	char text[40];
};

/* Where they mean us, they mean the command from now on. In the child; `told` is for its words. */
static void tell_pids(char **envp, pid_t us, struct meant_text told[static MEANT])
{
	for (; *envp; envp++)
		for (size_t i = 0; i < MEANT; i++) {
			struct meant_text ours;

			snprintf(ours.text, sizeof(ours.text), "%s=%d", meant[i], (int)us);
			if (strcmp(*envp, ours.text) != 0)
				continue;
			snprintf(told[i].text, sizeof(told[i].text), "%s=%d", meant[i],
				(int)getpid());
			*envp = told[i].text;
		}
}

/* Becomes the command, in the child. Does not return: an errno goes through the pipe. */
static void become_command(struct wrap *wrap, pid_t us, char *const *argv, char **envp,
	int report_fd)
{
	struct meant_text told[MEANT];
	int err;

	restore(wrap);
	tell_pids(envp, us, told);
	/* Our parent's death would have been its own; ours came between, and is no news. */
	if (wrap->death_signal && getppid() != us)
		raise(wrap->death_signal);
	execvpe(argv[0], argv, envp);
	err = errno;
	if (write(report_fd, &err, sizeof(err)) < 0)
		_exit(WRAP_FAILED);
	_exit(WRAP_NOT_FOUND);
}

/* Forks and execs; returns 0 once the command runs, else the errno of what failed. */
static int spawn(struct wrap *wrap, char *const *argv, char **envp)
{
	int report[2], err = 0;
	pid_t us = getpid();
	ssize_t got;

	if (pipe2(report, O_CLOEXEC) < 0)
		return errno;
	wrap->child = fork();
	if (wrap->child == 0)
		become_command(wrap, us, argv, envp, report[1]);
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

/*
 * Puts /dev/null where 0, 1 or 2 is closed, so that no file of ours gets that number; a command
 * that is started has it closed again.
 */
static void fill_standard_fds(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", O_RDWR | O_CLOEXEC);
}

void wrap_guard(struct wrap *wrap)
{
	struct rlimit files;
	sigset_t taken;

	wrap->child = wrap->witness = wrap->signals = -1;
	fill_standard_fds();
	/* Where our parent ignored SIGCHLD the kernel would tell us no status. */
	wrap->ignored_children = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	getrlimit(RLIMIT_NOFILE, &wrap->old_files);
	files = wrap->old_files;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	wrap->old_umask = file_own_mask();
	prctl(PR_GET_PDEATHSIG, &wrap->death_signal, 0, 0, 0);
	fill_taken(&taken);
	sigprocmask(SIG_BLOCK, &taken, &wrap->old_mask);
}

/*
 * Returns the status for a command that was not started, with words: what exec said, or, not
 * `tried`, that it did not come to that.
 */
static int failed(int err, bool tried, const char *name, struct complaint *why)
{
	complaint_errno(why, err, "cannot run %s", name);
	if (!tried)
		return WRAP_FAILED;
	return err == ENOENT || err == ENOTDIR ? WRAP_NOT_FOUND : WRAP_NOT_EXECUTABLE;
}

/* Closes all but ours: nothing of the command's is held here any more. */
static void let_go(const struct wrap *wrap, const int *keep, size_t n)
{
	int all[8] = {wrap->signals};

	for (size_t i = 0; i < n && i < sizeof(all) / sizeof(all[0]) - 1; i++)
		all[i + 1] = keep[i];
	fds_keep(all, n + 1);
}

int wrap_start(struct wrap *wrap, char *const *argv, char **envp, const int *keep, size_t n,
	struct complaint *why)
{
	sigset_t taken;
	int err;

	fill_taken(&taken);
	wrap->signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	err = wrap->signals < 0 ? errno : spawn(wrap, argv, envp);
	if (err) {
		/* Our variables may be what is too much: without them it may yet run. */
		bool tried = wrap->child > 0 && err != E2BIG;

		wrap_release(wrap);
		return failed(err, tried, argv[0], why);
	}
	let_go(wrap, keep, n);
	wrap->witness = start_witness();
	return 0;
}

int wrap_become(struct wrap *wrap, char *const *argv, char *const *envp, struct complaint *why)
{
	restore(wrap);
	execvpe(argv[0], argv, envp);
	return failed(errno, true, argv[0], why);
}

/* True for the signals of a terminal's stop. */
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
			wrap->stopped_by = WSTOPSIG(status);
		} else if (WIFCONTINUED(status)) {
			wrap->stopped_by = 0;
		} else {
			wrap->ended = true;
			wrap->wait_status = status;
		}
	}
}

/*
 * Returns the terminal's foreground group, if it is the command's or ours: then we are the job that
 * a shell has brought to the front. Else 0.
 */
static pid_t front_group(const struct wrap *wrap)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	pid_t front;

	if (fd < 0)
		return 0;
	front = tcgetpgrp(fd);
	close(fd);
	return front > 0 && (front == getpgrp() || front == getpgid(wrap->child)) ? front : 0;
}

/*
 * Gives the terminal to the command's own group, a shell's, if that stood in the foreground before:
 * the one who brought us to the front knows our group only.
 */
static void hand_terminal_back(const struct wrap *wrap, pid_t front)
{
	int fd;

	if (!front || front == getpgrp() || front != getpgid(wrap->child) ||
		front_group(wrap) != getpgrp())
		return;
	fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	tcsetpgrp(fd, front);
	close(fd);
}

/* True if a process is stopped. */
static bool is_stopped(pid_t pid)
{
	struct procstat stat;

	return proc_read_stat((struct proc_id){.pid = (uint32_t)pid}, &stat) == 0 &&
	       stat.state == 'T';
}

/*
 * Starts the waker: it continues us, should the command be continued, and by nobody who continues
 * us. Returns its pid, or -1.
 */
static pid_t start_waker(const struct wrap *wrap)
{
	const struct timespec pause = {.tv_nsec = 50000000};
	pid_t us = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == us && is_stopped(wrap->child))
		nanosleep(&pause, NULL);
	kill(us, SIGCONT);
	_exit(0);
}

/* Stops us as the kernel would have; in a group that nobody waits for it does not. */
static void stop(int signo)
{
	void (*before)(int) = signal(signo, SIG_DFL);
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, signo);
	raise(signo);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	sigprocmask(SIG_BLOCK, &only, NULL);
	if (signo != SIGSTOP)
		signal(signo, before);
}

/* Stops us with the command; a later SIGCONT is a signal like any other. */
static void stop_with_child(struct wrap *wrap)
{
	int signo = wrap->stopped_by;
	pid_t sleeper, front;

	wrap->stopped_by = 0;
	if (wrap->ended || !signo)
		return;
	front = front_group(wrap);
	if (!is_stop_key(signo) && !front)
		return;
	/* Frozen, it is to be watched; stopped by who works with it, it is not. */
	sleeper = is_stop_key(signo) ? wrap->companion : 0;
	if (sleeper > 0)
		kill(sleeper, SIGSTOP);
	wrap->waker = start_waker(wrap);
	stop(signo);
	hand_terminal_back(wrap, front);
	if (wrap->waker > 0) {
		kill(wrap->waker, SIGKILL);
		waitpid(wrap->waker, NULL, 0);
	}
	if (sleeper > 0)
		kill(sleeper, SIGCONT);
}

/* True if the kernel sent it for what we did: a pipe or a file of ours, our time. */
static bool is_of_fault(const struct signalfd_siginfo *info)
{
	for (size_t i = 0; i < sizeof(of_faults) / sizeof(of_faults[0]); i++)
		if (info->ssi_signo == (uint32_t)of_faults[i])
			return info->ssi_code > 0 || (pid_t)info->ssi_pid == getpid();
	return false;
}

/*
 * True if it was sent by the command to its parent, by a helper of ours, or by what we did
 * ourselves.
 */
static bool is_for_us(const struct wrap *wrap, const struct signalfd_siginfo *info)
{
	pid_t sender = (pid_t)info->ssi_pid;

	if (is_of_fault(info))
		return true;
	if (info->ssi_code != SI_USER && info->ssi_code != SI_QUEUE && info->ssi_code != SI_TKILL)
		return false; /* it may have no sender */
	return sender == wrap->child || (wrap->waker > 0 && sender == wrap->waker);
}

/* Makes of a signal that came what goes on to the command. */
static siginfo_t as_it_came(const struct signalfd_siginfo *info)
{
	siginfo_t ret;

	memset(&ret, 0, sizeof(ret));
	ret.si_signo = (int)info->ssi_signo;
	ret.si_code = info->ssi_code;
	ret.si_pid = (pid_t)info->ssi_pid;
	ret.si_uid = info->ssi_uid;
	ret.si_value.sival_ptr = (void *)(uintptr_t)info->ssi_ptr;
	return ret;
}

bool wrap_next_signal(struct wrap *wrap, siginfo_t *ret)
{
	struct signalfd_siginfo info;

	take_child(wrap);
	while (read(wrap->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			take_child(wrap);
		/* Of a child the kernel tells us, of anything else somebody the command. */
		if ((info.ssi_signo == SIGCHLD && info.ssi_code > 0) || is_for_us(wrap, &info))
			continue;
		*ret = as_it_came(&info);
		return true;
	}
	stop_with_child(wrap);
	return false;
}

/*
 * Sends it with its value and its sender, where it was queued with a value: as if from another, the
 * kernel takes no other kind.
 */
static void send_on(pid_t to, const siginfo_t *info)
{
	if (info->si_code != SI_QUEUE ||
		syscall(SYS_rt_sigqueueinfo, to, info->si_signo, info) < 0)
		kill(to, info->si_signo);
}

/* What was sent to our group has not reached a command that has one of its own. */
void wrap_pass_on(struct wrap *wrap, const siginfo_t *info)
{
	bool to_group = was_for_group(wrap, info->si_signo);

	if (!wrap->ended && !(to_group && getpgid(wrap->child) == getpgrp()))
		send_on(wrap->child, info);
}

int wrap_shell_status(const struct wrap *wrap)
{
	if (WIFSIGNALED(wrap->wait_status))
		return 128 + WTERMSIG(wrap->wait_status);
	return WEXITSTATUS(wrap->wait_status);
}

void wrap_release(struct wrap *wrap)
{
	end_witness(wrap);
	if (wrap->signals >= 0)
		close(wrap->signals);
	wrap->signals = -1;
}
