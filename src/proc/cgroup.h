/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CGROUP_H
#define PROC_CGROUP_H

/*
 * The control group of a process: what it has used up and whether it is frozen. Version 1 and 2,
 * and both at once.
 *
 * The text of one group is lines "KEY VALUE", of which only those exist that the kernel tells:
 *
 *	path /sys/fs/cgroup/job			folder of the memory controller (or of version 2)
 *	memory.events.oom_kill 1		processes killed for memory here and below
 *	memory.max 1073741824			or "max"
 *	memory.current 1003741824
 *	frozen 1				the group stands still now
 */

#include <stdint.h>

#include "base/str.h"

/* Two processes share their groups if these two texts are equal. Appends it; 0 or -errno. */
int proc_cgroup_of(uint32_t pid, struct str *into) __attribute__((nonnull));

/* Appends the text above for the process' groups, as told by proc_cgroup_of(). 0 or -errno. */
int proc_cgroup_read(const char *groups, struct str *into) __attribute__((nonnull));

#endif
