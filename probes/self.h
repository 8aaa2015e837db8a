/* SPDX-License-Identifier: Apache-2.0 */
/*
 * self.h: reads the process' own memory as if it were another process': an unmapped page is an
 * error, not a second fault. The kernel copies (process_vm_readv). If a container refuses that, the
 * kernel is asked whether a page is readable, though another thread may unmap it right after.
 *
 * A struct self_memory keeps the pages that were read last, since walks over structures read the
 * same few again and again. It keeps pages as they were, so begin anew for each walk.
 */
#ifndef PROBES_SELF_H
#define PROBES_SELF_H

#include <stddef.h>
#include <stdint.h>

#define SELF_PAGE  4096
#define SELF_PAGES 32 /* a power of two */

struct self_memory {
	int tid;	 /* thread to read from: the process' own pid may be a zombie's */
	int refused;	 /* the kernel refuses to copy */
	uint64_t misses; /* pages that could not be read */
	uint64_t at[SELF_PAGES]; /* addresses of the pages kept; 0: none */
	uint8_t page[SELF_PAGES][SELF_PAGE];
};

/* Begins anew, with no page kept. */
void self_begin(struct self_memory *memory);

/* Copies all of [at, at + size), or returns -1. A memory is for one thread. Signal-safe. */
int self_read(struct self_memory *memory, uint64_t at, void *to, size_t size);

/*
 * Copies the string at `at`, cut to size - 1 bytes. Returns its length, or -1 if none of it can be
 * read.
 */
int self_string(struct self_memory *memory, uint64_t at, char *to, size_t size);

/* True if a word can be read at `at`. Asks for no permission and no file. */
int self_can_read(uint64_t at);

/* Copies as much as is mapped of `size` bytes from `from` up. Returns how many. Keeps no pages. */
uint32_t self_copy(void *to, uint64_t from, uint32_t size);

#endif
