/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CORE_UNPACK_H
#define PROC_CORE_UNPACK_H

/*
 * Unpacks cores that a collector has packed (systemd-coredump: zstd), into a file without a name,
 * on disk and not in memory: a core may be larger than that.
 */

#include <stdbool.h>

#include "base/complaint.h"
#include "base/str.h"

enum core_packing { CORE_PLAIN, CORE_ZSTD, CORE_LZ4, CORE_XZ };

/* Returns how a file is packed, by its first bytes. */
enum core_packing core_packing(int fd);

/* Unpacks the first `len` bytes of what is packed by zstd behind `fd`. Returns 0 or negative. */
int core_unpack_head(int fd, void *to, size_t len) __attribute__((nonnull));

/*
 * Returns a descriptor of the unpacked core, which the caller closes; negative and words if there
 * is no room at all, or it is packed in a way that we do not know. A part that is cut, damaged, or
 * beyond half of the free room is left off, and `missing` says so.
 */
int core_unpack(int fd, enum core_packing packing, struct str *missing, struct complaint *why)
	__attribute__((nonnull(3)));

#endif
