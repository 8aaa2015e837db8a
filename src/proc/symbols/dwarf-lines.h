/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_DWARF_LINES_H
#define PROC_DWARF_LINES_H

/* Finds source files and lines of addresses, by libdw. Without libdw nothing is known. */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "stack/module.h"

/* True if inquest was built with libdw. */
bool lines_can(void);

/*
 * Gives file and line to those of `nr` symbols, by their `at`, that the debug information in the
 * ELF file behind `fd` knows. Texts go into the arena. With fd -1, or a file without debug
 * information, nothing changes.
 */
void lines_find(int fd, struct module_symbol *symbols, size_t nr, struct arena *arena)
	__attribute__((nonnull(4)));

#endif
