/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_BLOCKING_READ_H
#define PROC_BLOCKING_READ_H

/*
 * Reads that may block for ever: cmdline and environ take the target's mmap lock, which a thread in
 * uninterruptible sleep may hold; the file behind fd 2 may lie on a dead NFS server. A helper
 * (proc/helper.h) does them one by one, and we wait for each with a deadline. A read that does not
 * come back costs only its helper: that one is left behind, and a new one does the rest.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

enum blocking_read_what {
	BLOCKING_READ_FILE, /* the file from its start */
	BLOCKING_READ_TAIL, /* the end of the file, only if it is a regular one: else -EINVAL */
};

struct blocking_read {
	uint32_t pid;	  /* 0: `name` is an absolute path, of a file that belongs to `owner` */
	uid_t owner;
	const char *name; /* below /proc/PID/: "cmdline", "environ", "fd/2"; borrowed */
	enum blocking_read_what what;
	size_t cap; /* bytes at most; longer files are cut, not refused */
	/* The results: */
	int error; /* 0, or errno; ETIMEDOUT where the helper did not come back */
	struct str bytes;
	uint64_t dev; /* which file that was */
	uint64_t ino;
	uint64_t from;	 /* where in it the bytes begin */
	int64_t written; /* when it was written last, by its server's clock, realtime ns */
};

/*
 * Does nr reads, each within deadline_ms; where the first five time out the rest is not tried
 * (ETIMEDOUT). Never fails as a whole: each has its own error. The caller releases the bytes.
 * Leaves no child behind but one that the kernel cannot kill.
 */
void blocking_reads_run(struct blocking_read *reads, size_t nr, int deadline_ms);

/* Leaves what stands from there on in the file; all of it where the file was begun anew since. */
void blocking_read_cut(struct blocking_read *read, uint64_t from) __attribute__((nonnull));

#endif
