/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CORE_MAPS_H
#define PROC_CORE_MAPS_H

#include "base/str.h"
#include "proc/core-file.h"

/*
 * Appends what /proc/PID/maps would have said. Files are on device 0:0; their inodes are made of
 * their path and of what tells this process from others, so that modules of two cores, perhaps of
 * two machines, are never taken for one.
 */
void core_maps_text(const struct core_file *core, struct str *into) __attribute__((nonnull));

#endif
