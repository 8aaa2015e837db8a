/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_LOCKS_H
#define PROC_LOCKS_H

/*
 * Reads which locks of files a process waits for, and has, as raw text, a line each:
 *
 *	wait LINE		its line of /proc/locks where it is blocked in flock() or fcntl(),
 *	for PATH		the file, by a descriptor of its, if its file system is known,
 *	held LINE		the line of who has the lock,
 *	by PID START COMM	and who that is: its pid as it knows itself, field 22 of its stat;
 *	file PATH		a file that it has open, and has a lock of by flock(), or that is
 *				named as a lock is ("a.lock", "a/lock"),
 *	lock LINE		behind it each lock that it has of that file.
 *
 * (Locks by fcntl() of other files are those of data bases, and our own.)
 *
 * Nobody is stopped, and no file of the target is touched. A process that holds a lock on another
 * host, or asks for one again and again, has no line in /proc/locks: nothing tells then whose it
 * is.
 */

#include <stdint.h>

#include "base/str.h"

/* Appends /proc/locks, which is one for all. Returns 0, or -errno. */
int proc_locks_table(struct str *into) __attribute__((nonnull));

/* Appends what that process waits for and has. Returns 0, or -errno: -EACCES we may not look. */
int proc_locks_read(uint32_t pid, const char *table, struct str *into) __attribute__((nonnull));

#endif
