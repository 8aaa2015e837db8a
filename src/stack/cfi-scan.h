/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_CFI_SCAN_H
#define STACK_CFI_SCAN_H

/*
 * A search table for an object that lacks one. Statically linked programs have unwind information,
 * but mostly no .eh_frame_hdr to find an address by, so all of their .eh_frame is read once. The
 * entries that are found have passed no gate: cfi_check() (stack/cfi.h) is that gate.
 */

#include <stdint.h>

#include "base/array.h"
#include "stack/memory.h"

/* bytes of an .eh_frame; the largest of a static program have 2 MiB */
#define CFI_SCAN_CAP (4u << 20)

struct cfi_range {
	uint64_t start, end; /* [start, end): the code that the FDE describes */
	uint64_t fde; /* address of the FDE */
};

struct cfi_ranges {
	ARRAY(struct cfi_range) all; /* sorted by start */
};

/*
 * Adds the ranges of all FDEs in the .eh_frame at `at`, of `size` bytes, up to the first one that
 * makes no sense, and sorts them. Adds nothing if it is larger than CFI_SCAN_CAP. The caller
 * releases them by array_release(&ranges->all).
 */
void cfi_scan(struct stack_memory *memory, uint64_t at, uint64_t size, struct cfi_ranges *ranges)
	__attribute__((nonnull));

/* Returns the range that holds an address; NULL if none does. */
const struct cfi_range *cfi_ranges_find(const struct cfi_ranges *ranges, uint64_t address)
	__attribute__((nonnull));

#endif
