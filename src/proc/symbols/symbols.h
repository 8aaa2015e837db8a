/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_SYMBOLS_H
#define PROC_SYMBOLS_H

/*
 * Names for addresses, out of ELF files: .symtab where there is one, else .dynsym, and the symbol
 * table of the separate debug file (by build id, then .gnu_debuglink with its checksum) where that
 * is at hand; file and line by libdw where inquest was built with it. All addresses of a module in
 * one pass, after nobody is stopped any more.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "stack/module.h"

/*
 * Looks up nr addresses of the module behind fd (sorted here; duplicates are fine) and gives the
 * module its symbols. `root` is put in front of the places of debug files ("/proc/PID/root"; NULL:
 * ""). Texts go into the arena. fd -1: only names from `image` of a module without file (vDSO).
 */
void symbols_find(struct module *module, int fd, const char *root, uint64_t *addresses, size_t nr,
	struct arena *arena) __attribute__((nonnull(1, 6)));

/*
 * The value of a symbol in .dynsym, else .symtab: an address of the module, and its size (0 not
 * told). 0, or -ENOENT, or another -errno where that is no ELF file in good order.
 */
int symbols_value(int fd, const char *name, uint64_t *ret_at, uint64_t *ret_size)
	__attribute__((nonnull(2, 3, 4)));

/* The section of that name: its address and size. 0 or -errno as above. */
int symbols_section(int fd, const char *name, uint64_t *ret_at, uint64_t *ret_size)
	__attribute__((nonnull(2, 3, 4)));

#endif
