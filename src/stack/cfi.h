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

#define CFI_CAP 16384 /* bytes of one CIE or FDE */

struct cfi_found {
	uint64_t entry; /* address of its entry in the search table: 8 bytes */
	bool signal;	/* code that the kernel enters behind a signal handler */
};

/*
 * memory: the process' addresses; hdr, size: its .eh_frame_hdr there. 0 and *ret; -ENOENT where the
 * table says nothing about the address; -EINVAL for what must not pass; -EFAULT unreadable.
 */
int cfi_find(struct stack_memory *memory, uint64_t hdr, uint64_t size, uint64_t address,
	struct cfi_found *ret) __attribute__((nonnull));

/* The same for an FDE whose address is known. */
int cfi_check(struct stack_memory *memory, uint64_t fde, bool *ret_signal)
	__attribute__((nonnull));

/* How the FDEs of a CIE write their addresses: 0 and *ret, or as above. */
int cfi_encoding(struct stack_memory *memory, uint64_t cie, uint8_t *ret) __attribute__((nonnull));

/* Bits of such an encoding: relative to where it stands; a signed number; none at all. */
#define CFI_PCREL      0x10
#define CFI_SIGNED     0x08
#define CFI_NO_POINTER 0xff

/* Bytes of a pointer of this encoding; 0: none that we take. */
size_t cfi_pointer_size(uint8_t encoding);

#endif
