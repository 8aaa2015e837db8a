/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_CFI_H
#define STACK_CFI_H

/*
 * The gate before libunwind: finds the unwind information of an address in an .eh_frame_hdr, and
 * lets pass only what libunwind's interpreter handles without leaving its arrays, dividing by what
 * must not be divided by, running in circles, or aborting. Its own checks are made for the output
 * of compilers; what we give it comes from a stranger.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/memory.h"

#define CFI_CAP 16384 /* bytes of one CIE or FDE; a larger one is refused */

struct cfi_found {
	uint64_t entry; /* address of the entry in the search table, which is 8 bytes long */
	bool signal;	/* the code returns from a signal handler: its caller was interrupted */
};

/*
 * Finds the entry for `address` in the .eh_frame_hdr at `hdr`, of `size` bytes, and checks what it
 * leads to. `memory` shows the process' addresses. Returns 0 and *ret; -ENOENT if the table says
 * nothing about the address; -EINVAL for what must not pass; -EFAULT if something cannot be read.
 */
int cfi_find(struct stack_memory *memory, uint64_t hdr, uint64_t size, uint64_t address,
	struct cfi_found *ret) __attribute__((nonnull));

/*
 * Checks the FDE at a known address, and its CIE, in the same way. Returns 0 and *ret_signal (as in
 * struct cfi_found), or an error as cfi_find() does.
 */
int cfi_check(struct stack_memory *memory, uint64_t fde, bool *ret_signal)
	__attribute__((nonnull));

/*
 * Reads how the FDEs of the CIE at `cie` encode their pointers. Returns 0 and *ret, or an error as
 * cfi_find() does.
 */
int cfi_encoding(struct stack_memory *memory, uint64_t cie, uint8_t *ret) __attribute__((nonnull));

/*
 * Bits of a pointer encoding (DW_EH_PE_*): the value is relative to where it stands; it is signed.
 * CFI_NO_POINTER as a whole: there is no pointer.
 */
#define CFI_PCREL      0x10
#define CFI_SIGNED     0x08
#define CFI_NO_POINTER 0xff

/* Returns the size in bytes of a pointer in this encoding; 0 for an encoding that we refuse. */
size_t cfi_pointer_size(uint8_t encoding);

#endif
