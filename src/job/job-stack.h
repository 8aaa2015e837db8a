/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job-stack.h: stacks of a job as facts: the frames, each thread's stack, how those of a process
 * were taken. What is unknown, who owns what and what a cite is, job.h says.
 */
#ifndef JOB_JOB_STACK_H
#define JOB_JOB_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rank.h"
#include "job/known.h"

/* A place in code that stands on a stack; each place once in a job, by index. */
enum job_frame_kind {
	JOB_FRAME_NATIVE,
	JOB_FRAME_PYTHON,
	JOB_FRAME_KERNEL, /* where the thread sits in the kernel, as /proc/.../stack names it */
};

struct job_frame {
	enum job_frame_kind kind;
	const char *function; /* demangled; Python's qualified name; "" unknown */
	const char *module;   /* native: the file's name without folders, "[vdso]", "[anon-exec]" */
	const char *file;     /* Python: co_filename; native: source file; "" not known */
	int line;	      /* 0 not known */
	uint64_t offset;      /* native without a function: address in the module; else 0 */
	bool plumbing;	      /* the interpreter's frame between Python frames, or one of inquest */
	bool guessed;	      /* found without unwind information */
};

enum job_stack_how {
	JOB_STACK_PEEKED,
	JOB_STACK_STOPPED, /* its thread was stopped for it */
	JOB_STACK_CORE,
	JOB_STACK_FATAL,   /* the thread's own handler wrote it down */
	JOB_STACK_NONE,	   /* no stack: `cut` says why */
};

/*
 * One thread's stack, native and Python frames in one, innermost first. If there are several
 * samples, this is the latest; how they compare is beside it.
 */
struct job_stack {
	struct rank_index rank; /* NO_RANK: of a process of no rank */
	int process;
	uint32_t tid;	/* as the gatherer saw it */
	bool main;	/* the process' first thread */
	const char *thread; /* its name; "" unknown */
	enum job_stack_how how;
	const uint32_t *frames; /* indexes into job->frames */
	size_t nframes;
	bool merged;	/* Python and native frames are in their true order */
	const char *cut; /* why it is not whole; "" it is */
	bool rooted;	/* cut further in: its outermost frames are known all the same */
	char state;	/* R S D T, 0 unknown */
	const char *wchan;   /* "" unknown */
	const char *syscall; /* its name, "futex"; "" in none, or unknown */
	uint64_t args[6];
	int64_t cpu_delta;   /* ns of CPU between first and last sample; JOB_UNKNOWN */
	uint64_t runs;	     /* times it was put on a processor; 0 not known */
	int64_t asleep; /* ns: it had not run for at least so long, says the kernel; 0 unknown */
	unsigned samples;    /* how many samples there are of it */
	enum job_known moved; /* its frames differ between samples, or it ran; NO: proved still */
	size_t still;	/* outermost frames that are equal in all samples */
	enum job_known holds_gil;
	bool waits_gil; /* it sleeps in a futex that is Python's GIL */
	const char *handling; /* exception that it handles: "ValueError: ..."; "" none known */
	int64_t when;
	const char *cite;
};

enum job_snapshot_mode {
	JOB_SNAPSHOT_NEVER,	 /* nobody was stopped */
	JOB_SNAPSHOT_FALLBACK,	 /* those threads that could not be read otherwise, one by one */
	JOB_SNAPSHOT_CONSISTENT, /* all threads at once */
	JOB_SNAPSHOT_CORE,	 /* out of a core file */
};

/* How the stacks of one process were taken, all samples of one look together. */
struct job_snapshot {
	struct rank_index rank; /* NO_RANK: of a process of no rank */
	int process;
	enum job_snapshot_mode mode;
	unsigned samples;
	unsigned threads; /* in the latest sample */
	unsigned stopped; /* threads that inquest stopped, in any sample */
	unsigned cut;	/* threads without a whole stack, which stopping them would have given */
	int64_t longest_stop; /* ns: the longest time for which a thread was stopped; 0 none was */
	int64_t span;	/* ns between the first and the last sample */
	int64_t when;	/* of the latest */
	/*
	 * The libraries that it has mapped, between slashes: "/libc.so.6/libm.so.6/"; "" unknown.
	 */
	const char *modules;
	const char *cite;
};

#endif
