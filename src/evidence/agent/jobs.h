/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_JOBS_H
#define EVIDENCE_JOBS_H

/*
 * The jobs of this machine: a folder each, made by `inquest run`, in INQUEST_DIR, or in
 * /dev/shm/inquest-UID (in /tmp/inquest-UID where shared memory was refused). Root sees all.
 * INQUEST_DIR is an absolute path, or is not looked at: main() has made it one.
 *
 * TRUST. A folder is looked at only if it is no symlink, nobody but its owner may write to it
 * and it is owned by the UID of the folder above (in INQUEST_DIR: by ourselves; root takes any);
 * so is each file inside. A folder that does not meet this is named in `refused`, never read.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/complaint.h"
#include "base/str.h"
#include "evidence/agent/fellow.h"
#include "proc/read.h"

/* A communicator of NCCL that a rank of it has. */
struct jobs_world {
	uint64_t key;
	uint64_t alias; /* 0 not known */
	bool whole;	/* all ranks of the job have met in it */
};

enum jobs_status {
	JOBS_RUNNING, /* a process of it lives, or its agent waits for one; nobody says it hangs */
	JOBS_HUNG,    /* its agent says, or has last said, that it hangs */
	JOBS_ENDED,   /* no process of it lives */
};

struct jobs_entry {
	char *folder; /* absolute */
	char *id;     /* the folder's last part */
	char *name;   /* as given with --name; the id where none was */
	char *command; /* what was launched, words by blanks; "" not known */
	char *said;   /* the manifest's status: launched, running, hung, ok, error; "" none */
	char *last_words; /* of a command that failed before any rank was there; "" none */
	uid_t owner;
	int64_t launched; /* realtime ns; 0 not known */
	enum jobs_status status;
	bool agent_alive;
	uint32_t agent_pid; /* 0: no agent ever */
	uint64_t agent_start_time;
	uint32_t wrapper; /* `inquest run', which the job descends from, as we see it; 0 gone */
	unsigned int ranks;	 /* processes that became ranks, or said RANK and may yet */
	unsigned int ranks_alive;
	unsigned int unprobed; /* living ranks without a working probe */
	int exit_status; /* of the launched command, as a shell gives it; -1: not over, or
			  * unknown */
	int world_size; /* -1 not known */
	/* Its job (evidence/agent/fellows.h), and how that is known: */
	size_t job;  /* the same number for all folders of one job */
	bool unsure; /* it may as well belong to another job here */
	const char *given; /* the name if one was given; "" none */
	struct fellow fellow;
	ARRAY(int) numbers; /* of its ranks, by their own rings */
	ARRAY(struct jobs_world) worlds;
	struct proc_id keeper; /* its agent; pid 0: not known */
	int64_t beat;  /* its last turn, CLOCK_BOOTTIME ns; 0 never */
	int64_t until; /* its last word, realtime ns; 0 not known */
	/* What its agent has said, for the agent that takes its place: */
	char *keys;    /* of verdicts that stand, a line each (cmd/run/announce.h); "" none */
	char *verdict; /* the headline, and */
	char *bundle;  /* where it is kept; "" none */
	unsigned int hangs; /* bundles that it had kept and the job left behind */
	int64_t told;  /* when it had looked before a signal that ends the job; realtime ns */
	bool no_logs;  /* it was told to read nothing that the job wrote */
	dev_t dev;     /* which folder it is, by whatever path */
	ino_t inode;
	struct {
		size_t slots, bytes, rings; /* that were read */
	} cost;
};

/* What all folders of one owner have cost so far, and how many are left out for that. */
struct jobs_share {
	uid_t owner;
	size_t folders, slots, bytes, rings, worlds, left;
};

struct jobs {
	struct jobs_entry *items; /* newest first */
	size_t nr;
	size_t room;
	unsigned int others; /* users with jobs here that we may not see */
	bool barred; /* we are root, and may not enter the folder of that user, the latest */
	uid_t barred_uid;
	gid_t barred_gid;
	int64_t barred_since; /* realtime s */
	struct str refused; /* one line per folder that was not trusted, with the reason; of many
			       the first, and who has too many to be looked at */
	ARRAY(struct jobs_share) shares; /* of owners */
};

/* Lists all jobs of this machine that we may see, live and ended. 0, also where there is none. */
int jobs_list(struct jobs *jobs, struct complaint *why) __attribute__((nonnull(1)));

/*
 * Adds the folder where a process has its records, wherever that lies: the path is resolved as that
 * process sees it, through /proc/PID/root, and so in its own mount namespace. uid is the process'
 * owner, and must own the folder. A folder that is listed already is not added again. Call
 * jobs_settle() after the last. 0, or negative with words.
 */
int jobs_add_seen(struct jobs *jobs, uint32_t pid, uid_t uid, const char *folder,
	struct complaint *why) __attribute__((nonnull(1, 4)));

/* Sorts them, and finds which folders are of one job. */
void jobs_settle(struct jobs *jobs) __attribute__((nonnull));

/* Returns the listed folder where such a process has its records; NULL none. */
const struct jobs_entry *jobs_find_seen(const struct jobs *jobs, uint32_t pid, const char *folder)
	__attribute__((nonnull));

/* Lists only the jobs beside that folder, in its parent, that have the same owner. */
void jobs_list_beside(struct jobs *jobs, const char *folder) __attribute__((nonnull));

/*
 * Finds one by its folder, id, name (the live job of that name, else the newest) or the pid of
 * any process of it, of a descendant of one, or of an ancestor that has no other job below it. NULL
 * with words if none fits, or several are called so (jobs_several_are()). Points into `jobs`.
 */
const struct jobs_entry *jobs_find(
	const struct jobs *jobs, const char *arg, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/* True if that id or name may be meant for several: live ones, or jobs of several users. */
bool jobs_several_are(const struct jobs *jobs, const char *arg) __attribute__((nonnull));

/* The one job folder at path, wherever it lies, under the same trust. 0 or negative with words. */
int jobs_open(struct jobs *jobs, const char *path, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/*
 * Reads from that job's manifest, as it is now, when the agent had looked before a signal; 0 never.
 */
int64_t jobs_read_told(const struct jobs_entry *entry) __attribute__((nonnull));

/* "running", "hung", "ended". The status must be one of the three. */
const char *jobs_status_name(enum jobs_status status);

/* Frees all entries and leaves the empty list. Takes NULL. */
void jobs_release(struct jobs *jobs);

#endif
