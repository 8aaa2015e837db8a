/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_SNAPSHOT_H
#define STACK_SNAPSHOT_H

/*
 * A snapshot is one process at one moment, raw: facts of each thread, its registers, the maps, and
 * an excerpt of memory that holds the stacks and whatever else the walk has read (Python's objects,
 * the vDSO). Everything later is a function of this and of the modules: evidence/format/stacks.h
 * packs it into an exhibit, and decode/stacks/decode-stacks.c walks it again.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "stack/excerpt.h"
#include "stack/python-frames.h"
#include "stack/unwind.h"

/* How a thread was looked at. */
enum snapshot_how {
	SNAPSHOT_PEEKED,  /* without stopping it: SP and PC of a blocked thread */
	SNAPSHOT_STOPPED, /* it was stopped: all registers */
	SNAPSHOT_UNMOVED, /* proved not to have run since the sample before: same stack */
	SNAPSHOT_RUNNING, /* it ran: no stack without stopping it */
	SNAPSHOT_CORE,    /* out of a core file: all registers */
	SNAPSHOT_FAILED,  /* no stack: `error` says why */
};

struct snapshot_thread {
	uint32_t tid;	 /* tid as the gatherer sees it */
	uint32_t own;	 /* tid as the process sees it: differs in a pid namespace */
	char comm[16];	 /* "" not known */
	char state;	 /* R S D T t Z X; 0 not known */
	enum snapshot_how how;
	/* errno, 0 none: ESRCH it went away, EPERM, ETIMEDOUT it did not stop in time */
	int error;
	const char *wchan; /* function of the kernel that it waits in; "" not known */
	const char *kernel; /* text of /proc/.../stack; "" not known or not allowed */
	bool in_syscall; /* it is blocked in the kernel: `syscall` and `args` hold */
	int64_t syscall; /* the system call's number; -1: blocked in a fault */
	uint64_t args[6];
	uint64_t cpu_ticks; /* utime + stime, in clock ticks */
	/* times that it was put on a processor: equal means that it has not moved */
	uint64_t run_count;
	/* how many of these, the latest ones, were only to stop for us and to go on */
	uint64_t our_runs;
	uint64_t run_ns, wait_ns; /* nanoseconds on a processor, and waiting for one */
	/* nanoseconds that it had not run for, at least, when it was read; 0 not known */
	uint64_t asleep_ns;
	uint64_t stopped_ns; /* nanoseconds that it stood still for us; 0: it was not stopped */
	bool moved; /* it ran before all was read: its Python frames may be of a moment later */
	/*
	 * Of RUNNING with regs: the thread was in that frame a moment ago (stack/unwind-trail.h),
	 * and may have been in frames further in, which do not show.
	 */
	bool deeper;
	/* all of PEEKED has: SP, IP, and the arguments of its system call */
	struct unwind_regs regs;
};

/*
 * How a process is looked at: the modes of proc/threads/capture.h, which says what they mean; and a
 * core file.
 */
enum snapshot_mode {
	SNAPSHOT_NEVER,
	SNAPSHOT_BLOCKED_FALLBACK,
	SNAPSHOT_CONSISTENT,
	SNAPSHOT_OF_CORE,
};

struct snapshot {
	struct arena arena; /* holds threads and texts */
	uint32_t pid;	    /* pid as the gatherer sees it */
	uint32_t own;	    /* pid as it sees itself */
	uint64_t start_time; /* ticks since boot, as /proc/PID/stat has it */
	uint32_t sample;    /* from 0: the first, second, third sample of one look */
	int64_t when;	    /* nanoseconds of CLOCK_REALTIME */
	enum snapshot_mode mode;
	/* longest time that the process stood still for us at a stretch, in ns; 0 not at all */
	int64_t longest_stop;
	const char *exe;    /* "" not known */
	const char *maps;   /* text of /proc/PID/maps; "" could not be read */
	const char *missing; /* for people: what could not be had, and what to do; "" nothing */
	struct snapshot_thread *threads; /* sorted by tid */
	size_t nthreads;
	struct python_place *places;
	size_t nplaces;
	bool mute; /* while it is taken: texts of the program's errors are not to be kept */
	struct excerpt *memory; /* owned; NULL none */
	int signo;		/* of a core: the signal that ended it; 0 none */
	int fault_code; /* its si_code: above 0 it is the kernel's, else somebody sent it */
	uint64_t fault_addr; /* its si_addr */
	uint32_t fault_tid; /* the thread that got it */
	uint32_t fault_sender; /* pid of who sent it; 0 not known, or not sent */
	/*
	 * Addresses in the process that the walks have met, sorted: those to look names up for.
	 * They are no part of the exhibit. NULL: nobody has walked yet (proc/threads/walk.h does).
	 */
	uint64_t *pcs;
	size_t npcs;
};

/* Leaves the empty snapshot. Takes NULL. */
void snapshot_release(struct snapshot *snapshot);

/*
 * True if the process had ended when it was looked at: all of its threads were gone. It may be a
 * zombie that its parent has not waited for yet.
 */
bool snapshot_of_ended(const struct snapshot *snapshot) __attribute__((nonnull));

#endif
