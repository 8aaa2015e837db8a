/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_SNAPSHOT_H
#define STACK_SNAPSHOT_H

/*
 * One process at one moment, raw: facts of each thread, its registers, the maps, and an excerpt of
 * memory that holds the stacks and whatever else the walk has read (Python's objects, the vDSO).
 * Everything later is a function of this and of the modules: evidence/format/stacks.h packs it into
 * an exhibit, decode/stacks/decode-stacks.c walks it again.
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
	uint32_t tid;	 /* as the gatherer sees it */
	uint32_t own;	 /* as the process sees it: differs in a pid namespace */
	char comm[16];	 /* "" not known */
	char state;	 /* R S D T t Z X; 0 not known */
	enum snapshot_how how;
	int error;	 /* errno: ESRCH it went away, EPERM, ETIMEDOUT it did not stop in time */
	const char *wchan; /* "" not known */
	const char *kernel; /* /proc/.../stack, lines; "" not known or not allowed */
	bool in_syscall;
	int64_t syscall; /* number; -1: blocked in a fault */
	uint64_t args[6];
	uint64_t cpu_ticks; /* utime + stime */
	uint64_t run_count; /* times it was put on a processor: equal means that it has not moved */
	uint64_t our_runs; /* so many of these, the latest, were only to stop for us and to go on */
	uint64_t run_ns, wait_ns; /* on a processor; waiting for one */
	uint64_t asleep_ns; /* it had not run for at least so long when it was read; 0 not known */
	uint64_t stopped_ns; /* how long it stood still for us; 0 not at all */
	bool moved; /* it ran before all was read: its Python frames may be of a moment later */
	/*
	 * RUNNING, with regs: it was in that frame a moment ago (stack/unwind-trail.h), and maybe
	 * in others further in, which do not show.
	 */
	bool deeper;
	struct unwind_regs regs; /* of PEEKED: SP, IP, and the arguments of its system call */
};

/* The modes of proc/threads/capture.h, which says what they mean; and of a core file. */
enum snapshot_mode {
	SNAPSHOT_NEVER,
	SNAPSHOT_BLOCKED_FALLBACK,
	SNAPSHOT_CONSISTENT,
	SNAPSHOT_OF_CORE,
};

struct snapshot {
	struct arena arena; /* of threads and texts */
	uint32_t pid;	    /* as the gatherer sees it */
	uint32_t own;	    /* as it sees itself */
	uint64_t start_time;
	uint32_t sample;    /* from 0: of one look, the first, second, third */
	int64_t when;	    /* realtime ns */
	enum snapshot_mode mode;
	int64_t longest_stop; /* ns that the process stood still at a stretch; 0 not at all */
	const char *exe;    /* "" not known */
	const char *maps;   /* text of /proc/PID/maps; "" could not be read */
	const char *missing; /* what could not be had and what to do: "" nothing. For people */
	struct snapshot_thread *threads; /* by tid */
	size_t nthreads;
	struct python_place *places;
	size_t nplaces;
	bool mute; /* when it is taken: texts that the program's errors say are not kept */
	struct excerpt *memory; /* owned; NULL none */
	int signo;		/* of a core: what ended it; 0 none */
	int fault_code; /* si_code: above 0 by the kernel, else it was sent */
	uint64_t fault_addr;
	uint32_t fault_tid;
	uint32_t fault_sender; /* pid, of a signal that was sent; 0 not known */
	/*
	 * Addresses, of the process, that the walks have met: those to look names up for. Sorted;
	 * not part of the exhibit. NULL: nobody has walked yet (proc/threads/walk.h does).
	 */
	uint64_t *pcs;
	size_t npcs;
};

/* Leaves the empty snapshot. Takes NULL. */
void snapshot_release(struct snapshot *snapshot);

/* True if it is of a process that had ended, if not yet for its parent. */
bool snapshot_of_ended(const struct snapshot *snapshot) __attribute__((nonnull));

#endif
