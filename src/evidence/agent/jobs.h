/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_JOBS_H
#define EVIDENCE_JOBS_H

/*
 * The jobs of this machine. Each has a folder, made by `inquest run`, in INQUEST_DIR, or in
 * /dev/shm/inquest-UID (in /tmp/inquest-UID where shared memory was refused). Root sees all users'
 * jobs. INQUEST_DIR is looked at only if it is an absolute path, which main() has made of it.
 *
 * TRUST. A folder is looked at only if it is no symlink, nobody but its owner may write to it and
 * it is owned by the UID of the folder above (in INQUEST_DIR: by ourselves; root takes any); so is
 * each file inside. A folder that does not meet this is named in `refused`, never read.
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

/* A communicator of NCCL that some rank of the entry has. */
struct jobs_world {
	uint64_t key; /* from its unique id */
	uint64_t alias; /* 0 not known */
	bool whole;	/* true if all ranks of the job have met in it */
};

enum jobs_status {
	JOBS_RUNNING, /* a process of it lives, or its agent waits for one; the agent does not
		       * say that it hangs */
	JOBS_HUNG,    /* its agent says, or was the last to say, that it hangs */
	JOBS_ENDED,   /* no process of it lives */
};

/* One job folder. */
struct jobs_entry {
	char *folder; /* absolute */
	char *id;     /* the folder's last part */
	char *name;   /* as given with --name, else the id */
	char *command; /* what was launched, its words by blanks; "" not known */
	char *said;   /* the manifest's status: launched, running, hung, ok, error; "" none */
	char *last_words; /* what a command printed last that failed before any rank was there;
			   * "" none */
	uid_t owner;
	int64_t launched; /* realtime ns; 0 not known */
	enum jobs_status status;
	bool agent_alive; /* true if the agent, `inquest run` itself, is there */
	uint32_t agent_pid; /* 0: no agent ever */
	uint64_t agent_start_time;
	uint32_t wrapper; /* pid of the `inquest run' that the job descends from, as we see it; 0
			   * if it is gone */
	unsigned int ranks;	 /* processes that became ranks, or have a RANK and may become
				  * one */
	unsigned int ranks_alive;
	unsigned int unprobed; /* living ranks without a working probe */
	int exit_status; /* of the launched command, as a shell gives it; -1 while it runs, or
			  * not known */
	int world_size; /* -1 not known */
	/* The job that the folder is of (evidence/agent/fellows.h), and what tells so: */
	size_t job;  /* its number, the same for all folders of one job */
	bool unsure; /* it may as well belong to another job here */
	const char *given; /* the name that was given by --name; "" none */
	struct fellow fellow; /* what its launcher told */
	ARRAY(int) numbers; /* ranks of its processes, by their own rings */
	ARRAY(struct jobs_world) worlds;
	struct proc_id keeper; /* the agent, as its board names it; pid 0: not known */
	int64_t beat;  /* when the agent had its last turn, CLOCK_BOOTTIME ns; 0 never */
	int64_t until; /* when the agent last wrote, realtime ns; 0 not known */
	/* What its agent has said, for an agent that takes its place: */
	char *keys;    /* keys of verdicts that stand, a line each (cmd/run/announce.h); "" none */
	char *verdict; /* the headline of the last one; "" none */
	char *bundle;  /* path of the bundle where that is kept; "" none */
	unsigned int hangs; /* bundles of hangs that the job left behind */
	int64_t told;  /* when the agent had last looked before a signal that ends the job,
		        * realtime ns; 0 never */
	bool no_logs;  /* true if the agent was told to read nothing that the job wrote */
	dev_t dev;     /* with inode: which folder it is, by whatever path it was found */
	ino_t inode;
	struct {
		size_t slots, bytes, rings; /* what was read to know all this */
	} cost;
};

/* What the folders of one owner have cost so far, and how many were left out for that. */
struct jobs_share {
	uid_t owner;
	size_t folders, slots, bytes, rings, worlds, left;
};

struct jobs {
	struct jobs_entry *items; /* newest first */
	size_t nr;
	size_t room;
	unsigned int others; /* how many users have jobs here that we may not see */
	bool barred; /* true if we are root and may not enter the folder of some user; it is the
		      * latest such: */
	uid_t barred_uid;
	gid_t barred_gid;
	int64_t barred_since; /* realtime s */
	struct str refused; /* lines, one per folder that was not trusted, with the reason; where
			     * they are many, only the first, and which owner has too many to be
			     * looked at */
	ARRAY(struct jobs_share) shares; /* of owners */
};

/*
 * Lists all jobs of this machine that we may see, live and ended. Returns 0, also where there are
 * none; negative with words where the place cannot be read. The caller calls jobs_release().
 */
int jobs_list(struct jobs *jobs, struct complaint *why) __attribute__((nonnull(1)));

/*
 * Adds the folder where a process has its records, wherever that lies: the path is resolved as that
 * process sees it, through /proc/PID/root, and so in its own mount namespace. uid is the process'
 * owner, and must own the folder. A folder that is listed already is not added again. Call
 * jobs_settle() after the last. 0, or negative with words.
 */
int jobs_add_seen(struct jobs *jobs, uint32_t pid, uid_t uid, const char *folder,
	struct complaint *why) __attribute__((nonnull(1, 4)));

/* Sorts the entries, and finds which folders are of one job. */
void jobs_settle(struct jobs *jobs) __attribute__((nonnull));

/*
 * Returns the listed folder where that process has its records, by the path that the process uses;
 * NULL if it is not listed.
 */
const struct jobs_entry *jobs_find_seen(const struct jobs *jobs, uint32_t pid, const char *folder)
	__attribute__((nonnull));

/* Lists only the jobs that lie beside that folder, in its parent, and have the same owner. */
void jobs_list_beside(struct jobs *jobs, const char *folder) __attribute__((nonnull));

/*
 * Finds an entry by its folder, its id, its name (the live job of that name, else the newest) or
 * the pid of any process of it, of a descendant of one, or of an ancestor that has no other job
 * below it. Returns NULL with words if none fits, or several are called so (jobs_several_are()).
 * The result points into `jobs`.
 */
const struct jobs_entry *jobs_find(
	const struct jobs *jobs, const char *arg, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/* True if that id or name may be meant for several entries: live ones, or jobs of several users. */
bool jobs_several_are(const struct jobs *jobs, const char *arg) __attribute__((nonnull));

/*
 * Opens the one job folder at `path`, wherever it lies, under the same trust. Returns 0 or negative
 * with words.
 */
int jobs_open(struct jobs *jobs, const char *path, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/*
 * Reads from the entry's manifest, as it is now, when its agent had last looked before a signal.
 * Returns realtime ns; 0 never.
 */
int64_t jobs_read_told(const struct jobs_entry *entry) __attribute__((nonnull));

/* Returns "running", "hung" or "ended". */
const char *jobs_status_name(enum jobs_status status);

/* Frees all entries and leaves an empty list. Takes NULL. */
void jobs_release(struct jobs *jobs);

#endif
