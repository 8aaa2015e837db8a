/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CORE_MAPS_H
#define PROC_CORE_MAPS_H

#include "base/str.h"
#include "proc/core/core-file.h"

/*
 * Appends what /proc/PID/maps would have said. Files, and the vDSO, are on device 0:0, and have
 * inodes made of what they are: path and build id, so that cores share the module of one build and
 * never that of another one, whatever machines they are of. A module without build id in the core
 * gets an inode that no other process has, by the random bytes that the kernel gave to the process
 * (AT_RANDOM).
 */
void core_maps_text(const struct core_file *core, struct str *into) __attribute__((nonnull));

#endif
