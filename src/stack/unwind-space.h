/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_UNWIND_SPACE_H
#define STACK_UNWIND_SPACE_H

/*
 * A process as libunwind sees it (private to unwind*.c): its address space, made of the modules'
 * images where code and read-only data are mapped, and of the process' memory for the rest.
 */

#include <stdbool.h>
#include <stdint.h>

#include <libunwind.h>

#include "base/array.h"
#include "stack/cfi-scan.h"
#include "stack/unwind.h"

/*
 * What a map shows, once it was asked for: the module, and what to add to an address in the module.
 */
struct unwind_place {
	bool asked;
	const struct module *module; /* NULL none */
	uint64_t bias;
};

/* A module without a search table of its own, and the table that was made for it. */
struct unwind_scanned {
	const struct module *module;
	uint64_t bias;
	struct cfi_ranges ranges;
};

struct unwinder {
	/* first: shows the whole address space, of images and `process` */
	struct stack_memory memory;
	const struct stack_maps *maps;
	const struct modules *modules;
	struct stack_memory *process;
	struct unwind_place *places; /* one for each of maps->all */
	ARRAY(struct unwind_scanned) scanned;
	uint64_t entry; /* a table of one entry, made here: libunwind sees it at SPACE_ENTRY */
	const struct stack_map *last; /* the map that was found last */
	unw_addr_space_t space;
	/* Of the current walk, whose words are counted in `accesses`: */
	struct unwind_regs regs;
	uint64_t accesses;
	bool needs_register; /* libunwind asked for a register that is not known */
	bool no_info;	     /* libunwind asked about an address without unwind information */
};

/* Returns what the map that holds `at` shows; NULL if there is no map. */
const struct unwind_place *unwinder_place(struct unwinder *unwinder, uint64_t at)
	__attribute__((nonnull));

/* True if the memory at `at` may be run. */
bool unwinder_is_code(struct unwinder *unwinder, uint64_t at) __attribute__((nonnull));

/* True if `at` is right behind a call instruction, in memory that may be run. */
bool unwinder_is_return(struct unwinder *unwinder, uint64_t at) __attribute__((nonnull));

#endif
