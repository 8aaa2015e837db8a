/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_MODULE_H
#define STACK_MODULE_H

/*
 * Modules are the ELF objects whose code stands on stacks. All processes that map a file share one
 * module, which is known by the (dev, ino) of the file, or by its name where it has none
 * ("[vdso]").
 *
 * A module's image is a memory in the object's own addresses (p_vaddr): the file laid out as it
 * would be loaded at 0. From MODULE_FILE on it shows the file itself, by offset, because the
 * headers need not lie in what is loaded. (An image without that part is taken for one whose file
 * starts at 0.) Only ELF is known here: who opens files (proc/symbols/image.h), or takes images out
 * of a bundle (evidence/format/stacks.h), adds them with modules_add().
 *
 * SYMBOLS are known only for those addresses that were asked about when the evidence was gathered:
 * no symbol table of a file is ever looked at here.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "stack/maps.h"
#include "stack/memory.h"

#define MODULE_BUILD_ID 32 /* bytes of a build id, at most; a longer one is not taken */
#define MODULE_FILE	(1ull << 63) /* where an image shows its file, by offset */

struct module_load { /* a segment of type PT_LOAD */
	uint64_t offset, vaddr, filesz, memsz;
	bool writable, executable;
};

/* The symbol at an address of a module. */
struct module_symbol {
	uint64_t at;          /* the address that was asked about, in the module */
	uint64_t start;       /* where the function starts, in the module */
	const char *function; /* as the symbol table has it, not demangled; "" none is known */
	const char *file;     /* source file; "" not known */
	uint32_t line;        /* in that file; 0 not known */
};

struct module {
	/* As struct stack_map has them; `ino` is 0 where there is no file. */
	uint64_t dev, ino;
	const char *path; /* as the map that it was added for had it */
	uint8_t build_id[MODULE_BUILD_ID];
	size_t build_id_len; /* 0: none */
	struct module_load *loads;
	size_t nloads;
	uint64_t eh_frame_hdr; /* address in the module; 0: it has none */
	uint64_t eh_frame_hdr_size;
	uint64_t eh_frame; /* looked up only where it has no eh_frame_hdr; 0: none is known */
	uint64_t eh_frame_size;
	bool replaced; /* its path is another file now, and the mapped one could not be had */
	struct stack_memory *image; /* what the module holds; borrowed */
	struct module_symbol *symbols; /* sorted by `at` */
	size_t nsymbols;
};

struct modules;

/* An empty table, never NULL; modules_free() it. */
struct modules *modules_new(void);

/*
 * Adds a module and reads its image's program headers: its loads, its eh_frame_hdr and its build
 * id. If it has no eh_frame_hdr, its section headers say where its .eh_frame is. The image must be
 * an ELF object of 64 bits, of this machine's kind and byte order, with a bounded number of
 * headers; else NULL and words. The path is copied; the image is borrowed and must outlive the
 * table. The module is valid as long as the table.
 */
struct module *modules_add(struct modules *modules, uint64_t dev, uint64_t ino, const char *path,
	struct stack_memory *image, struct complaint *why) __attribute__((nonnull(1, 4, 5)));

/* Returns the module that a map shows a part of; NULL if none was added for it. */
struct module *modules_find(const struct modules *modules, const struct stack_map *map)
	__attribute__((nonnull));

/*
 * Finds the bias: what to add to an address in the module to get one in the process, by the PT_LOAD
 * that holds the map's file offset. Returns false if no PT_LOAD fits.
 */
bool module_bias(const struct module *module, const struct stack_map *map, uint64_t *ret)
	__attribute__((nonnull));

/* Replaces the module's symbols by copies of these `nr`, which may be in any order. */
void module_set_symbols(struct module *module, const struct module_symbol *symbols, size_t nr)
	__attribute__((nonnull(1)));

/* Returns what was learnt of an address in the module; NULL if nothing was. */
const struct module_symbol *module_symbol_at(const struct module *module, uint64_t at)
	__attribute__((nonnull));

/* Returns how many modules were added. */
size_t modules_count(const struct modules *modules) __attribute__((nonnull));
/* Returns module number i, below that count, in the order of adding. */
struct module *modules_at(const struct modules *modules, size_t i) __attribute__((nonnull));

/* Takes NULL. */
void modules_free(struct modules *modules);

#endif
