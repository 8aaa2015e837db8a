/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_ENDS_H
#define DECODE_JOBLOG_ENDS_H

/*
 * Reads what launchers say of the end of ranks, a line each:
 *
 *	torchrun  "  rank      : 5 (local_rank: 5)" and behind it "  exitcode  : -6 (pid: 4711)"
 *	srun      "srun: error: m3: tasks 0,4-6: Exited with exit code 1", "...: Killed"
 *	mpirun    "mpirun noticed that process rank 5 with PID 4711 on node m3 exited on signal 9"
 *	Hydra	  "=   RANK 5 PID 47 RUNNING AT m3", "=   KILLED BY SIGNAL: 11 (Segmentation fault)"
 *	MPICH	  "Abort(5) on node 2 (rank 2 in comm 0): application called MPI_Abort(..., 5) ..."
 *	Open MPI  "MPI_ABORT was invoked on rank 2 in communicator MPI_COMM_WORLD", and behind it
 *		  "with errorcode 5.", since 5.0 "  Errorcode: 5"
 *	mpirun	  "mpirun has exited due to process rank 2 with PID 0 on", and behind it "node m1
 *		  exiting improperly. There are three reasons ...": without MPI_Finalize
 *
 * (PyTorch 2.15 elastic/multiprocessing/errors ChildFailedError; Slurm 22.05 srun task_exit; Open
 * MPI 4.1 help-orterun, Open MPI 5 help-prterun: "Process name: [prterun-m1-812@1,5]"; Intel MPI
 * 2021.18, which has no line for who exited by itself, and lists the others by rank; MPICH 4.0
 * MPID_Abort, whose node is the rank of the world, before 3.2 "application called
 * MPI_Abort(MPI_COMM_WORLD, 5) - process 2"; Open MPI 4.1, 5.0 help-mpi-api.txt.)
 *
 * A rank of any communicator but that of all is none of the job. Of errors over which MPI itself
 * ended a rank nothing is read: what was wrong may have come from another one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define JOBLOG_ENDS  256     /* the most of one line */
#define JOBLOG_RANKS 1000000 /* ranks are below that */

/* An end that a line tells of. */
struct joblog_end {
	int rank;	/* -1 nobody knows whose */
	int local_rank; /* -1 not told */
	bool signaled;
	int status;   /* exit status, or the signal's number */
	int64_t pid;  /* 0 not told */
	bool ordered; /* the launcher had said before that it ends all, or may have ended it */
	bool memory;  /* srun says that it ran out of memory */
	bool alone;   /* the launcher tells of no other end */
	bool aborted; /* it called MPI_Abort, with that status */
	bool shown;   /* by Open MPI's word, whose mpirun shows one of those who did */
	bool first;   /* the first failure that torchrun or mpirun saw, by its own word */
	uint64_t host; /* hash of the host's name in the line; 0 none */
	int64_t line;
	const char *cite;
};

/* The rank that a report of torchrun's is at; {-1, -1} outside of a report. */
struct joblog_report {
	int rank, local_rank;
	int process; /* 1 + the rank that mpirun's report is at; 0 outside of one */
	int aborting, leaving; /* the same, of MPI_Abort, and of an end without MPI_Finalize */
	struct joblog_place {
		int rank; /* 1 + it, 0 none */
		int64_t pid;
		uint64_t host;
	} hydra; /* the process that Hydra's report is at */
	uint64_t by; /* whose it is: agents of several nodes may write into one log at once */
	uint64_t now; /* whose the line is that is read, as the caller tells */
};

/*
 * Returns the pid that torchrun says it ends itself ("Sending process 4711 closing signal
 * SIGTERM"), 0 if the line says no such thing. What its signals did to a rank is no death of its
 * own.
 */
int64_t joblog_ends_closed(const char *line) __attribute__((nonnull));

/*
 * Returns the pid of the rank by whose failure an attempt ended, as torchrun says ("failed
 * (exitcode: 1) local_rank: 1 (pid: 4711) of binary: ..."), 0 if the line says no such thing.
 */
int64_t joblog_ends_failed(const char *line) __attribute__((nonnull));

/*
 * Returns the host on which srun or mpirun tells of an end, a part of the line; NULL if it tells of
 * none.
 */
const char *joblog_ends_task_host(const char *line) __attribute__((nonnull));

/* Returns the host that a line of torchrun's report names, " host : m1"; NULL if it names none. */
const char *joblog_ends_host(const char *line) __attribute__((nonnull));

/*
 * True if by this line Slurm ends all tasks of a step ("srun: ... Terminating StepId=7.0",
 * "slurmstepd-m1: error: *** STEP 7.0 ON m1 CANCELLED AT ..."): later ends may be of its own
 * signals.
 */
bool joblog_ends_all(const char *line) __attribute__((nonnull));

/*
 * Returns what slurmstepd complains of, behind "slurmstepd: error: " or "slurmstepd-m1: "; NULL if
 * the line is none of its.
 */
const char *joblog_ends_slurmstepd(const char *line) __attribute__((nonnull));

/* Returns the number of the job of Slurm in such a line, "StepId=7.0", "STEP 7.0 ON"; 0 none. */
long joblog_ends_slurm_job(const char *line) __attribute__((nonnull));

/*
 * True for an end that a rank may have come to only since it was told to end: by a signal that
 * Slurm itself ends tasks with, by MPI_Abort, or by an exit for which mpirun ended all.
 */
bool joblog_ends_is_order(const struct joblog_end *end) __attribute__((nonnull));

/*
 * True if srun says of that end, and of no other of its node behind the line `past`, that memory
 * ran out, before it ends the rest. From the kernel's first kill on Slurm's daemon says so of all
 * tasks of its node, and it counts kills of any process, also of a task's own children: of several
 * tasks nobody knows whom the kernel killed.
 */
bool joblog_ends_by_memory(const struct joblog_end *ends, size_t n, const struct joblog_end *end,
	int64_t past) __attribute__((nonnull));

/*
 * Reads one line, and returns how many ends it tells of. The caller keeps the report between lines.
 */
size_t joblog_ends_read(const char *line, struct joblog_report *report,
	struct joblog_end ends[static JOBLOG_ENDS]) __attribute__((nonnull));

/*
 * True if by this line of Open MPI's others aborted as well, of which it tells nothing: then nobody
 * knows who was first ("3 more processes have sent help message help-mpi-api.txt / mpi-abort").
 */
bool joblog_ends_more_aborts(const char *line) __attribute__((nonnull));

/*
 * True if behind that line Open MPI shows several that aborted. Each mpirun shows one: they are of
 * several runs whose bounds are not known, or nobody knows who of them was first.
 */
bool joblog_ends_show_several(const struct joblog_end *ends, size_t n, int64_t past);

/* Takes away the ranks of all that Open MPI shows to have aborted: that they did so stays. */
void joblog_ends_forget_shown(struct joblog_end *ends, size_t n);

/* Returns what is told of a rank that aborted with that code, "MPI_Abort(5)", in the arena. */
char *joblog_ends_abort_error(struct arena *arena, int code) __attribute__((nonnull));

#endif
