/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handler asks whether the state is ours (a vfork child's is not), and what the program wants;
 * records; then runs the program's handler, or lets the default happen as if we had never been.
 *
 * A FAULT TOLD TWICE. Many programs take SIGSEGV, print a trace and raise the signal again to die
 * of it. The second delivery has the handler's registers and "sent by itself": worthless beside the
 * first. So the entry of the first stays, and if there was no ring for it yet, its facts are kept
 * until the second delivery shows that it was the end.
 *
 * A SIGBUS IN A FILE OF OURS is none of the program's: it ends here, before anything is looked at
 * that could lie in such a file, and nobody hears of it (mapping.h).
 *
 * A signal that the program handles makes no ring, for runtimes use SIGSEGV for purposes of their
 * own. If there is a ring, it gets its line, and an entry that the thread's next one takes over.
 */
#include "probes/death/death.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

#include "probes/death/goodbye.h"
#include "probes/death/sigchain.h"
#include "probes/death/traceback.h"
#include "probes/libc.h"
#include "probes/mapping.h"
#include "probes/process.h"
#include "probes/seccomp.h"
#include "probes/self.h"
#include "probes/sys.h"
#include "probes/thread.h"

#define DEATH_SIGNALS       32
#define DEATH_PAGE          4096
#define DEATH_GUARD_PAGES   64 /* how far above an overflowed stack pointer to look */
#define DEATH_BUS_MCEERR_AO 5  /* a memory error elsewhere: running on does not fault again */

/* What a handler is told, to be recorded. */
struct death_facts {
	siginfo_t info;
	uint32_t tid; /* 0: no facts */
	uint32_t nregs;
	uint64_t sp;
	uint64_t regs[RING_FATAL_REGS];
};

/*
 * Deaths of this process. Writers: the handler, but for `abort_tid`, which the thread in abort()
 * sets, and what the constructor finds.
 */
static struct {
	/*
	 * The latest fault that a handler of the program took when there was no ring to write: if
	 * that handler raises the signal again to die of it, these are the facts, and not that
	 * second signal's.
	 */
	struct death_facts first;
	/*
	 * The latest entry of each signal: a handler of the program that raises it again adds
	 * nothing.
	 */
	struct ring_fatal *entry[DEATH_SIGNALS];
	uint32_t abort_tid;
	/* Where arguments and environment begin; 0: nothing is copied. Set by the constructor. */
	uint64_t strings;
} deaths;

/* True if the signal's default is to die with a core: it gets an entry of its own. */
static int death_is_fatal(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL ||
	       sig == SIGABRT || sig == SIGSYS || sig == SIGTRAP || sig == SIGXCPU ||
	       sig == SIGXFSZ;
}

/* Returns 1 if the instruction that faulted will fault again. */
static int death_is_sync(int sig, const siginfo_t *info)
{
	if (info->si_code <= 0 || (sig == SIGBUS && info->si_code == DEATH_BUS_MCEERR_AO))
		return 0;
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL;
}

/* --- What the handler records ---------------------------------------------------------------- */

#if defined(__x86_64__)
static uint32_t death_registers(const ucontext_t *c, uint64_t regs[RING_FATAL_REGS])
{
	for (int i = 0; i < NGREG; i++)
		regs[i] = (uint64_t)c->uc_mcontext.gregs[i];
	return NGREG;
}

static uint64_t death_sp(const ucontext_t *c)
{
	return (uint64_t)c->uc_mcontext.gregs[REG_RSP];
}
#elif defined(__aarch64__)
static uint32_t death_registers(const ucontext_t *c, uint64_t regs[RING_FATAL_REGS])
{
	for (int i = 0; i < 31; i++)
		regs[i] = c->uc_mcontext.regs[i];
	regs[31] = c->uc_mcontext.pc;
	return 32;
}

static uint64_t death_sp(const ucontext_t *c)
{
	return c->uc_mcontext.sp;
}
#endif

/*
 * Returns the first address from `sp` up that can be read: `sp` itself, unless the stack has
 * overflowed into its guard; `sp` also if there is none near.
 */
static uint64_t death_stack_start(uint64_t sp)
{
	uint64_t at = sp;

	for (int pages = 0; pages < DEATH_GUARD_PAGES; pages++) {
		if (self_can_read(at))
			return at;
		at = (at + DEATH_PAGE) & ~(uint64_t)(DEATH_PAGE - 1);
	}
	return sp;
}

/*
 * Returns how many bytes of the stack from `sp` up may be copied. The strings of arguments and
 * environment end the first stack, above what the auxiliary vector points to; all other stacks lie
 * below it.
 */
static uint32_t death_stack_room(uint64_t sp)
{
	if (sp >= deaths.strings)
		return 0;
	return deaths.strings - sp < RING_FATAL_STACK ? (uint32_t)(deaths.strings - sp)
						      : RING_FATAL_STACK;
}

static void death_find_strings(void)
{
	static const unsigned long pointing[] = {AT_RANDOM, AT_EXECFN, AT_PLATFORM};

	for (size_t i = 0; i < sizeof(pointing) / sizeof(pointing[0]); i++) {
		uint64_t at = getauxval(pointing[i]);

		if (at && (!deaths.strings || at < deaths.strings))
			deaths.strings = at;
	}
}

/* True if this process sent the signal itself, by kill() or raise(), and it is no fault. */
static int death_raised_by_itself(const siginfo_t *info)
{
	return info->si_code <= 0 && info->si_pid == sys_getpid();
}

/* Takes down what only the handler can see; touches nothing that may be broken. */
static void death_look(struct death_facts *facts, const siginfo_t *info, const ucontext_t *context)
{
	facts->info = *info;
	facts->tid = (uint32_t)sys_gettid();
	facts->nregs = death_registers(context, facts->regs);
	facts->sp = death_sp(context);
}

/*
 * Fills an entry. The stack comes last, so that a reader of an interrupted entry has all the rest.
 */
static void death_fill(struct ring_fatal *e, const struct death_facts *facts)
{
	const siginfo_t *info = &facts->info;
	struct probe_thread *me = probe_me;

	e->signo = info->si_signo;
	e->code = info->si_code;
	e->sender_pid = info->si_code <= 0 ? info->si_pid : 0;
	e->sender_uid = info->si_code <= 0 ? info->si_uid : 0;
	e->fault_addr = info->si_code > 0 ? (uint64_t)(uintptr_t)info->si_addr : 0;
	e->tid = facts->tid;
	e->via_abort = e->tid == deaths.abort_tid;
	thread_name(e->thread);
	e->lane = me && me->lane ? ring_lane_index(me->ring, me->lane) : UINT64_MAX;
	e->nregs = facts->nregs;
	memcpy(e->regs, facts->regs, sizeof(e->regs));
	e->sp = death_stack_start(facts->sp);
	e->stack_len = self_copy(e->stack, e->sp, death_stack_room(e->sp));
}

static void death_record_fatal(struct ring_writer *ring, const struct death_facts *facts, int ends)
{
	int sig = facts->info.si_signo;
	struct ring_fatal *e = deaths.entry[sig];

	if (death_raised_by_itself(&facts->info)) {
		if (e && e->tid == facts->tid && ring_load(&e->seq) == 2)
			return; /* the entry is there already, and tells more */
		if (deaths.first.tid == facts->tid && deaths.first.info.si_signo == sig)
			facts = &deaths.first;
	}
	if (e && e->tid == facts->tid)
		ring_store(&e->seq, 1);
	else
		e = ring_fatal_claim(ring);
	if (!e)
		return;
	deaths.entry[sig] = e;
	e->tsc = ring_writer_now(ring);
	death_fill(e, facts);
	ring_fatal_publish(e);
	traceback_write(ring, e, facts->regs, ends);
}

/* Pins a line for a signal that does not end the process here and now. */
static void death_pin(struct ring_writer *ring, const siginfo_t *info)
{
	const struct ring_record r = {
		.meta = ring_meta(RING_SIGNAL, 0, RING_NO_GROUP, (uint32_t)info->si_signo),
		.index = (uint64_t)(int64_t)info->si_code,
		.count = info->si_code <= 0 ? (uint64_t)info->si_pid : 0,
		.sig = info->si_code <= 0 ? info->si_uid : 0,
		.aux = info->si_code > 0 ? (uint64_t)(uintptr_t)info->si_addr : 0,
		.more = (uint64_t)sys_gettid(),
	};

	ring_pin(ring, RING_PIN_SIGNAL, ring_writer_now(ring), &r);
}

/* Records a signal. `ends`: the program has no handler for it. */
static void death_record(int sig, const siginfo_t *info, const ucontext_t *context, int ends)
{
	struct census_slot *mine = census_mine();
	int fatal = death_is_fatal(sig);
	struct ring_writer *ring;
	struct death_facts facts;

	if (mine) {
		mine->last_signal_pid = info->si_code <= 0 ? (uint32_t)info->si_pid : 0;
		mine->last_signal = (uint32_t)sig;
	}
	process_ready(fatal && ends ? PROBE_NEED_CANDIDATE : PROBE_NEED_NOTHING);
	ring = process_ring();
	if (ring && (!fatal || !ends))
		death_pin(ring, info);
	if (!fatal)
		return;
	death_look(&facts, info, context);
	if (ring)
		death_record_fatal(ring, &facts, ends);
	else if (!death_raised_by_itself(info))
		deaths.first = facts;
}

/* --- The handler ----------------------------------------------------------------------------- */

/*
 * Lets the default happen as if we had never been: the fault happens again, or the signal is sent
 * again.
 */
static void death_default(int sig, siginfo_t *info)
{
	sigchain_step_aside(sig);
	if (death_is_sync(sig, info))
		return;
	/* A process may send itself any siginfo, so that the sender stays the sender. */
	if (sys_call(SYS_rt_tgsigqueueinfo, sys_getpid(), sys_gettid(), sig, info) < 0)
		sys_call(SYS_tgkill, sys_getpid(), sys_gettid(), sig);
}

static void death_on_signal(int sig, siginfo_t *info, void *context)
{
	enum process_view view;
	struct sigaction app;
	int ends;

	if (death_is_sync(sig, info) && sig == SIGBUS &&
		mapping_mend((uint64_t)(uintptr_t)info->si_addr))
		return;
	/* From here on SIGBUS may be blocked, by the program's mask. */
	mapping_look();
	view = process_view();
	sigchain_app(sig, &app);
	ends = sigchain_is_default(&app);
	if (view == PROCESS_FORKED && ends && process_reborn())
		view = PROCESS_SELF;
	if (view == PROCESS_SELF)
		death_record(sig, info, context, ends);
	if (ends)
		death_default(sig, info);
	else
		sigchain_call(sig, info, context);
}

void death_forget(void)
{
	memset(deaths.entry, 0, sizeof(deaths.entry));
}

/* Signals that ask a process to end. */
static const int death_asking[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, 0};

/* True if the kernel keeps off what we have no handler for: it does so for pid 1 of a container. */
static int death_is_shielded(void)
{
	return sys_getpid() == 1;
}

void death_birth(void)
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP,
		SIGXCPU, SIGXFSZ, 0};

	death_find_strings();
	goodbye_birth();
	sigchain_take(fatal, death_on_signal);
	if (!death_is_shielded())
		sigchain_take(death_asking, death_on_signal);
}

void death_forked(void)
{
	if (death_is_shielded())
		sigchain_drop(death_asking);
}

/* --- abort ----------------------------------------------------------------------------------- */

/*
 * Notes that this thread called abort(), which its SIGABRT alone does not say; the signal itself is
 * recorded by the handler. Never returns, even without a real abort(). Safe in signal handlers; in
 * a forked or vforked child notes nothing.
 */
HOOK_EXPORT void abort(void)
{
	__typeof__(abort) *real = LIBC_FOUND(abort);

	if (process_view() == PROCESS_SELF) {
		deaths.abort_tid = (uint32_t)sys_gettid();
		process_milestone(RING_PROC_ABORT, deaths.abort_tid);
	}
	if (real)
		real();
	for (;;) {
		sigchain_step_aside(SIGABRT);
		sys_call(SYS_tgkill, sys_getpid(), sys_gettid(), SIGABRT);
		sys_call(SYS_exit_group, 127);
	}
}
