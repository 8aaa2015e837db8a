/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CAPTURE_H
#define PROC_CAPTURE_H

/*
 * Taking the stacks of all threads of a process (struct snapshot), in one of three ways:
 *
 * NEVER stops nobody: /proc/PID/task/TID/syscall gives SP and PC of a blocked thread, its stack is
 * copied by process_vm_readv (or /proc/PID/mem), and its run count before and after proves that it
 * did not move meanwhile. Nothing in the target notices: no signal, no EINTR.
 * BLOCKED_FALLBACK does the same, then stops one by one (PTRACE_SEIZE, INTERRUPT, a deadline) those
 * threads that ran or whose walk needs a register.
 * CONSISTENT stops all threads of the process at once, copies registers and stacks, lets them go,
 * and walks afterwards. It must not be used where the target may be traced by others.
 *
 * A tracer that dies leaves nobody stopped. What takes the target's mmap lock may block for ever
 * (a thread in D state): call this in a process that may be left behind (proc/helper.h
 * does).
 *
 * The walk is made here too, so that the excerpts hold all that the same walk will need later.
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
	 * Whole copies of the stacks are kept, for walkers to come. Else the snapshot has of all
	 * memory only the bytes that the walks have read. Arguments and environment it never has.
	 */
	bool raw_stacks;
	bool no_logs; /* of what the program's errors say nothing is kept */
	bool facts_only;     /* only what takes no lock of the target: no stacks, all FAILED */
	uint32_t means;	 /* the pid that means its job, for who is told what to type; 0 none */
	uint32_t sample; /* its number */
	/*
	 * The sample before: threads that have not run since are SNAPSHOT_UNMOVED and carry no
	 * stack. NULL for the first.
	 */
	const struct snapshot *before;
	int stop_ms; /* how long to wait for a thread to stop, as proc/threads/stop.h; 0: 20 */
	size_t stack_cap;    /* bytes of stack copied per thread; 0: 1 MiB */
	size_t threads_cap;  /* 0: 4096 */
	struct sleep_clock *clock; /* of one gathering; NULL: how long they sleep is not asked */
};

/*
 * Fills ret, which snapshot_release() releases in any case. images is shared by all processes of
 * one gathering. 0 also where only part of it could be had (ret->missing says what and what to do);
 * -ESRCH where the process is gone, -EPERM with words that say what to do where nothing may be
 * read.
 */
int capture_take(struct proc_id id, const struct capture_options *options, struct images *images,
	struct snapshot *ret, struct complaint *why) __attribute__((nonnull(2, 3, 4)));

#endif
