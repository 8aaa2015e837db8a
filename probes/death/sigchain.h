/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigchain.h: makes us the first handler of a signal without the program noticing.
 *
 * sigaction, signal and their kin are interposed for the few signals that we take. The program's
 * own action is kept in a table: the program gets that back when it asks, and it runs after us. The
 * kernel gets our handler with the program's flags and mask, so that whatever it chose for
 * SA_RESTART, SA_NODEFER, SA_ONSTACK and the mask holds while we run and while it runs (Python's
 * SIGTERM depends on SA_RESTART being off). SA_RESETHAND is carried out by us: the kernel would
 * drop us with the program's handler.
 *
 * SIG_IGN goes to the kernel untouched: it survives exec, and a handler does not. A vfork child has
 * its own actions in the kernel but shares our table with its parent: it passes straight through.
 */
#ifndef PROBES_SIGCHAIN_H
#define PROBES_SIGCHAIN_H

#include <signal.h>

typedef void sigchain_fn(int sig, siginfo_t *info, void *context);

/*
 * Puts `first` in front of each of these signals (the list ends in 0) that is not ignored. Once, in
 * the constructor.
 */
void sigchain_take(const int *signals, sigchain_fn *first);

/* Gives the program's own actions for these signals back to the kernel, for good. */
void sigchain_drop(const int *signals);

/*
 * The first does so for all of ours, the second puts our handler in front of those again.
 */
void sigchain_leave_all(void);
void sigchain_take_again(void);

/* Returns the program's present action for one of our signals. Safe in handlers. */
void sigchain_app(int sig, struct sigaction *ret);

/* Returns 1 if that action is the default. */
int sigchain_is_default(const struct sigaction *app);

/* Runs the program's handler (a default or ignored action: nothing). */
void sigchain_call(int sig, siginfo_t *info, void *context);

/*
 * True if the kernel gives this signal to us, and on this thread at once: it is not blocked, and
 * nobody went past us. Safe in handlers.
 */
int sigchain_reaches(int sig);

/* Restores the kernel's default for the next delivery. */
void sigchain_step_aside(int sig);

#endif
