/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CORE_UNPACK_H
#define PROC_CORE_UNPACK_H

/*
 * Cores that a collector has packed (systemd-coredump: zstd). They are unpacked into a file without
 * a name, on disk and not in memory: a core may be larger than that.
 */

#include <stdbool.h>

#include "base/complaint.h"
#include "base/str.h"

enum core_packing { CORE_PLAIN, CORE_ZSTD, CORE_LZ4, CORE_XZ };

/* How a file is packed, by its first bytes. */
enum core_packing core_packing(int fd);

/* The first len bytes of what is packed by zstd behind fd. 0 or negative. */
int core_unpack_head(int fd, void *to, size_t len) __attribute__((nonnull));

/*
 * A descriptor of the unpacked core, to be closed; negative with words where there is no room at
 * all, or it is packed in a way that we do not know. A part that is cut, damaged, or beyond half of
 * the room there is, is left off, and `missing` says so.
 */
int core_unpack(int fd, enum core_packing packing, struct str *missing, struct complaint *why)
	__attribute__((nonnull(3)));

#endif
