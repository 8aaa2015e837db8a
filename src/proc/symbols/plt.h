/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_PLT_H
#define PROC_PLT_H

/*
 * Names the stubs through which an object calls functions of other objects: no symbol covers them.
 */

#include "proc/symbols/elf-file.h"

/*
 * If the address in the object lies in such a stub, writes a name as "read@plt", by the relocation
 * of the slot that the stub jumps through, and says where the stub begins. Else returns false. Used
 * only if no symbol was found.
 */
bool plt_name(const struct elf_file *file, uint64_t at, uint64_t *ret_start, char *to, size_t size)
	__attribute__((nonnull));

#endif
