/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_READ_H
#define PROC_READ_H

/*
 * Peeking at another process: its files in /proc that are cheap and take no lock of the target
 * (stat, status, wchan, io, cgroup, task/TID/stat). No ptrace, no signal, nothing that waits for
 * the target. Files that take its mmap lock, or lie on a file system that may hang, need a blocking
 * read (proc/blocking-read.h).
 *
 * A process is (pid, start time): the pid alone is reused.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/complaint.h"
#include "base/procstat.h"
#include "base/str.h"

struct proc_id {
	uint32_t pid;
	uint64_t start_time; /* field 22 of its stat; 0: any */
};

#define PROC_READ_CAP (1024 * 1024)

/*
 * Appends /proc/PID/NAME to into, at most PROC_READ_CAP bytes. Returns 0, or -errno with words:
 * -ESRCH or -ENOENT where the process is gone.
 */
int proc_read(uint32_t pid, const char *name, struct str *into, struct complaint *why)
	__attribute__((nonnull(2, 3)));

/* Its stat. Returns 0 or -errno: -ESRCH if it is gone, or is another process by now. */
int proc_read_stat(struct proc_id id, struct procstat *ret) __attribute__((nonnull));

/* Appends the stat lines of all its threads, in the order of their tids. Returns 0 or -errno. */
int proc_read_tasks(uint32_t pid, struct str *into) __attribute__((nonnull));

/* There, and no zombie. */
bool proc_is_alive(struct proc_id id);

/* The start time of the process that has this pid now; 0 if there is none. */
uint64_t proc_start_time(uint32_t pid);

#endif
