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

/* The content of a map. */
struct unwind_place {
	bool asked;
	const struct module *module; /* NULL none */
	uint64_t bias;
};

/* A module without a search table of its own, and the one that we made. */
struct unwind_scanned {
	const struct module *module;
	uint64_t bias;
	struct cfi_ranges ranges;
};

struct unwinder {
	struct stack_memory memory; /* first: all of the address space */
	const struct stack_maps *maps;
	const struct modules *modules;
	struct stack_memory *process;
	struct unwind_place *places; /* as maps->all */
	ARRAY(struct unwind_scanned) scanned;
	uint64_t entry; /* the search table that libunwind sees at SPACE_ENTRY */
	const struct stack_map *last; /* map that was found last */
	unw_addr_space_t space;
	/* Of the walk that goes on: */
	struct unwind_regs regs;
	uint64_t accesses;
	bool needs_register; /* one was asked for that is not known */
	bool no_info;	     /* an address was asked about that nothing is known of */
};

/* Returns what the map there shows; NULL no map there. */
const struct unwind_place *unwinder_place(struct unwinder *unwinder, uint64_t at)
	__attribute__((nonnull));

/* True if code can be there. */
bool unwinder_is_code(struct unwinder *unwinder, uint64_t at) __attribute__((nonnull));

/* True if `at` is right behind a call instruction, in memory that may be run. */
bool unwinder_is_return(struct unwinder *unwinder, uint64_t at) __attribute__((nonnull));

#endif
