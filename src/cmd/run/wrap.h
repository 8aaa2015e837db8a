/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap.h: a command that runs as if we were not there. It keeps our stdin, stdout, stderr,
 * terminal, process group and signal dispositions; signals for us reach it, and it ends us as it
 * ended. One thing differs: its parent is us.
 *
 * SIGNALS. A key of the terminal and `kill -- -GROUP' reach us and the command: passing such a
 * signal on would deliver it twice. `kill PID' reaches us alone, and must be passed on. The kernel
 * does not say which it was. So a child of ours, the witness, sits in the same process group with
 * every signal blocked: what is pending for it was sent to the group.
 */
#ifndef CMD_WRAP_H
#define CMD_WRAP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/complaint.h"

/* The command, and what we were before. wrap_guard() fills it. */
struct wrap {
	pid_t child;
	pid_t witness;
	pid_t companion; /* the caller's: sleeps while the command is stopped; 0 none */
	pid_t waker; /* the last one: what it sends is for us */
	int signals; /* a signalfd: SIGCHLD and every signal that is passed on */
	sigset_t old_mask; /* what the command gets back, as the next four */
	struct rlimit old_files;
	mode_t old_umask;
	int death_signal; /* that we asked for, should our parent die; 0 none */
	bool ignored_children;
	int stopped_by; /* a signal stopped the command; 0: it goes on */
	bool ended;
	int wait_status; /* valid when ended */
};

/* Statuses of ours, as shells have them for a command that did not run. */
enum { WRAP_FAILED = 125, WRAP_NOT_EXECUTABLE = 126, WRAP_NOT_FOUND = 127 };

/*
 * Guards us; call it first, and once. From then on signals wait for wrap_next_signal(), a limit on
 * files or CPU time that we run into is an error to us, not our end, which would look like the
 * command's, we may have as many files open as the hard limit allows, and read what we write. The
 * command gets all as it was.
 */
void wrap_guard(struct wrap *wrap);

/*
 * Starts argv with environment envp; the file is searched in our PATH. Where a variable of a
 * service manager holds our pid, the command finds its own there. Then we hold nothing any
 * more of what we were given but stderr, and `keep` of ours, n of them. 0; or one of the statuses
 * above with words, and nothing runs: WRAP_FAILED where wrap_become() may still do.
 */
int wrap_start(struct wrap *wrap, char *const *argv, char **envp, const int *keep, size_t n,
	struct complaint *why);

/*
 * Becomes the command, with nobody to watch it. Returns only one of the statuses above, with words.
 */
int wrap_become(struct wrap *wrap, char *const *argv, char *const *envp, struct complaint *why);

/*
 * Takes the next signal that came and is to be passed on; false if there is none for now. What the
 * kernel tells of children is dealt with here: it may set `ended`, or stop us with the stopped
 * command. A signal that the command itself sends to us, its parent, is not given back to it.
 */
bool wrap_next_signal(struct wrap *wrap, siginfo_t *ret);

/* Passes a signal on, with the value that it was queued with; unless the command has it already. */
void wrap_pass_on(struct wrap *wrap, const siginfo_t *info);

/* Returns the command's status as a shell gives it: 128 + signal where it was killed. */
int wrap_shell_status(const struct wrap *wrap);

/* Closes what wrap_start() opened; the command, if it lives, goes on. */
void wrap_release(struct wrap *wrap);

#endif
