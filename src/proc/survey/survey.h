/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_SURVEY_H
#define PROC_SURVEY_H

/*
 * Finds who on this machine is a rank, in jobs that know nothing of us: all processes, what each
 * claims (proc/survey/claims.h), what launchers and Slurm say of them, and what follows:
 *
 *	- of a process and its descendants with the same claim the topmost is the rank; the others
 *	  (loaders, compile workers) inherited it;
 *	- but a wrapper (a shell, a profiler) with such a descendant is none, nor is a launcher, nor
 *	  whoever has a task's number while torchrun's workers run below it;
 *	- nor, with such a descendant or without, is anything of inquest, or the shell of a session;
 *	- nor what a shell started beside the rank with the same claim, to read its output (tee);
 *	- RANK alone is a node's, unless several of one job here differ in it;
 *	- of a script that started itself again, with places and without ranks, all are ranks, and
 *	  so is who started them (proc/survey/places.h);
 *	- variables that a program set itself are seen in its helpers: their claim is its own;
 *	- of processes that say nothing, and that Python's multiprocessing or Ray started, the
 *	  memory is asked, and of any Python whether it is a process of a JAX job
 *	  (proc/survey/inside.h);
 *	- whoever was started beside processes of a JAX job and has not met them yet is one of them
 *	  (proc/survey/siblings.h);
 *	- a worker of torchrun whose environment cannot be read is known by its place among the
 *	  children of its launcher, who starts them in the order of LOCAL_RANK;
 *	- ranks with the same master and run id are one job, with whoever was started beside them
 *	  and has the number that they lack; where one number is there twice, or
 *	  nothing names the job, a job for each launcher; without any, for each generation.
 *
 * survey_take() asks the machine. Tests fill a survey by survey_add() and call survey_settle(),
 * which asks nobody.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/procstat.h"
#include "proc/survey/claims.h"
#include "proc/survey/launcher.h"

#define SURVEY_NONE (-1)

struct survey_process {
	struct procstat stat;
	uid_t uid;
	int error;		/* errno of reading its environment; 0 it was read */
	const char *command;	/* words by blanks, cut; "" not known */
	const struct launcher *launcher; /* NULL: it is none */
	int per_node;		/* of a launcher: ranks on this node, as its arguments say, */
	int node_rank;		/* and its node's number; both may be CLAIM_UNKNOWN */
	bool wrapper; /* launcher_is_wrapper(), or inquest under another name */
	bool inquest;		/* of ours: `inquest run', its agent, somebody's attach */
	bool session;		/* a shell that runs no script: no rank by itself */
	bool helper;		/* a worker or server that Python's multiprocessing started */
	bool python; /* it is a Python interpreter */
	bool ourselves;		/* we, or an ancestor of ours */
	bool torch_below;	/* below it runs somebody with another rank of its own */
	struct claims claims;
	int parent;		/* index; SURVEY_NONE */
	int under;		/* index of the nearest launcher above it; SURVEY_NONE */
	/* What survey_settle() concludes: */
	bool is_rank;
	/* of a rank: the claim that holds; its number may be CLAIM_UNKNOWN */
	struct rank_claim rank;
	const char *conflict;	/* who says otherwise; "" nobody */
	int job;		/* index; SURVEY_NONE */
};

/* Whether the ranks of a job stand still, by proc/survey/standing.h. */
enum survey_standing {
	SURVEY_UNLOOKED,
	SURVEY_STILL,
	SURVEY_BUSY,
};

struct survey_job {
	const char *id;	      /* a run id, "slurm 8841.0", "torchrun 4711", "pid 4711" */
	const char *launcher; /* "torchrun", "slurm", "env", ... */
	const char *folder;   /* folder of our own agent, if the job runs below one; "" none */
	uid_t uid;
	int world_size;	      /* as the ranks say; CLAIM_UNKNOWN */
	size_t ranks;
	uint32_t first_pid;   /* pid of its lowest rank */
	enum survey_standing standing; /* proc/survey/standing.h has looked */
	bool own;	      /* it has folders of ours, as the one who lists those has marked */
};

struct survey {
	struct arena arena;
	ARRAY(struct survey_process) all; /* by pid, once survey_sort() has been called */
	ARRAY(struct survey_job) jobs;
	size_t unreadable; /* processes (no kernel threads) whose environment we may not read */
	char step[64];	   /* the Slurm step that we are in ourselves; "" none */
};

/*
 * Lists all processes, reads what they claim (each file within deadline_ms), asks scontrol (in a
 * child that gets 2 s) if Slurm is at work here, and launchers for their MPIR_proctable, and
 * settles. Returns 0, or -errno if /proc cannot be listed.
 */
int survey_take(struct survey *survey, int deadline_ms) __attribute__((nonnull));

struct proc_list;

/* Does the same for these processes alone, and asks neither Slurm nor launchers. */
void survey_take_these(struct survey *survey, const struct proc_list *list, int deadline_ms)
	__attribute__((nonnull));

/*
 * Adds a process; the blocks are as in claims_read(), `error` is the errno of reading `environ`.
 * Returns it, valid until the next one is added.
 */
struct survey_process *survey_add(struct survey *survey, const struct procstat *stat, int error,
	const char *environ, size_t environ_len, const char *cmdline, size_t cmdline_len)
	__attribute__((nonnull(1, 2)));

/* Returns the process with that pid, after survey_sort(); NULL if there is none. */
struct survey_process *survey_find(struct survey *survey, uint32_t pid) __attribute__((nonnull));

/* Sorts by pid and finds parents and launchers. Call it before somebody else's word is added. */
void survey_sort(struct survey *survey) __attribute__((nonnull));

/*
 * Adds what somebody else says of a process as a claim, behind claims of its own and before those
 * of a task. `whose` is the user who says it: only root (0), and Slurm, which counts as root, may
 * speak of another user's process.
 */
void survey_add_word(struct survey *survey, uint32_t pid, const struct rank_claim *claim,
	uid_t whose) __attribute__((nonnull));

/*
 * Asks the memory of processes that may be ranks and do not say so, within deadline_ms each, and
 * only some of them. Call it before survey_settle(), which asks nobody.
 */
void survey_ask_inside(struct survey *survey, int deadline_ms) __attribute__((nonnull));

/*
 * What was found inside of a process: its variables of now; which of spawn's processes it is, and
 * of how many; which process of a JAX job, of how many, and where they meet. A number is
 * CLAIM_UNKNOWN where it is none, or not known.
 */
struct survey_inside {
	const char *environ; /* as in claims_read() */
	size_t len;
	int place;
	int places;
	int process_id;
	int num_processes;
	const char *coordinator; /* "" not known */
};

/* Adds what was found inside of a process. */
void survey_add_inside(struct survey *survey, struct survey_process *process,
	const struct survey_inside *inside) __attribute__((nonnull));

/* Decides who is a rank, and of which job; sets what follows in each process. */
void survey_settle(struct survey *survey) __attribute__((nonnull));

/* Makes jobs of the ranks: the last part of survey_settle(). */
void survey_make_jobs(struct survey *survey) __attribute__((nonnull));

/*
 * Returns the index of the job that a process belongs to: as a rank, as a descendant of one, or as
 * the launcher or wrapper above ranks. SURVEY_NONE if it belongs to none, or to several.
 */
int survey_job_of(struct survey *survey, uint32_t pid) __attribute__((nonnull));

/* Leaves the empty survey. Takes NULL. */
void survey_release(struct survey *survey);

#endif
