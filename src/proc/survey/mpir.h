/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_MPIR_H
#define PROC_MPIR_H

/*
 * The table that srun and the mpirun of MPICH and Open MPI 4 keep for debuggers, MPIR_proctable:
 * host and pid of each task, its place in it being its rank. It is read out of the memory of the
 * living launcher, without a word to it: no stop, no debugger's handshake (MPIR_being_debugged
 * stays as it is), no connection. It needs the permission to trace it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

#define MPIR_ENTRIES_CAP 1048576

struct mpir_entry {
	int rank;
	uint32_t pid;
	bool here; /* its host is this one */
	char host[256];
};

struct mpir_table {
	ARRAY(struct mpir_entry) all;
	uint32_t size; /* as the launcher says */
};

/*
 * Fills ret from the launcher. 0, or -ENOENT where it has none (yet), or another -errno. Rows that
 * make no sense are left out. mpir_release() in any case.
 */
int mpir_read(uint32_t pid, struct mpir_table *ret) __attribute__((nonnull));

/* Leaves the empty table. Takes NULL. */
void mpir_release(struct mpir_table *table);

#endif
