/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_ROSTER_H
#define DECODE_ROSTER_H

/*
 * Tells who is who by what texts say: the rank of a pid, of a folder of torchrun's for one worker
 * ("none_x1/attempt_0/5"), or of the folder that has a local rank for its name. Where two texts
 * differ it is not known.
 *
 * A launcher that says which rank a local rank is says it of the workers of its own node. Each
 * agent of torchrun makes a folder for them, with a random name, anew for each run. So the word
 * counts for the one such folder that lies beside the launcher's log or below it, and for none
 * where there are several.
 *
 *	job.log, none_x1/attempt_0/5			the log says whose folder that is
 *	m1/job.log, m1/none_x1, m2/job.log, m2/none_y7	each of its own node
 *	job.log, none_x1, none_y7			two nodes, or two runs: not known
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* What one text says of one rank. */
struct roster_entry {
	int rank;
	int local;          /* JOB_NONE not told */
	int64_t pid;        /* 0 not told */
	const char *host;   /* the host of that pid; NULL not told */
	const char *folder; /* NULL not told */
	const char *by;     /* label of the text that tells the local rank */
	const char *file;   /* a file's path in the worker's folder, wherever that was; NULL not
			     * told */
};

/* What a rank, or a folder, is known by. */
enum roster_by {
	ROSTER_PID,
	ROSTER_LOCAL,  /* local rank, told by a launcher whose log lies in that folder */
	ROSTER_FOLDER, /* the folder of one worker */
	ROSTER_NAMED,  /* the same from the run's name on, as a report has it */
	/* Keys that have no rank: */
	ROSTER_SAID, /* a launcher's log in that folder tells local ranks */
	ROSTER_RUN,  /* torchrun's folder for all workers of a node: its number */
	ROSTER_BELOW /* the only such folder below this one: its number */
};

/* A key of the table. */
struct roster_key {
	enum roster_by by;
	int64_t number;     /* of PID and LOCAL; else 0 */
	const char *folder; /* of LOCAL, FOLDER and those after it; else NULL */
	size_t len;         /* length of the folder, in bytes */
};

/* All that is known of who is who. Zero it first. */
struct roster {
	uint64_t host;	    /* hash of the first host that was named; 0 none yet */
	bool several_hosts; /* another host was named, too */
	ARRAY(struct roster_known {
		struct roster_key key;
		int rank; /* or another number, by the key; JOB_NONE: texts differ */
		const char *host; /* of PID; NULL not told */
	}) known;
	int runs;
	size_t *index; /* by hash: 1 + place in `known`; 0 free */
	size_t index_size;
};

/*
 * Adds a file of that label. Add all of them before asking whose they are. Labels and folders must
 * live as long as the roster.
 */
void roster_add_file(struct roster *roster, const char *label) __attribute__((nonnull));

/* Adds what a text says of a rank. */
void roster_add(struct roster *roster, const struct roster_entry *entry) __attribute__((nonnull));

/* Notes that ranks are on that host, named up to its first point. */
void roster_add_host(struct roster *roster, const char *host) __attribute__((nonnull));

/* Returns the one rank of that pid; JOB_NONE: none, or several. */
int roster_of_pid(const struct roster *roster, int64_t pid) __attribute__((nonnull));
/*
 * Returns the same for a pid on that host, whose name has no domain; NULL not known. Where ranks
 * are on several hosts, the host has to be known on both sides.
 */
int roster_of_pid_on(const struct roster *roster, int64_t pid, const char *host)
	__attribute__((nonnull(1)));

/*
 * Returns the rank of a folder that roster_folder() finds; by its local rank if no text says more.
 */
int roster_of_folder(const struct roster *roster, const char *folder) __attribute__((nonnull));
/* Returns the rank of a folder by its local rank alone; JOB_NONE none, or several. */
int roster_of_local(const struct roster *roster, const char *folder) __attribute__((nonnull));

/*
 * Returns how many bytes of a path are a folder of torchrun's for one worker; 0 if it is in none.
 */
size_t roster_folder(const char *path) __attribute__((nonnull));

/* Returns the rank in a file's name, "stacks-rank3.txt", "x_rank_3_y.log"; JOB_NONE none. */
int roster_rank_of_name(const char *label) __attribute__((nonnull));

void roster_release(struct roster *roster) __attribute__((nonnull));

#endif
