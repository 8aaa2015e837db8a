/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CAPTURE_H
#define PROC_CAPTURE_H

/*
 * Takes the stacks of all threads of a process (struct snapshot), in one of three ways:
 *
 * NEVER stops nobody. /proc/PID/task/TID/syscall gives SP and PC of a blocked thread, its stack is
 * copied by process_vm_readv (or /proc/PID/mem), and its run count before and after proves that it
 * did not move meanwhile. Nothing in the target notices: no signal, no EINTR.
 *
 * BLOCKED_FALLBACK does the same, then stops one by one (PTRACE_SEIZE, INTERRUPT, a deadline) those
 * threads that ran or whose walk needs a register.
 *
 * CONSISTENT stops all threads of the process at once, copies registers and stacks, lets them go,
 * and walks afterwards. It must not be used where the target may be traced by others.
 *
 * A tracer that dies leaves nobody stopped. What takes the target's mmap lock may block for ever
 * (if a thread of it is in D state), so call this in a process that may be left behind
 * (proc/helper.h).
 *
 * The walk is made here, too, so that the excerpts hold all that the same walk will need later.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "proc/read.h"
#include "proc/symbols/image.h"
#include "stack/snapshot.h"

struct capture_options {
	enum snapshot_mode mode;
	/*
	 * Keep copies of the stacks' inner ends as well, for walkers to come. Else the snapshot has
	 * of all memory only the bytes that the walks have read. It never has arguments and
	 * environment.
	 */
	bool raw_stacks;
	bool no_logs; /* keep nothing of what the program's errors say */
	/* take only what takes no lock of the target: no stacks, all threads FAILED */
	bool facts_only;
	uint32_t means;	 /* the pid that a reader is told to type for its job; 0 none */
	uint32_t sample; /* number of the snapshot, as in struct snapshot */
	/*
	 * The sample before this one: threads that have not run since are SNAPSHOT_UNMOVED and
	 * carry no stack. NULL for the first.
	 */
	const struct snapshot *before;
	int stop_ms; /* ms to wait for a thread to stop, as proc/threads/stop.h does; 0: 20 */
	size_t stack_cap;    /* bytes of stack copied per thread; 0: 1 MiB */
	size_t threads_cap;  /* threads, at most; 0: 4096 */
	/* shared by one gathering; NULL: how long threads sleep is not asked */
	struct sleep_clock *clock;
};

/*
 * Takes a snapshot into ret; snapshot_release() it in any case. `images` is shared by all processes
 * of one gathering. Returns 0 also if only part of it could be had (ret->missing says what, and
 * what to do); -ESRCH if the process is gone; -EPERM, with words that say what to do, if nothing
 * may be read; or another -errno.
 */
int capture_take(struct proc_id id, const struct capture_options *options, struct images *images,
	struct snapshot *ret, struct complaint *why) __attribute__((nonnull(2, 3, 4)));

#endif
