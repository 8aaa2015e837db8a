/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_READ_H
#define PROC_READ_H

/*
 * Peeks at another process by those of its files in /proc that are cheap and take no lock of it
 * (stat, status, wchan, io, cgroup, task/TID/stat): no ptrace, no signal, nothing that waits for
 * the target. Files that take its mmap lock, or lie on a file system that may hang, need a blocking
 * read (proc/blocking-read.h).
 *
 * A process is named by (pid, start time), since a pid alone is reused.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/complaint.h"
#include "base/procstat.h"
#include "base/str.h"

struct proc_id {
	uint32_t pid;
	/* field 22 of its stat, in ticks since boot; 0: any process of that pid */
	uint64_t start_time;
};

#define PROC_READ_CAP (1024 * 1024) /* bytes of one file; the rest is left out */

/*
 * Appends /proc/PID/NAME to `into`, at most PROC_READ_CAP bytes. Returns 0, or -errno and words
 * (`why` may be NULL): -ESRCH or -ENOENT if the process is gone. On failure `into` is as it was.
 */
int proc_read(uint32_t pid, const char *name, struct str *into, struct complaint *why)
	__attribute__((nonnull(2, 3)));

/* Reads its stat. Returns 0 or -errno: -ESRCH if it is gone, or is another process by now. */
int proc_read_stat(struct proc_id id, struct procstat *ret) __attribute__((nonnull));

/* Appends the stat lines of all its threads, in the order of their tids. Returns 0 or -errno. */
int proc_read_tasks(uint32_t pid, struct str *into) __attribute__((nonnull));

/* True if the process is there, and is no zombie; and if nobody can know (proc_is_unseen()). */
bool proc_is_alive(struct proc_id id);

/* Returns the start time of the process that has this pid now; 0 if there is none. */
uint64_t proc_start_time(uint32_t pid);

#endif
