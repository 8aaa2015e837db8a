/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_BLOCKED_H
#define PROC_BLOCKED_H

/*
 * Reads what the main thread of a process is blocked on, as raw text, a line each:
 *
 *	the line of /proc/PID/syscall, always
 *	fd N LINK		the link of the file descriptor that the system call is about
 *	tcp LINE		if that is a TCP socket: its line of /proc/PID/net/tcp or tcp6
 *	mount TYPE POINT	if that is a file that lies neither on a disk nor in memory of this
 *				host, or on nobody knows what
 *	child PID NAME		the one child that it waits for
 *
 * Nobody is stopped, no lock of the target is taken, and no file system is asked. Descriptors that
 * stand in the target's memory (poll) are not looked for.
 */

#include <stdint.h>

#include "base/str.h"

/*
 * Appends that text to `into`. Returns 0, or -errno: -EAGAIN if the thread runs, -EPERM if we may
 * not ask.
 */
int proc_blocked_read(uint32_t pid, struct str *into) __attribute__((nonnull));

#endif
