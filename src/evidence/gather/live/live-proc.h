/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LIVE_PROC_H
#define EVIDENCE_LIVE_PROC_H

/* The part of live gathering that looks at /proc and at control groups. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "evidence/format/exhibit.h"
#include "ring/census.h"

/* A process of the job to be looked at. */
struct live_process {
	size_t folder; /* the index of the job's folder that it is in; of a child: of any of them */
	uint32_t pid;  /* the pid by which it knows itself */
	uint32_t here; /* the pid by which we see it; 0: it is gone */
	uint64_t start_time;
	int rank; /* a hint for the exhibits; -1 not known */
	const char *role; /* "slot" of the census, "agent", "rank" without probe, or "child" of
			   * one of these */
	bool threads;	  /* true if its threads and its stderr are of interest */
	bool ring_due;	  /* true if the census says that it has a rank's ring, and none was
			   * found yet */
	char *log;	  /* path of the file of its stderr, if it is dead; NULL not known */
	char *error_file; /* path of the error file that its launcher gave it; NULL none */
};

/*
 * A file that was the stderr of a job's agent at launch, and the offset where the job's words begin
 * in it.
 */
struct live_log {
	uint64_t dev, ino, from;
};

struct live_processes {
	ARRAY(struct live_process) all;
	ARRAY(struct live_log) logs;
};

/* What a look at /proc needs. */
struct live_proc_target {
	struct evidence *into;
	char *host;
	uid_t owner; /* of the job */
	const struct live_processes *processes;
};

/* Adds the living descendants that are not listed yet, as "child". */
void live_processes_add_descendants(struct live_processes *processes);

/* Notes where the job's own words begin, by the census of one of its folders. */
void live_processes_note_log(
	struct live_processes *processes, const struct census_header *header)
	__attribute__((nonnull));

/* Frees the lists with the paths in them; roles are literals. */
void live_processes_release(struct live_processes *processes);

/*
 * Takes a sample: stat and io of each living process; with `full` also status, wchan, the call it
 * is blocked in, locks and threads.
 */
void live_proc_take(const struct live_proc_target *target, bool full);

/*
 * Takes the counters of every control group that has a process in it, and of `nr` more in which all
 * have died (texts as proc_cgroup_of() gives them).
 */
void live_proc_take_cgroups(
	const struct live_proc_target *target, char *const *more, size_t nr);

/*
 * Takes what ranks wrote, also dead ones: the ends of their stderr where that is a file, and the
 * error files that torchrun gave to its workers. Each file is taken once, however many processes
 * have inherited its name, and within deadline_ms.
 */
void live_proc_take_words(const struct live_proc_target *target, int deadline_ms);

#endif
