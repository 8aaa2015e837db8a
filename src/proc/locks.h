/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_LOCKS_H
#define PROC_LOCKS_H

/*
 * Reads which locks of files a process waits for, and which it has, as raw text, a line each:
 *
 *	wait LINE		its line of /proc/locks, if blocked in flock() or fcntl(),
 *	for PATH		the file, by one of its descriptors, if its file system is known,
 *	held LINE		the line of who has that lock,
 *	by PID START COMM	and who that is: its pid as it knows itself, field 22 of its stat,
 *				its name;
 *	file PATH		a file that the process has open, and has a lock of by flock(), or
 *				that is named as a lock is ("a.lock", "a/lock"),
 *	lock LINE		and behind it each lock that the process has of that file.
 *
 * (Locks by fcntl() of other files are those of data bases, and our own.)
 *
 * Nobody is stopped, and no file of the target is touched. A process that waits for a lock that
 * another host holds, or that asks for one again and again, has no line in /proc/locks: nothing
 * tells then whose it is.
 */

#include <stdint.h>

#include "base/str.h"

/* Appends /proc/locks, which is the same for all processes. Returns 0 or -errno. */
int proc_locks_table(struct str *into) __attribute__((nonnull));

/*
 * Appends what a process waits for and has, by that table. Returns 0 or -errno; -EACCES: we may not
 * look.
 */
int proc_locks_read(uint32_t pid, const char *table, struct str *into) __attribute__((nonnull));

#endif
