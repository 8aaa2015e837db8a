/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_STOP_H
#define PROC_STOP_H

/*
 * Stops threads for as long as it takes to read their registers and stacks: PTRACE_SEIZE and
 * PTRACE_INTERRUPT, with a deadline, then PTRACE_DETACH. This is the only place that disturbs
 * anybody. Ten kinds of system calls that block return EINTR after it although no signal came:
 * epoll_wait, epoll_pwait2, recv and send with a time limit, semop, semtimedop, sigtimedwait,
 * sigwaitinfo, io_getevents; all others go on as if nothing had been.
 *
 * The tracer is a thread of its own. When it ends, in whatever way, the kernel lets go all that it
 * holds: also a thread that only stops (or ends, or calls exec) after its deadline, and everything
 * if this process is killed. Therefore no option is ever set, PTRACE_O_EXITKILL least of all.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "proc/threads/threads.h"
#include "stack/unwind.h"

enum stop_how {
	STOP_EACH, /* one after the other, while the others run */
	STOP_ALL,  /* all of the process at once, also those that appear meanwhile */
};

struct stop_thread {
	uint32_t tid;
	/* errno; 0: it stopped; ESRCH gone; EPERM not allowed, or traced already; ETIMEDOUT */
	int error;
	struct unwind_regs regs;
	int64_t asked, released; /* ns of CLOCK_MONOTONIC */
};

struct stop {
	/* Asked: */
	const struct threads *threads;
	enum stop_how how;
	int deadline_ms; /* ms; five times as many for a thread that only waits for a processor */
	size_t cap; /* threads, at most; the rest is not stopped */
	/*
	 * Called with `arg` while threads stand still: by STOP_EACH for each that does, by STOP_ALL
	 * once with all, of which those with an error do not. They lose the time that it takes. It
	 * runs in the tracer's thread. NULL: nothing is called.
	 */
	void (*during)(void *arg, const struct stop_thread *now, size_t nr);
	void *arg;
	/*
	 * With STOP_EACH the caller fills in the tids to stop; with STOP_ALL these are all that
	 * were found.
	 */
	ARRAY(struct stop_thread) all;
	int64_t longest; /* result: ns for which someone stood still at a stretch, at most */
};

/*
 * Stops the threads, calls `during`, lets them go. Returns 0, or -errno if no thread could even be
 * tried.
 */
int stop_run(struct stop *stop) __attribute__((nonnull));

/* Frees `all`. Takes NULL. */
void stop_release(struct stop *stop);

#endif
