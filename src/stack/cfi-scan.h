/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_CFI_SCAN_H
#define STACK_CFI_SCAN_H

/*
 * The search table that an object lacks: statically linked programs have unwind information, but
 * mostly no .eh_frame_hdr to find an address by. So all of their .eh_frame is read once. Entries
 * that are found have passed no gate: that is cfi_check()'s to do (stack/cfi.h).
 */

#include <stdint.h>

#include "base/array.h"
#include "stack/memory.h"

#define CFI_SCAN_CAP (4u << 20) /* bytes of an .eh_frame: the largest of a static program are 2 */

struct cfi_range {
	uint64_t start, end; /* addresses that it is about */
	uint64_t fde;
};

struct cfi_ranges {
	ARRAY(struct cfi_range) all; /* by start */
};

/*
 * Adds what stands in the .eh_frame at `at`, of `size` bytes, as far as it makes sense; of more
 * than CFI_SCAN_CAP nothing. Release it by array_release(&ranges->all).
 */
void cfi_scan(struct stack_memory *memory, uint64_t at, uint64_t size, struct cfi_ranges *ranges)
	__attribute__((nonnull));

/* The one that an address lies in; NULL none. */
const struct cfi_range *cfi_ranges_find(const struct cfi_ranges *ranges, uint64_t address)
	__attribute__((nonnull));

#endif
