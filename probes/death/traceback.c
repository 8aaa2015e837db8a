/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/death/traceback.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "probes/death/lastwords.h"
#include "probes/death/unwinder.h"
#include "probes/glibc.h"
#include "probes/python/pyframes.h"
#include "probes/sys.h"

#define TRACEBACK_STACK	  65536
#define TRACEBACK_GUARD	  4096
/* beside a tid: the thread forks, and walks nothing meanwhile */
#define TRACEBACK_FORKING 0x80000000u
/* handled signals that get a traceback without asking the clock */
#define TRACEBACK_DAILY	  16
#define TRACEBACK_WHILE	  (1ull << 32) /* ticks between later ones: some seconds */

/* The traceback's own pages, made when armed. */
struct traceback_pages {
	uint8_t guard[TRACEBACK_GUARD];
	uint8_t stack[TRACEBACK_STACK];
	struct unwinder_walk walk;
	struct ring_traceback rehearsal __attribute__((aligned(4096)));
};

/* Writers: traceback_make() of the pages; else the thread that has the claim, and who takes it. */
static struct {
	struct traceback_pages *pages; /* NULL: not armed */
	uint32_t claim;		       /* tid of the thread that writes one now; 0 nobody */
	uint32_t claim_pid;	       /* whose threads that is about */
	/* libunwind has locks that belong to a thread which is not here */
	int spoilt;
	uint32_t handled;
	uint64_t handled_at;
} traceback;

/* What one call is about. */
struct traceback_task {
	struct ring_traceback *into;
	const uint64_t *regs;
	int signo;
	uint32_t tid;
};

/* --- One at a time ---------------------------------------------------------------------------- */

static const struct timespec traceback_patience = {.tv_sec = 2};
static const struct timespec traceback_impatience = {.tv_nsec = 200000000};

/*
 * Forgets the parent's claim. A forked child may have it, but not the thread that would give it
 * back; libunwind may then have a lock for ever, and is left alone. (A thread that forks by fork()
 * leaves none.)
 */
static void traceback_forget_parents(void)
{
	uint32_t pid = (uint32_t)sys_getpid(), claim;

	if (__atomic_exchange_n(&traceback.claim_pid, pid, __ATOMIC_ACQ_REL) == pid)
		return;
	claim = __atomic_exchange_n(&traceback.claim, 0, __ATOMIC_ACQ_REL);
	if (claim && !(claim & TRACEBACK_FORKING))
		traceback.spoilt = 1;
}

/* Takes the claim. Returns 0 if it is this thread's turn. `as` is what the claim is to say. */
static int traceback_enter(uint32_t tid, uint32_t as, const struct timespec *patience)
{
	uint32_t holder = 0;

	traceback_forget_parents();
	for (int tries = 0; tries < 3; tries++, holder = 0) {
		if (__atomic_compare_exchange_n(&traceback.claim, &holder, as, 0,
			    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return 0;
		if (holder == (tid | TRACEBACK_FORKING)) {
			/* The thread dies of what fork() calls. */
			__atomic_store_n(&traceback.claim, as, __ATOMIC_RELAXED);
			return 0;
		}
		if (holder == tid)
			return -1;
		if (sys_call(SYS_futex, &traceback.claim, FUTEX_WAIT_PRIVATE, holder, patience) ==
			-ETIMEDOUT)
			return -1;
	}
	return -1;
}

/* Gives the claim back, if it still says so. */
static void traceback_leave(uint32_t as)
{
	if (__atomic_compare_exchange_n(
		    &traceback.claim, &as, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		sys_call(SYS_futex, &traceback.claim, FUTEX_WAKE_PRIVATE, 1);
}

uint32_t traceback_fork_begin(void)
{
	uint32_t tid = (uint32_t)sys_gettid(), as = tid | TRACEBACK_FORKING;

	return traceback_enter(tid, as, &traceback_impatience) ? 0 : as;
}

void traceback_fork_end(uint32_t claim)
{
	if (claim)
		traceback_leave(claim);
}

/* --- Filling ---------------------------------------------------------------------------------- */

static void traceback_modules(struct unwinder_walk *walk, struct ring_traceback *into)
{
	for (uint32_t i = 0; i < walk->nobjects; i++) {
		const struct object *object = walk->object + i;
		struct ring_trace_module *m = into->module + i;

		*m = (struct ring_trace_module){
			.bias = object->bias,
			.start = object->start,
			.end = object->end,
			.path = ring_traceback_text(
				into, object->path, (uint32_t)strlen(object->path)),
		};
		m->build_id_len = object_build_id(&walk->memory, object, m->build_id);
		__atomic_store_n(&into->nmodules, i + 1, __ATOMIC_RELEASE);
	}
}

static void traceback_fill(void *arg)
{
	const struct traceback_task *task = arg;
	struct unwinder_walk *walk = &traceback.pages->walk;

	self_begin(&walk->memory);
	walk->nobjects = 0;
	if (!traceback.spoilt)
		unwinder_walk(walk, task->regs, task->into);
	traceback_modules(walk, task->into);
	if (task->signo == SIGABRT)
		lastwords_put(&walk->memory, task->into);
	pyframes_put(&walk->memory, task->tid, task->into);
}

/* Calls fn(arg) with another stack, whose upper end is `top`. */
static void traceback_call_on(void *top, void (*fn)(void *), void *arg)
{
#if defined(__x86_64__)
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "callq *%[fn]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(arg), [top] "+r"(top), [fn] "+r"(fn)
			 :
			 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0",
			 "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
			 "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
#else
	(void)top;
	fn(arg);
#endif
}

static void traceback_run(struct traceback_task *task)
{
	uint64_t all = UINT64_MAX, mask;
	int saved = errno; /* libunwind calls libc */

	sys_call(SYS_rt_sigprocmask, SIG_BLOCK, &all, &mask, sizeof(mask));
	traceback_call_on(traceback.pages->stack + TRACEBACK_STACK, traceback_fill, task);
	sys_call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
	errno = saved;
}

/* --- From outside ----------------------------------------------------------------------------- */

/*
 * Walks its own stack once, so that code is paged in, and libunwind has made what it makes at first
 * use.
 */
static void traceback_rehearse(void)
{
	struct ring_traceback *into = &traceback.pages->rehearsal;
	struct traceback_task task = {.into = into, .tid = (uint32_t)sys_gettid()};
	uint64_t regs[RING_FATAL_REGS] = {0};
	ucontext_t here;

	if (getcontext(&here))
		return;
#if defined(__x86_64__)
	memcpy(regs, here.uc_mcontext.gregs, sizeof(here.uc_mcontext.gregs));
#endif
	into->text_len = 1;
	task.regs = regs;
	traceback_run(&task);
	sys_madvise(into, sizeof(*into), MADV_DONTNEED);
}

static void traceback_make(void)
{
	struct traceback_pages *pages = sys_alloc(sizeof(*pages));

	if (!pages)
		return;
	sys_call(SYS_mprotect, pages->guard, TRACEBACK_GUARD, PROT_NONE);
	/* Paged in now: the machine may have no page left when it matters. */
	memset(pages->stack, 0, sizeof(pages->stack));
	memset(&pages->walk, 0, sizeof(pages->walk));
	unwinder_arm(&pages->walk);
	lastwords_arm(&pages->walk.memory);
	pyframes_arm();
	__atomic_store_n(&traceback.pages, pages, __ATOMIC_RELEASE);
	traceback_rehearse();
}

void traceback_arm(void)
{
	uint32_t tid = (uint32_t)sys_gettid();
	int saved = errno;

	if (!traceback.pages && !traceback_enter(tid, tid, &traceback_patience)) {
		if (!traceback.spoilt)
			traceback_make();
		traceback_leave(tid);
	}
	errno = saved;
}

/* True if this traceback is worth its microseconds. */
static int traceback_is_due(struct ring_writer *ring, int ends)
{
	uint64_t now = ring_writer_now(ring);

	if (!ends &&
		__atomic_add_fetch(&traceback.handled, 1, __ATOMIC_RELAXED) > TRACEBACK_DAILY &&
		now - traceback.handled_at <= TRACEBACK_WHILE)
		return 0;
	traceback.handled_at = now;
	return 1;
}

void traceback_write(struct ring_writer *ring, const struct ring_fatal *death,
	const uint64_t *regs, int ends)
{
	struct traceback_task task = {
		.regs = regs, .signo = death->signo, .tid = (uint32_t)sys_gettid()};

	if (!__atomic_load_n(&traceback.pages, __ATOMIC_ACQUIRE))
		return;
	task.into = ring_traceback_begin(ring, death);
	if (!task.into)
		return;
	if (!traceback_is_due(ring, ends)) {
		ring_store(&task.into->seq, 0);
		return;
	}
	if (traceback_enter(task.tid, task.tid,
		    ends ? &traceback_patience : &traceback_impatience))
		return; /* it stays unfinished, and says so */
	traceback_run(&task);
	ring_traceback_publish(ring, task.into);
	traceback_leave(task.tid);
}
