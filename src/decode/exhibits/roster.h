/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_ROSTER_H
#define DECODE_ROSTER_H

/*
 * Who is who, as texts say: which rank a pid is, or a folder of torchrun's for one worker
 * ("none_x1/attempt_0/5"), or the folder that has a local rank for its name. What two texts say
 * otherwise nobody knows.
 *
 * A launcher that says which rank a local rank is says it of the workers of its own node. Each
 * agent of torchrun makes a folder for them, with a name by chance, also for each run anew: so the
 * word is taken of the one such folder that lies beside the launcher's log or below, and where
 * there are several of none.
 *
 *	job.log, none_x1/attempt_0/5			the log says whose folder that is
 *	m1/job.log, m1/none_x1, m2/job.log, m2/none_y7	each of its own node
 *	job.log, none_x1, none_y7			two nodes, or two runs: nobody knows
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct roster_entry {
	int rank;
	int local;          /* JOB_NONE not told */
	int64_t pid;        /* 0 not told */
	const char *host;   /* on which that pid is; NULL not told */
	const char *folder; /* NULL not told */
	const char *by;     /* label of the text that tells of `local` */
	const char *file;   /* in the worker's folder, wherever that was; NULL not told */
};

/* What somebody is known by. */
enum roster_by {
	ROSTER_PID,
	ROSTER_LOCAL,  /* as said by a launcher whose log lies in that folder */
	ROSTER_FOLDER, /* of one worker */
	ROSTER_NAMED,  /* the same, from the run's name on, as a report has it */
	/* Not of ranks: */
	ROSTER_SAID, /* a launcher whose log lies in that folder has told of local ranks */
	ROSTER_RUN,  /* a folder of torchrun's for all workers of a node: its number */
	ROSTER_BELOW /* the number of the only such folder below that one */
};

struct roster_key {
	enum roster_by by;
	int64_t number;     /* PID, LOCAL; else 0 */
	const char *folder; /* LOCAL, FOLDER and those behind it; else NULL */
	size_t len;         /* so many bytes of it */
};

/* Zero it first. */
struct roster {
	uint64_t host;	    /* hash of the first that was named; 0 none yet */
	bool several_hosts; /* another one was */
	ARRAY(struct roster_known {
		struct roster_key key;
		int rank; /* or another number; JOB_NONE: texts differ */
		const char *host; /* PID; NULL not told */
	}) known;
	int runs;
	size_t *index; /* by hash: 1 + its place in `known`; 0 free */
	size_t index_size;
};

/*
 * A file of that label is there. Of all, before it is asked whose they are. Labels and folders must
 * live as long as the roster.
 */
void roster_add_file(struct roster *roster, const char *label) __attribute__((nonnull));

void roster_add(struct roster *roster, const struct roster_entry *entry) __attribute__((nonnull));

/* Ranks are on that host, so called up to the first point. */
void roster_add_host(struct roster *roster, const char *host) __attribute__((nonnull));

/* The one rank of that; JOB_NONE: none, or several. */
int roster_of_pid(const struct roster *roster, int64_t pid) __attribute__((nonnull));
/*
 * The same of a pid on that host, by its name without a domain; NULL not known. Where ranks are on
 * several hosts, a pid whose host is not known on both sides is nobody's.
 */
int roster_of_pid_on(const struct roster *roster, int64_t pid, const char *host)
	__attribute__((nonnull(1)));

/* That of a folder that roster_folder() finds; by the local rank if nobody says more of it. */
int roster_of_folder(const struct roster *roster, const char *folder) __attribute__((nonnull));
int roster_of_local(const struct roster *roster, const char *folder) __attribute__((nonnull));

/* How many bytes of a path are a folder of torchrun's for one worker; 0 it is in none. */
size_t roster_folder(const char *path) __attribute__((nonnull));

/* The rank that a file is called by: "stacks-rank3.txt", "x_rank_3_y.log"; JOB_NONE none. */
int roster_rank_of_name(const char *label) __attribute__((nonnull));

void roster_release(struct roster *roster) __attribute__((nonnull));

#endif
