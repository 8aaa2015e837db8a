/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_THREADS_H
#define PROC_THREADS_H

/*
 * Reads facts about the threads of a process out of /proc/PID/task/TID: files that neither stop a
 * thread nor take the address space's lock. `syscall` is the one that tells where a blocked thread
 * stands: the kernel gives stack pointer and program counter of any thread that does not run.
 *
 * A RUN COUNT (schedstat's third number) goes up whenever the thread is put on a processor. Read it
 * before and after looking at a blocked thread: if it is equal, what was seen in between held all
 * the time. Where the kernel keeps none, context switches stand for it. Those go up only when a
 * thread leaves the processor, so that threads_where() must be asked again as well (`coarse`).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "stack/snapshot.h"

struct sleep_clock;

struct threads {
	uint32_t pid;
	int dir;     /* descriptor of its task folder; -1 none */
	bool nested; /* it lives in a pid namespace of its own */
	bool coarse; /* there is no schedstat here */
	struct sleep_clock *clock; /* borrowed; NULL: how long threads sleep is not asked */
};

struct thread_ids {
	ARRAY(uint32_t) all; /* ascending */
	size_t left_out;     /* how many more there are */
};

/* Opens the threads of a process; threads_close() in any case. 0, or -ESRCH or another -errno. */
int threads_open(struct threads *threads, uint32_t pid) __attribute__((nonnull));
/* Closes the folder, also if it was never opened. */
void threads_close(struct threads *threads) __attribute__((nonnull));

/* Replaces ret by the threads that are there now, at most `cap`. Returns 0 or -errno. */
int threads_list(const struct threads *threads, size_t cap, struct thread_ids *ret)
	__attribute__((nonnull));

/*
 * Fills in what the files of thread->tid tell, in the order in which they must be read: run count;
 * where it stands (SP and IP in regs, or an error); name, state, times; if it is blocked for how
 * long, if there is a clock; wchan, kernel stack. Texts go into the arena. Returns -ESRCH if it is
 * gone, else 0: what may not be read is not known. thread->error is left 0; EPERM or EACCES if we
 * may not know where it stands; ENOSYS if this kernel tells nobody; EAGAIN if it runs; ESRCH if it
 * is ending.
 */
int threads_read(const struct threads *threads, struct snapshot_thread *thread,
	struct arena *arena) __attribute__((nonnull));

/* Reads only a thread's state, as in stat; 0 if it is gone. */
char threads_state(const struct threads *threads, uint32_t tid) __attribute__((nonnull));

/* Reads only its run count and times. Returns 0 or -errno. */
int threads_runs(const struct threads *threads, struct snapshot_thread *thread)
	__attribute__((nonnull));

/*
 * Reads only where it stands. Returns 0 if that is known now; else -errno, as threads_read() leaves
 * it in thread->error.
 */
int threads_where(const struct threads *threads, struct snapshot_thread *thread)
	__attribute__((nonnull));

#endif
