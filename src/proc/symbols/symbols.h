/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_SYMBOLS_H
#define PROC_SYMBOLS_H

/*
 * Finds names for addresses out of ELF files: in .symtab if there is one, else in .dynsym, and in
 * the symbol table of the separate debug file (by build id, then by .gnu_debuglink with its
 * checksum) if that is at hand; file and line by libdw if inquest was built with it. All addresses
 * of a module are looked up in one pass, after everybody who was stopped has been let go.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "stack/module.h"

/*
 * Looks up `nr` addresses in the module whose file is behind `fd` and gives the module its symbols.
 * The addresses are sorted here, and may repeat. `root` is put in front of the places of debug
 * files ("/proc/PID/root"; NULL: ""). Texts go into the arena. With fd -1 there are only names from
 * the image of a module without file (the vDSO).
 */
void symbols_find(struct module *module, int fd, const char *root, uint64_t *addresses, size_t nr,
	struct arena *arena) __attribute__((nonnull(1, 6)));

/*
 * Finds the value of a symbol in .dynsym, else .symtab: an address in the module, and its size (0:
 * not told). Returns 0; -ENOENT if there is none; or another -errno if that is no ELF file in good
 * order.
 */
int symbols_value(int fd, const char *name, uint64_t *ret_at, uint64_t *ret_size)
	__attribute__((nonnull(2, 3, 4)));

/*
 * Finds the section of that name: its address in the module and its size. Returns 0 or -errno as
 * above.
 */
int symbols_section(int fd, const char *name, uint64_t *ret_at, uint64_t *ret_size)
	__attribute__((nonnull(2, 3, 4)));

#endif
