/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activities.h: what a rank is doing, by its stacks: the ACTIVITY of the thread that does its work.
 * Which places in code tell which activity is one table, activities-table.c.
 *
 * Some activities wait for other ranks; the others keep a rank from where others wait for it. An
 * activity is never guessed from silence: it is unknown where a stack was cut and no frame tells.
 */
#ifndef VERDICT_ACTIVITIES_H
#define VERDICT_ACTIVITIES_H

#include "job/stacktree/stackfacts.h"
#include "job/waitfor/waits.h"

enum activity {
	ACTIVITY_UNKNOWN,
	/* The rank waits for others: */
	ACTIVITY_COLLECTIVE,
	ACTIVITY_P2P,
	ACTIVITY_INIT,   /* in the init of a communicator or process group */
	ACTIVITY_STORE,  /* for a key of PyTorch's store, or for the store itself */
	ACTIVITY_DEVICE, /* for the GPU, which may be behind an operation of all ranks */
	/* The rank is elsewhere: */
	ACTIVITY_FROZEN,
	ACTIVITY_IO, /* uninterruptible in the kernel */
	ACTIVITY_COMPILE,
	ACTIVITY_INPUT,
	ACTIVITY_CHECKPOINT,
	ACTIVITY_LOCK,
	ACTIVITY_GIL,
	ACTIVITY_USER, /* in the program's own code */
	ACTIVITIES
};

/* Calls that have no name in code: posture.call is one of these, or a name (words/things.c). */
#define CALL_STORE          "<store>"
#define CALL_STORE_ID       "<store-id>"
#define CALL_JAX_BARRIER    "<jax-barrier>"
#define CALL_JAX_KEY        "<jax-key>"
#define CALL_DDP            "<ddp>"
#define CALL_FUTURE         "<future>"
#define CALL_RPC            "<rpc>"
#define CALL_SHARED_BARRIER "<shared-barrier>"
#define CALL_MESSAGES       "<messages>"
#define CALL_VALUE          "<value>"
#define CALL_COMPUTATION    "<computation>"
#define CALL_FILE_LOCK      "<file-lock>"
#define CALL_PROCESS_LOCK   "<process-lock>"
#define CALL_MUTEX          "<mutex>"

/* What one rank does, by its stacks. */
struct posture {
	enum activity activity;
	const struct job_stack *stack; /* stack of the thread that tells it; NULL: there is none */
	long telling;                  /* number of its frame that tells; -1 none */
	long base;                     /* the outermost frame that tells the same */
	long program;                  /* its innermost frame of the program itself
				        * (stackfacts_program()); -1 none */
	const char *call;              /* what it waits in: "all_reduce", "flock"; "" not known */
	bool for_zero;       /* INIT, STORE: needs what rank 0 gives: the store, a unique id */
	bool for_store;      /* it needs the store itself */
	bool for_ranks;      /* it has opened the store, and waits there for all others */
	bool own_lock;       /* LOCK: held by one of its own threads, not a file lock */
	bool for_thread;     /* it waits for a thread of its own: its end, an event, a queue */
	bool locked;         /* COMPILE, INPUT, CHECKPOINT: it waits for a file's lock there: */
	long lock_base;      /* outermost frame that takes the lock; -1: only the kernel tells of
			      * it */
	int64_t lock_stands; /* ns for which it waited for the lock without a break; JOB_UNKNOWN */
	const struct job_stack *holder; /* GIL: the thread that holds it; NULL not known */
	const struct job_stack *runner; /* the thread that carries the operation out; NULL: the
					 * thread of `stack` does */
	bool unsure; /* it is elsewhere, but a wait for others may be hidden there */
	bool maybe_zero; /* as far as its stack shows, it may wait for what rank 0 gives */
	bool asks; /* USER: it may ask there again and again, by a call that nobody knows */
	bool passed; /* it waits, and was seen elsewhere in its program a moment before, in the
		      * same samples */
	enum job_known moved;           /* whether the thread was seen to move between samples */
	int64_t stands; /* ns for which it was in this activity without a break; JOB_UNKNOWN */
	int64_t watched; /* the part of that in which samples saw other ranks, too */
	/*
	 * Another thread of the program that stands in a collective, the one that has stood longest
	 * (NULL: none does); its call, its frame of the program, and for how many ns it has stood.
	 */
	const struct job_stack *aside;
	const char *aside_call;
	long aside_program;
	int64_t aside_stands;
	/* ns between samples that all show it at one line of its program, whatever it did since */
	int64_t lingers;
};

/*
 * What a line of the table means for a stack. Lines are asked of each frame, from the innermost
 * outwards.
 */
enum activity_force {
	ACTIVITY_DECIDES, /* the innermost frame with such a line is what the rank waits in */
	ACTIVITY_SPANS,   /* it covers all frames further in, except those that decide */
	ACTIVITY_HINTS,   /* it counts only where no other frame decides or spans */
	ACTIVITY_THREADS, /* a hint that another thread of the process does the work */
};

struct activity_line {
	enum activity activity;
	enum activity_force force;
	struct stackfacts_place place;
	const char *call; /* NULL: the function's own name (activity_name_call()) */
};

extern const struct activity_line activity_lines[];
extern const size_t activity_nlines;

/* Returns the postures of all ranks, by rank; never NULL, free() it. They point into the job. */
struct posture *activities_new(const struct job *job);

/*
 * Returns what postures tell the wait-for graph, by rank, where no ring is newer; never NULL,
 * free() it. Points into the job.
 */
struct waits_told *activities_told(const struct job *job, const struct posture *postures);

/* True if two postures may be in one call by its name: "all_reduce" is NCCL's "ncclAllReduce". */
bool activities_may_be_one_call(const struct posture *a, const struct posture *b);

/* Returns the ns for which samples prove that a thread did not move; JOB_UNKNOWN: they do not. */
int64_t activities_stood(const struct job *job, const struct job_stack *stack);

/*
 * True if some frame of the stack is of a GPU's driver or runtime: on CPUs nobody waits for a GPU.
 */
bool activities_on_gpu(const struct job *job, const struct job_stack *stack);

/* True if the rank waits for a file lock, which another rank may hold. */
bool activities_in_file_lock(const struct posture *p);
/* True if that activity waits for other ranks. */
bool activities_waits(enum activity activity);
/* True if that activity is known not to wait for other ranks. */
bool activities_elsewhere(enum activity activity);

#endif
