/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_BLOCKING_READ_H
#define PROC_BLOCKING_READ_H

/*
 * Does reads that may block for ever: cmdline and environ take the target's mmap lock, which a
 * thread in uninterruptible sleep may hold; the file behind fd 2 may lie on a dead NFS server. A
 * helper (proc/helper.h) does the reads one by one, and we wait for each with a deadline. A read
 * that does not come back costs only its helper: that one is left behind, and a new one does the
 * rest.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

enum blocking_read_what {
	BLOCKING_READ_FILE, /* the file, from its start */
	BLOCKING_READ_TAIL, /* the end of the file, only if it is a regular one; else EINVAL */
};

struct blocking_read {
	/* whose file it is; 0: `name` is an absolute path, of a file that must belong to `owner` */
	uint32_t pid;
	uid_t owner; /* used only where pid is 0 */
	const char *name; /* below /proc/PID/: "cmdline", "environ", "fd/2"; borrowed */
	enum blocking_read_what what;
	size_t cap; /* bytes at most; a longer file is cut, not refused */
	/* The results: */
	int error; /* 0, or errno; ETIMEDOUT if the helper did not come back */
	struct str bytes;
	uint64_t dev; /* device and inode of the file that was read */
	uint64_t ino;
	uint64_t from;	 /* offset in the file where the bytes begin */
	/* when the file was written last, by its server's clock, in ns of real time */
	int64_t written;
};

/*
 * Does `nr` reads, each within deadline_ms. Once five have timed out, the rest is not tried and
 * gets ETIMEDOUT. Never fails as a whole: each read has its own error. The caller releases the
 * bytes of each. Leaves no child behind but one that the kernel cannot kill.
 */
void blocking_reads_run(struct blocking_read *reads, size_t nr, int deadline_ms);

/*
 * Drops the bytes before offset `from` of the file. Keeps all if the file has been begun anew since
 * and so does not reach there.
 */
void blocking_read_cut(struct blocking_read *read, uint64_t from) __attribute__((nonnull));

#endif
