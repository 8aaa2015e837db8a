/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/term/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/alloc.h"

#define UNDO_ROOM 512 /* bytes */
#define STACK	  (64 << 10) /* for handlers: ours may have overflowed */

/* Signals that end a process which does not handle them. */
static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE,
	SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF,
	SIGSYS};
#define ENDS (sizeof(ends) / sizeof(ends[0]))

/* The signal that each note is of. */
static const int tells[GUARD_NOTES] = {
	[GUARD_RESIZED] = SIGWINCH,
	[GUARD_STOP] = SIGTSTP,
	[GUARD_CONTINUED] = SIGCONT,
};

/* What handlers see; a handler has no other way to know anything. */
static struct {
	int fd, pipe[2];
	struct termios modes;
	struct {
		char bytes[UNDO_ROOM];
		size_t size;
	} undo[2]; /* one is written while the other is in force */
	volatile sig_atomic_t undo_now, held, began, notes[GUARD_NOTES];
	struct sigaction old[ENDS], old_tells[GUARD_NOTES];
	bool is_ours[ENDS], tells_us[GUARD_NOTES], watches_exit;
	char *stack;
} guard = {.fd = -1, .pipe = {-1, -1}};

/* Gives the terminal back, if it is in our hands. Async-signal-safe. */
static void give_back(void)
{
	const char *bytes = guard.undo[guard.undo_now].bytes;
	size_t size = guard.undo[guard.undo_now].size;
	pid_t front;

	if (!guard.held)
		return;
	guard.held = 0;
	front = tcgetpgrp(guard.fd);
	if (front >= 0 && front != getpgrp())
		return; /* we were stopped, and somebody else has it now */
	for (int tries = 0; size && tries < 100; tries++) {
		ssize_t done = write(guard.fd, bytes, size);

		if (done < 0 && errno != EINTR && errno != EAGAIN)
			break;
		bytes += done > 0 ? done : 0;
		size -= done > 0 ? (size_t)done : 0;
	}
	tcflush(guard.fd, TCIFLUSH); /* keys and clicks that were meant for us */
	tcsetattr(guard.fd, TCSANOW, &guard.modes);
}

/* True for what comes again by itself when the handler returns: what did it is done once more. */
static bool returns(int signo, const siginfo_t *info)
{
	return info->si_code > 0 &&
	       (signo == SIGSEGV || signo == SIGBUS || signo == SIGILL || signo == SIGFPE);
}

/* Gives the terminal back, and has the signal end us. */
static void on_end(int signo, siginfo_t *info, void *context)
{
	int error = errno;

	give_back();
	for (size_t i = 0; i < ENDS; i++)
		if (ends[i] == signo)
			sigaction(signo, &guard.old[i], NULL);
	/* Blocked while we are in here, and then ends us as it would have. */
	if (!returns(signo, info))
		raise(signo);
	errno = error;
}

/* Takes a note, and wakes whoever waits. */
static void on_note(int signo)
{
	int error = errno;
	ssize_t done;

	for (int note = 0; note < GUARD_NOTES; note++)
		if (tells[note] == signo)
			guard.notes[note] = 1;
	done = write(guard.pipe[1], "", 1);
	(void)done; /* full is as good */
	errno = error;
}

/* True for signals that mean a fault of ours. */
static bool is_crash(int signo)
{
	return signo == SIGSEGV || signo == SIGBUS || signo == SIGILL || signo == SIGFPE ||
	       signo == SIGABRT || signo == SIGTRAP || signo == SIGSYS;
}

/*
 * True if we may take a signal. A handler of somebody's own is left alone, unless it is one that
 * only reports the crash.
 */
static bool may_take(const struct sigaction *old, int signo)
{
	if (old->sa_flags & SA_SIGINFO)
		return is_crash(signo);
	return old->sa_handler == SIG_DFL || (old->sa_handler != SIG_IGN && is_crash(signo));
}

/* Takes all signals that we may take. */
static void take_signals(void)
{
	struct sigaction end = {.sa_sigaction = on_end, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	struct sigaction note = {.sa_handler = on_note, .sa_flags = SA_RESTART};

	sigfillset(&end.sa_mask);
	sigemptyset(&note.sa_mask);
	for (size_t i = 0; i < ENDS; i++) {
		sigaction(ends[i], NULL, &guard.old[i]);
		guard.is_ours[i] = may_take(&guard.old[i], ends[i]);
		if (guard.is_ours[i])
			sigaction(ends[i], &end, NULL);
	}
	for (int i = 0; i < GUARD_NOTES; i++) {
		sigaction(tells[i], NULL, &guard.old_tells[i]);
		guard.tells_us[i] = guard.old_tells[i].sa_handler != SIG_IGN;
		if (guard.tells_us[i])
			sigaction(tells[i], &note, NULL);
	}
}

/* Makes a stack of their own for handlers, where nobody has made one. */
static void take_stack(void)
{
	stack_t old, ours = {.ss_size = STACK};

	if (sigaltstack(NULL, &old) < 0 || !(old.ss_flags & SS_DISABLE))
		return;
	guard.stack = alloc_zeroed(1, STACK);
	ours.ss_sp = guard.stack;
	sigaltstack(&ours, NULL);
}

int guard_begin(int fd)
{
	if (tcgetattr(fd, &guard.modes) < 0 || pipe2(guard.pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	guard.fd = fd;
	guard.held = 0;
	guard.undo[0].size = guard.undo[1].size = 0;
	for (int i = 0; i < GUARD_NOTES; i++)
		guard.notes[i] = 0;
	if (!guard.watches_exit)
		guard.watches_exit = atexit(give_back) == 0;
	take_stack();
	take_signals();
	guard.began = 1;
	return 0;
}

void guard_end(void)
{
	if (!guard.began)
		return;
	guard.began = guard.held = 0;
	for (size_t i = 0; i < ENDS; i++)
		if (guard.is_ours[i])
			sigaction(ends[i], &guard.old[i], NULL);
	for (int i = 0; i < GUARD_NOTES; i++)
		if (guard.tells_us[i])
			sigaction(tells[i], &guard.old_tells[i], NULL);
	if (guard.stack)
		sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
	free(guard.stack);
	guard.stack = NULL;
	close(guard.pipe[0]);
	close(guard.pipe[1]);
	guard.pipe[0] = guard.pipe[1] = guard.fd = -1;
}

void guard_set_undo(const char *bytes, size_t size)
{
	int next = !guard.undo_now;

	guard.undo[next].size = size <= UNDO_ROOM ? size : 0;
	memcpy(guard.undo[next].bytes, bytes, guard.undo[next].size);
	guard.undo_now = next;
}

void guard_hold(bool held)
{
	guard.held = held;
}

int guard_fd(void)
{
	return guard.pipe[0];
}

bool guard_take(enum guard_note note)
{
	bool came = guard.notes[note];

	guard.notes[note] = 0;
	return came;
}

void guard_drain(void)
{
	char bytes[64];

	while (read(guard.pipe[0], bytes, sizeof(bytes)) > 0)
		continue;
}

void guard_stop(bool group)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, ours;

	sigemptyset(&stop.sa_mask);
	sigaction(SIGTSTP, NULL, &ours);
	if (ours.sa_handler == SIG_IGN)
		return;
	sigaction(SIGTSTP, &stop, NULL);
	/* Where nobody could continue us the system ignores it, and so do we. */
	if (group)
		kill(0, SIGTSTP);
	else
		raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
}
