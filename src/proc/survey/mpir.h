/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_MPIR_H
#define PROC_MPIR_H

/*
 * Reads MPIR_proctable, the table that srun and the mpirun of MPICH and Open MPI 4 keep for
 * debuggers: host and pid of each task, whose place in the table is its rank. It is read out of the
 * memory of the living launcher, without a word to it: no stop, no debugger's handshake
 * (MPIR_being_debugged stays as it is), no connection. That needs the permission to trace the
 * launcher.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

#define MPIR_ENTRIES_CAP 1048576 /* entries; a larger table makes no sense */

struct mpir_entry {
	int rank;
	uint32_t pid;
	bool here; /* its host is this one */
	char host[256];
};

struct mpir_table {
	ARRAY(struct mpir_entry) all;
	uint32_t size; /* entries that the launcher says there are */
};

/*
 * Reads the table of the launcher. Returns 0; -ENOENT if it has none (yet); or another -errno. Rows
 * that make no sense are left out. mpir_release() in any case.
 */
int mpir_read(uint32_t pid, struct mpir_table *ret) __attribute__((nonnull));

/* Leaves the empty table. Takes NULL. */
void mpir_release(struct mpir_table *table);

#endif
