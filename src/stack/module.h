/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_MODULE_H
#define STACK_MODULE_H

/*
 * Modules: the ELF objects whose code stands on stacks. One module is shared by all processes that
 * map it, and known by (dev, ino) of its file, or by its name where it has none ("[vdso]").
 *
 * A module's image is a memory in the object's own addresses (p_vaddr): the file laid out as it
 * would be loaded at 0. From MODULE_FILE on it shows the file itself, by offset: the headers need
 * not lie in what is loaded (an image without that part is taken for one whose file starts at 0).
 * Here only ELF is known; who opens files (proc/symbols/image.h), or takes images out of a bundle
 * (evidence/format/stacks.h), adds them with modules_add().
 *
 * SYMBOLS are known for those addresses that were asked about when the evidence was gathered: no
 * table of a file is ever looked at here.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "stack/maps.h"
#include "stack/memory.h"

#define MODULE_BUILD_ID 32 /* bytes at most */
#define MODULE_FILE	(1ull << 63)

struct module_load { /* PT_LOAD */
	uint64_t offset, vaddr, filesz, memsz;
	bool writable, executable;
};

/* The symbol at an address of a module. */
struct module_symbol {
	uint64_t at;          /* the address that was asked about, of the module */
	uint64_t start;       /* of the function */
	const char *function; /* demangled is the reader's; "" none known */
	const char *file;     /* source; "" not known */
	uint32_t line;        /* 0 not known */
};

struct module {
	uint64_t dev, ino;
	const char *path; /* as mapped */
	uint8_t build_id[MODULE_BUILD_ID];
	size_t build_id_len; /* 0: none */
	struct module_load *loads;
	size_t nloads;
	uint64_t eh_frame_hdr; /* address of the module; 0: it has none */
	uint64_t eh_frame_hdr_size;
	uint64_t eh_frame; /* looked for where it has no eh_frame_hdr; 0: none is known */
	uint64_t eh_frame_size;
	bool replaced; /* its path is another file now, and the mapped one could not be had */
	struct stack_memory *image; /* borrowed */
	struct module_symbol *symbols; /* by `at` */
	size_t nsymbols;
};

struct modules;

/* An empty table, never NULL; modules_free() it. */
struct modules *modules_new(void);

/*
 * Adds a module whose program headers are read from its image (ELF, 64 bit, of this machine's byte
 * order and bounded sizes) into loads, eh_frame_hdr and build id; where it has no eh_frame_hdr its
 * section headers say where its .eh_frame is. The path is copied, the image
 * borrowed and must outlive the table. Valid as long as the table. NULL with words if the image is
 * no ELF object of that kind.
 */
struct module *modules_add(struct modules *modules, uint64_t dev, uint64_t ino, const char *path,
	struct stack_memory *image, struct complaint *why) __attribute__((nonnull(1, 4, 5)));

/* The module that a map shows a part of; NULL where none was added. */
struct module *modules_find(const struct modules *modules, const struct stack_map *map)
	__attribute__((nonnull));

/*
 * Finds what to add to an address of the module to get one in the process, by the PT_LOAD that
 * holds the map's file offset. False where no PT_LOAD fits.
 */
bool module_bias(const struct module *module, const struct stack_map *map, uint64_t *ret)
	__attribute__((nonnull));

/* Replaces the module's symbols by copies of these, in any order. */
void module_set_symbols(struct module *module, const struct module_symbol *symbols, size_t nr)
	__attribute__((nonnull(1)));

/* Returns what was learnt of an address of the module; NULL nothing. */
const struct module_symbol *module_symbol_at(const struct module *module, uint64_t at)
	__attribute__((nonnull));

/* How many there are. */
size_t modules_count(const struct modules *modules) __attribute__((nonnull));
/* By number, in the order of adding. */
struct module *modules_at(const struct modules *modules, size_t i) __attribute__((nonnull));

/* Takes NULL. */
void modules_free(struct modules *modules);

#endif
