/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_BLOCKED_H
#define PROC_BLOCKED_H

/*
 * Reads what the main thread of a process is blocked on, as raw text, a line each:
 * /proc/PID/syscall; where that call is about a file descriptor, "fd N LINK", its link; where that
 * is a TCP socket, "tcp LINE", its line of /proc/PID/net/tcp or tcp6; where it is a file that lies
 * neither on a disk nor in memory of this host, or on nobody knows what, "mount TYPE POINT"; where
 * it waits for one child, "child PID NAME". Nobody is stopped, no lock of the target is taken, and
 * no file system is asked. Descriptors that stand in its memory (poll) are not looked for.
 */

#include <stdint.h>

#include "base/str.h"

/*
 * Appends that to into. Returns 0, or -errno: -EAGAIN where it runs, -EPERM where we may not ask.
 */
int proc_blocked_read(uint32_t pid, struct str *into) __attribute__((nonnull));

#endif
