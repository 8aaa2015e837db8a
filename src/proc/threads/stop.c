/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread that was told to stop may answer, and what becomes of it:
 *
 *	PTRACE_EVENT_STOP, SIGTRAP	it stopped for us, in a system call that will be restarted
 *	PTRACE_EVENT_STOP, other	it stood in a group stop already (SIGSTOP); it stays there
 *	a signal			it was about to get one: it gets it when it is let go
 *	exited				it is reaped, else its process could not end
 *	nothing				it sleeps in the kernel: it is left at its deadline
 *
 * A thread that stopped is let go by DETACH. One that did not cannot be, until the tracer ends,
 * which is soon.
 */
#include "proc/threads/stop.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define STOP_WAVES    16 /* rounds of stopping threads that have appeared meanwhile */
#define STOP_EAGER    20 /* times that we ask before we sleep in between */
#define STOP_NAP_US   50
#define STOP_PATIENCE 5 /* deadlines that a thread gets which only waits for a processor */

/* A thread on its way to a stop. */
struct stop_state {
	bool waited; /* it was asked, and has not answered yet */
	bool stands;
	int signal; /* the signal that it is to get when it is let go; 0 none */
};

struct stop_tracer {
	struct stop *stop;
	ARRAY(struct stop_state) states; /* one for each of stop->all */
	int error;
};

#if defined(__x86_64__)
/* Where each of DWARF's registers lies in user_regs_struct. */
static const size_t stop_offsets[UNWIND_REGS] = {
	offsetof(struct user_regs_struct, rax), offsetof(struct user_regs_struct, rdx),
	offsetof(struct user_regs_struct, rcx), offsetof(struct user_regs_struct, rbx),
	offsetof(struct user_regs_struct, rsi), offsetof(struct user_regs_struct, rdi),
	offsetof(struct user_regs_struct, rbp), offsetof(struct user_regs_struct, rsp),
	offsetof(struct user_regs_struct, r8),	offsetof(struct user_regs_struct, r9),
	offsetof(struct user_regs_struct, r10), offsetof(struct user_regs_struct, r11),
	offsetof(struct user_regs_struct, r12), offsetof(struct user_regs_struct, r13),
	offsetof(struct user_regs_struct, r14), offsetof(struct user_regs_struct, r15),
	offsetof(struct user_regs_struct, rip),
};

/*
 * Reads all registers of a thread that stands. Returns 0 or an errno; EPROTO for a 32-bit process.
 */
static int stop_registers(uint32_t tid, struct unwind_regs *ret)
{
	struct user_regs_struct user;
	struct iovec iovec = {&user, sizeof(user)};

	if (ptrace(PTRACE_GETREGSET, (pid_t)tid, (void *)(uintptr_t)NT_PRSTATUS, &iovec) < 0)
		return errno;
	if (iovec.iov_len != sizeof(user))
		return EPROTO;
	for (size_t i = 0; i < UNWIND_REGS; i++)
		memcpy(&ret->value[i], (const char *)&user + stop_offsets[i],
			sizeof(ret->value[i]));
	ret->known = (1u << UNWIND_REGS) - 1;
	return 0;
}
#else
/* Walks know x86-64 only, so that elsewhere there is nothing to stop anybody for. */
static int stop_registers(uint32_t tid, struct unwind_regs *ret)
{
	(void)tid;
	ret->known = 0;
	return ENOSYS;
}
#endif

/* Tells a thread to stop. */
static void stop_ask(struct stop_thread *thread, struct stop_state *state)
{
	thread->asked = thread->released = clock_monotonic_ns();
	thread->error = ETIMEDOUT;
	if (ptrace(PTRACE_SEIZE, (pid_t)thread->tid, NULL, NULL) < 0 ||
		ptrace(PTRACE_INTERRUPT, (pid_t)thread->tid, NULL, NULL) < 0)
		thread->error = errno;
	else
		state->waited = true;
}

/* True if a thread has answered by now; then its registers are read, if it stands. */
static bool stop_answered(struct stop_thread *thread, struct stop_state *state)
{
	int status;
	pid_t got = waitpid((pid_t)thread->tid, &status, __WALL | WNOHANG);

	if (got == 0 || (got < 0 && errno == EINTR))
		return false;
	state->waited = false;
	if (got < 0 || !WIFSTOPPED(status)) {
		thread->error = ESRCH;
		return true;
	}
	if (status >> 16 != PTRACE_EVENT_STOP)
		state->signal = WSTOPSIG(status);
	state->stands = true;
	thread->error = stop_registers(thread->tid, &thread->regs);
	return true;
}

/* True if a thread that we wait for would stop, had it a processor. */
static bool stop_has_runnable(const struct stop_tracer *tracer, size_t first)
{
	for (size_t i = first; i < tracer->states.nr; i++)
		if (tracer->states.items[i].waited &&
			threads_state(tracer->stop->threads, tracer->stop->all.items[i].tid) ==
				'R')
			return true;
	return false;
}

/*
 * True if it is too late to wait any longer for threads from `first` on, which were asked at
 * `from`.
 */
static bool stop_is_late(const struct stop_tracer *tracer, size_t first, int64_t from)
{
	int64_t ns = clock_monotonic_ns() - from;
	int64_t deadline = tracer->stop->deadline_ms * CLOCK_NS_PER_MS;

	return ns > deadline &&
	       (ns > STOP_PATIENCE * deadline || !stop_has_runnable(tracer, first));
}

/* Waits for the threads from `first` on, and reads the registers of those that stand. */
static void stop_await(struct stop_tracer *tracer, size_t first, int64_t from)
{
	for (unsigned tries = 0;; tries++) {
		size_t left = 0;

		for (size_t i = first; i < tracer->states.nr; i++)
			if (tracer->states.items[i].waited &&
				!stop_answered(&tracer->stop->all.items[i],
					&tracer->states.items[i]))
				left++;
		if (!left || stop_is_late(tracer, first, from))
			return;
		if (tries < STOP_EAGER)
			sched_yield();
		else
			usleep(STOP_NAP_US);
	}
}

/* Lets the threads from `first` on go. */
static void stop_let_go(struct stop_tracer *tracer, size_t first)
{
	struct stop *stop = tracer->stop;

	for (size_t i = first; i < tracer->states.nr; i++) {
		struct stop_state *state = &tracer->states.items[i];

		if (state->stands)
			ptrace(PTRACE_DETACH, (pid_t)stop->all.items[i].tid, NULL,
				(void *)(intptr_t)state->signal);
		if (state->stands)
			stop->all.items[i].released = clock_monotonic_ns();
		state->stands = false;
	}
}

static void stop_note_longest(struct stop *stop, int64_t from)
{
	int64_t ns = clock_monotonic_ns() - from;

	stop->longest = ns > stop->longest ? ns : stop->longest;
}

/* Asks each thread, reads it and lets it go, one after the other. */
static void stop_each(struct stop_tracer *tracer)
{
	struct stop *stop = tracer->stop;

	for (size_t i = 0; i < stop->all.nr; i++) {
		struct stop_thread *thread = &stop->all.items[i];

		(void)array_add(&tracer->states);
		stop_ask(thread, &tracer->states.items[i]);
		stop_await(tracer, i, thread->asked);
		if (!tracer->states.items[i].stands)
			continue;
		if (!thread->error && stop->during)
			stop->during(stop->arg, thread, 1);
		stop_let_go(tracer, i);
		stop_note_longest(stop, thread->asked);
	}
}

/* True if a list has this tid. *at walks along with the question: both ascend. */
static bool stop_listed(const struct thread_ids *ids, size_t *at, uint32_t tid)
{
	while (*at < ids->all.nr && ids->all.items[*at] < tid)
		++*at;
	return *at < ids->all.nr && ids->all.items[*at] == tid;
}

/* Asks all threads that are there and were not in the wave before. True if there were any. */
static bool stop_wave(
	struct stop_tracer *tracer, struct thread_ids *ids, const struct thread_ids *before)
{
	struct stop *stop = tracer->stop;
	size_t was = stop->all.nr, at = 0;
	uint32_t *tid;
	int error = threads_list(stop->threads, stop->cap, ids);

	if (error) {
		tracer->error = was ? 0 : -error;
		return false;
	}
	array_for_each(&ids->all, tid) {
		if (stop_listed(before, &at, *tid))
			continue;
		array_add(&stop->all)->tid = *tid;
		stop_ask(&stop->all.items[stop->all.nr - 1], array_add(&tracer->states));
	}
	return stop->all.nr > was;
}

/*
 * Stops all threads, wave after wave: a process whose threads stand makes no more of them, so that
 * after some waves none is new.
 */
static void stop_all(struct stop_tracer *tracer)
{
	struct stop *stop = tracer->stop;
	int64_t from = clock_monotonic_ns();
	struct thread_ids ids[2] = {0};

	for (int wave = 0; wave < STOP_WAVES; wave++) {
		if (!stop_wave(tracer, &ids[wave % 2], &ids[1 - wave % 2]))
			break;
		stop_await(tracer, 0, from);
	}
	array_release(&ids[0].all);
	array_release(&ids[1].all);
	if (stop->all.nr && stop->during)
		stop->during(stop->arg, stop->all.items, stop->all.nr);
	stop_let_go(tracer, 0);
	if (stop->all.nr)
		stop_note_longest(stop, from);
}

/* The tracer's thread. */
static void *stop_trace(void *arg)
{
	struct stop_tracer *tracer = arg;

	if (tracer->stop->how == STOP_ALL)
		stop_all(tracer);
	else
		stop_each(tracer);
	return NULL;
}

int stop_run(struct stop *stop)
{
	struct stop_tracer tracer = {.stop = stop};
	pthread_t thread;
	int error;

	stop->longest = 0;
	error = pthread_create(&thread, NULL, stop_trace, &tracer);
	if (error)
		return -error;
	pthread_join(thread, NULL);
	array_release(&tracer.states);
	return -tracer.error;
}

void stop_release(struct stop *stop)
{
	if (stop)
		array_release(&stop->all);
}
