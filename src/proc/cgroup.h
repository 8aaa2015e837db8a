/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CGROUP_H
#define PROC_CGROUP_H

/*
 * Reads the control group of a process: what it has used up and whether it is frozen. Versions 1
 * and 2 are known, and both at once.
 *
 * The text of one group is lines "KEY VALUE", of which only those exist that the kernel tells:
 *
 *	path /sys/fs/cgroup/job			folder of the memory controller (or of version 2)
 *	memory.events.oom_kill 1		processes killed for memory here and below
 *	memory.max 1073741824			bytes, or "max"
 *	memory.current 1003741824		bytes
 *	frozen 1				the group stands still now
 */

#include <stdint.h>

#include "base/str.h"

/*
 * Appends the process' groups as text. Two processes share their groups if these texts are equal.
 * Returns 0 or -errno.
 */
int proc_cgroup_of(uint32_t pid, struct str *into) __attribute__((nonnull));

/*
 * Appends the text above for the groups that proc_cgroup_of() told. Returns 0 or -errno; -ENOENT if
 * none of them is to be seen here.
 */
int proc_cgroup_read(const char *groups, struct str *into) __attribute__((nonnull));

#endif
