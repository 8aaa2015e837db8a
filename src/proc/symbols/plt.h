/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_PLT_H
#define PROC_PLT_H

/* The stubs through which an object calls functions of others: no symbol covers them. */

#include "proc/symbols/elf-file.h"

/*
 * If the address lies in such a stub: "read@plt" by the relocation of the slot that it jumps
 * through, and where the stub begins.
 */
bool plt_name(const struct elf_file *file, uint64_t at, uint64_t *ret_start, char *to, size_t size)
	__attribute__((nonnull));

#endif
