/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's action lives in two copies, and `now` says which one handlers may read: they take
 * no lock while another thread writes the other copy. Writers exclude each other by a spin
 * lock with all signals blocked, so that no handler of this thread can come to wait for it; a
 * holder that vanished (a fork in the middle) is waited for a bounded time only.
 *
 * The table is written before the kernel is told, and put back if the kernel refuses: our handler
 * may run the moment the kernel has it, and must find the program's new action.
 */
#include "probes/death/sigchain.h"

#include <errno.h>
#include <string.h>

#include "probes/libc.h"
#include "probes/process.h"
#include "probes/sys.h"

#define SIGCHAIN_SIGNALS 65
#define SIGCHAIN_SPINS   100000 /* a holder that is gone (fork) must not stop us for ever */
#define SIGCHAIN_SETSIZE 8      /* bytes of the kernel's signal set */
#if defined(__x86_64__)
#define SIGCHAIN_RESTORER 0x04000000 /* a flag that libc adds to those that it sets */
#else
#define SIGCHAIN_RESTORER 0
#endif

/* An action as the kernel has it: what takes us out needs no restorer. */
struct sigchain_kernel_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

/* The program's action, in two copies: `now` says which one handlers may read. */
struct sigchain_signal {
	struct sigaction app[2];
	unsigned now;
	unsigned ours;       /* 1: this signal is one of those we take */
	unsigned left;       /* 1: it was, and may be again */
	unsigned no_restart; /* siginterrupt(sig, 1) */
};

/*
 * Writers: sigchain_take*() and sigchain_leave_all() of what is ours; of a program's action whoever
 * calls sigaction() and its kin, under the lock.
 */
static struct {
	struct sigchain_signal of[SIGCHAIN_SIGNALS];
	sigchain_fn *first; /* our handler; NULL before there is one */
	int is_wrapped;     /* a runtime puts a handler of its own in front of ours */
	unsigned lock;
} sigchain;

typedef int sigchain_sigaction_fn(int, const struct sigaction *, struct sigaction *);

static sigchain_sigaction_fn *sigchain_real(void)
{
	return LIBC_REAL(sigaction);
}

/* --- The table ------------------------------------------------------------------------------- */

/* Takes the lock: handlers on this thread are kept out, other threads wait a little. */
static void sigchain_enter(uint64_t *ret_mask)
{
	uint64_t all = UINT64_MAX;
	unsigned free = 0;

	sys_call(SYS_rt_sigprocmask, SIG_BLOCK, &all, ret_mask, SIGCHAIN_SETSIZE);
	for (int spin = 0; spin < SIGCHAIN_SPINS; spin++, free = 0)
		if (__atomic_compare_exchange_n(
			    &sigchain.lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			break;
}

static void sigchain_leave(const uint64_t *mask)
{
	__atomic_store_n(&sigchain.lock, 0, __ATOMIC_RELEASE);
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, SIGCHAIN_SETSIZE);
}

/* Under the lock: writes the copy that nobody reads, then makes it the one that is read. */
static void sigchain_set_app(int sig, const struct sigaction *act)
{
	unsigned next = !sigchain.of[sig].now;

	sigchain.of[sig].app[next] = *act;
	__atomic_store_n(&sigchain.of[sig].now, next, __ATOMIC_RELEASE);
}

void sigchain_app(int sig, struct sigaction *ret)
{
	*ret = sigchain.of[sig].app[__atomic_load_n(&sigchain.of[sig].now, __ATOMIC_ACQUIRE)];
}

int sigchain_is_default(const struct sigaction *app)
{
	return app->sa_handler == SIG_DFL;
}

/* Returns what the kernel is to be told for the program's `act`. */
static struct sigaction sigchain_mirror(const struct sigaction *act)
{
	struct sigaction k = *act;

	if (act->sa_handler == SIG_IGN)
		return k;
	k.sa_sigaction = sigchain.first;
	k.sa_flags |= SA_SIGINFO;
	k.sa_flags &= ~(int)SA_RESETHAND;
	if (act->sa_handler == SIG_DFL) {
		k.sa_flags = SA_SIGINFO | SA_ONSTACK;
		sigemptyset(&k.sa_mask);
	}
	return k;
}

/* --- The kernel ------------------------------------------------------------------------------ */

static struct sigchain_kernel_action sigchain_kernel(int sig)
{
	struct sigchain_kernel_action ret = {.handler = NULL};

	sys_call(SYS_rt_sigaction, sig, NULL, &ret, SIGCHAIN_SETSIZE);
	return ret;
}

static int sigchain_kernel_has_us(int sig)
{
	return sigchain_kernel(sig).handler == (void *)sigchain.first;
}

/*
 * Puts our handler into the kernel past a sanitizer's runtime. One that stands behind us (gcc's
 * TSan) takes our handler for the program's: it puts its own in front, keeps SIGTERM waiting in a
 * loop that calls nothing, and cannot print its report of a fault from within ours. So if the
 * program has no handler, ours goes past it.
 */
static void sigchain_go_past(int sig, const struct sigaction *mirror)
{
	struct sigchain_kernel_action ours = sigchain_kernel(sig);

	if (ours.handler == (void *)sigchain.first)
		return;
	ours.handler = (void *)mirror->sa_sigaction;
	ours.flags = (unsigned long)(unsigned)mirror->sa_flags | (ours.flags & SIGCHAIN_RESTORER);
	memcpy(&ours.mask, &mirror->sa_mask, sizeof(ours.mask));
	sys_call(SYS_rt_sigaction, sig, &ours, NULL, SIGCHAIN_SETSIZE);
}

static int sigchain_is_ours(int sig)
{
	return sig > 0 && sig < SIGCHAIN_SIGNALS && sigchain.of[sig].ours;
}

/*
 * Changes an action, under the lock. Returns 0 with the program's former action in `had`, or the
 * real function's error.
 */
static int sigchain_change(
	sigchain_sigaction_fn *real, int sig, const struct sigaction *act, struct sigaction *had)
{
	struct sigaction mirror, kernel;
	int err;

	sigchain_app(sig, had);
	if (act) {
		mirror = sigchain_mirror(act);
		/* The table first: our handler may run the moment the kernel has it. */
		sigchain_set_app(sig, act);
	}
	err = real(sig, act ? &mirror : NULL, &kernel);
	if (err && act)
		sigchain_set_app(sig, had);
	if (!err && act && act->sa_handler == SIG_DFL && sigchain.is_wrapped)
		sigchain_go_past(sig, &mirror);
	/* If somebody went past us (sigset, a raw call), what the kernel had is the truth. */
	if (!err && kernel.sa_sigaction != sigchain.first)
		*had = kernel;
	return err;
}

/* Does sigaction() as the program means it. */
static int sigchain_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	sigchain_sigaction_fn *real = sigchain_real();
	struct sigaction had, wanted;
	uint64_t mask;
	int err;

	if (!real) {
		errno = ENOSYS;
		return -1;
	}
	if (!sigchain_is_ours(sig) || process_view() == PROCESS_VFORKED)
		return real(sig, act, old);
	if (act) {
		wanted = *act; /* it may lie where `old` does */
		wanted.sa_flags |= SIGCHAIN_RESTORER;
	}
	sigchain_enter(&mask);
	err = sigchain_change(real, sig, act ? &wanted : NULL, &had);
	sigchain_leave(&mask);
	if (!err && old)
		*old = had;
	return err;
}

/*
 * Takes one signal, unless a runtime was told to let nobody have it: that says yes, and does
 * nothing.
 */
static void sigchain_take_one(sigchain_sigaction_fn *real, int sig)
{
	void *before = sigchain_kernel(sig).handler;
	struct sigaction had, mirror;

	if (real(sig, NULL, &had))
		return;
	sigchain.of[sig].app[0] = sigchain.of[sig].app[1] = had;
	mirror = sigchain_mirror(&had);
	if (had.sa_handler == SIG_IGN) {
		sigchain.of[sig].ours = 1;
		return;
	}
	if (real(sig, &mirror, NULL))
		return;
	if (!sigchain_kernel_has_us(sig)) {
		if (sigchain_kernel(sig).handler == before)
			return;
		sigchain.is_wrapped = 1;
		sigchain_go_past(sig, &mirror);
	}
	sigchain.of[sig].ours = 1;
}

void sigchain_take(const int *signals, sigchain_fn *first)
{
	sigchain_sigaction_fn *real = sigchain_real();

	sigchain.first = first;
	for (; real && *signals; signals++)
		sigchain_take_one(real, *signals);
}

/*
 * A signal that a runtime has wrapped stays ours if the program has a handler: we cannot know what
 * is beneath, and our handler, once left, goes on to the program's. Returns 1 if it is left.
 */
static int sigchain_leave_one(sigchain_sigaction_fn *real, int sig)
{
	struct sigaction app;

	if (!sigchain.of[sig].ours)
		return 0;
	sigchain_app(sig, &app);
	if (sigchain.is_wrapped && app.sa_handler != SIG_DFL)
		return 0;
	if (sigchain_kernel_has_us(sig))
		real(sig, &app, NULL);
	sigchain.of[sig].ours = 0;
	return 1;
}

void sigchain_drop(const int *signals)
{
	sigchain_sigaction_fn *real = sigchain_real();

	for (; real && *signals; signals++)
		sigchain_leave_one(real, *signals);
}

void sigchain_leave_all(void)
{
	sigchain_sigaction_fn *real = sigchain_real();

	for (int sig = 1; real && sig < SIGCHAIN_SIGNALS; sig++)
		sigchain.of[sig].left |= sigchain_leave_one(real, sig);
}

void sigchain_take_again(void)
{
	sigchain_sigaction_fn *real = sigchain_real();

	for (int sig = 1; real && sig < SIGCHAIN_SIGNALS; sig++) {
		if (sigchain.of[sig].left)
			sigchain_take_one(real, sig);
		sigchain.of[sig].left = 0;
	}
}

void sigchain_call(int sig, siginfo_t *info, void *context)
{
	struct sigaction app;

	sigchain_app(sig, &app);
	if (app.sa_handler == SIG_IGN || app.sa_handler == SIG_DFL)
		return;
	if (app.sa_flags & (int)SA_RESETHAND) {
		struct sigaction once = app;

		once.sa_handler = SIG_DFL;
		sigchain_set_app(sig, &once);
	}
	if (app.sa_flags & SA_SIGINFO)
		app.sa_sigaction(sig, info, context);
	else
		app.sa_handler(sig);
}

int sigchain_reaches(int sig)
{
	uint64_t blocked = 0;

	sys_call(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, SIGCHAIN_SETSIZE);
	return sigchain.first && !(blocked >> (sig - 1) & 1) && sigchain_kernel_has_us(sig);
}

void sigchain_step_aside(int sig)
{
	const struct sigchain_kernel_action none = {.handler = NULL};

	sys_call(SYS_rt_sigaction, sig, &none, NULL, SIGCHAIN_SETSIZE);
}

/* --- What the program calls ------------------------------------------------------------------ */

/*
 * Does what POSIX says, to the program's eyes: `old` is what the program set, never us. Signals
 * that we do not take, and calls in a vfork child, go straight to the real one. Signal-safe; any
 * thread. Without a real one: -1 and ENOSYS.
 */
HOOK_EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	return sigchain_sigaction(sig, act, old);
}

/* Does the same, by glibc's own name. */
HOOK_EXPORT int __sigaction(int sig, const struct sigaction *act, struct sigaction *old);
HOOK_EXPORT int __sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	return sigchain_sigaction(sig, act, old);
}

/*
 * Does signal() by way of sigaction(), as libc does. Returns the old handler, or SIG_ERR with
 * errno.
 */
static sighandler_t sigchain_signal(int sig, sighandler_t handler, int flags)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = flags}, old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigemptyset(&act.sa_mask);
	if (!(flags & SA_NODEFER) && sigaddset(&act.sa_mask, sig))
		return SIG_ERR;
	if (sigchain_sigaction(sig, &act, &old))
		return SIG_ERR;
	return old.sa_handler;
}

/* Returns what siginterrupt() said of this signal, as a flag. */
static int sigchain_restart(int sig)
{
	int interrupts = sig > 0 && sig < SIGCHAIN_SIGNALS && sigchain.of[sig].no_restart;

	return interrupts ? 0 : SA_RESTART;
}

/*
 * signal() with BSD semantics, as glibc's: it restarts calls unless siginterrupt() said otherwise,
 * and stays set.
 */
HOOK_EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
	return sigchain_signal(sig, handler, sigchain_restart(sig));
}

/* The same. */
HOOK_EXPORT sighandler_t bsd_signal(int sig, sighandler_t handler);
HOOK_EXPORT sighandler_t bsd_signal(int sig, sighandler_t handler)
{
	return sigchain_signal(sig, handler, sigchain_restart(sig));
}

/* The same. */
HOOK_EXPORT sighandler_t ssignal(int sig, sighandler_t handler)
{
	return sigchain_signal(sig, handler, sigchain_restart(sig));
}

/*
 * signal() with System V semantics: it is set back to the default when it is delivered, and not
 * masked meanwhile.
 */
HOOK_EXPORT sighandler_t sysv_signal(int sig, sighandler_t handler)
{
	return sigchain_signal(sig, handler, (int)SA_RESETHAND | SA_NODEFER);
}

/* Does the same: glibc's headers make this of signal() without _DEFAULT_SOURCE. */
HOOK_EXPORT sighandler_t __sysv_signal(int sig, sighandler_t handler);
HOOK_EXPORT sighandler_t __sysv_signal(int sig, sighandler_t handler)
{
	return sigchain_signal(sig, handler, (int)SA_RESETHAND | SA_NODEFER);
}

/*
 * Sets whether calls that this signal interrupts are restarted (`interrupt` 0) or not: from now on,
 * and by a later signal().
 */
HOOK_EXPORT int siginterrupt(int sig, int interrupt)
{
	struct sigaction act;

	if (sigchain_sigaction(sig, NULL, &act))
		return -1;
	if (sig > 0 && sig < SIGCHAIN_SIGNALS)
		sigchain.of[sig].no_restart = !!interrupt;
	act.sa_flags &= ~SA_RESTART;
	if (!interrupt)
		act.sa_flags |= SA_RESTART;
	return sigchain_sigaction(sig, &act, NULL);
}
