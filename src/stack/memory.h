/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_MEMORY_H
#define STACK_MEMORY_H

/*
 * The bytes of a process, wherever they come from: the living process, a core file, an ELF image,
 * or an excerpt out of a bundle. A walk of a stack reads through this and knows no more.
 *
 * All of it is a stranger's: any word may be wrong, cut or malicious.
 */

#include <stddef.h>
#include <stdint.h>

struct stack_memory {
	/* Copies len bytes at address `at`: all of them, or none and -EFAULT or another -errno. */
	int (*read)(struct stack_memory *memory, uint64_t at, void *to, size_t len);
	/*
	 * As read(), for a caller that only checks whether these are the bytes that it seeks: an
	 * excerpt does not count them as read, and so need not pack them. Bytes to work with must
	 * be read by read(). NULL: read() does both.
	 */
	int (*glance)(struct stack_memory *memory, uint64_t at, void *to, size_t len);
};

/* Reads, or glances at, `len` bytes: 0, or -errno and `to` undefined. */
static inline int stack_memory_read(
	struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	return memory->read(memory, at, to, len);
}

static inline int stack_memory_glance(
	struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	return (memory->glance ? memory->glance : memory->read)(memory, at, to, len);
}

/* Reads one little-endian word. Returns 0, or -errno and *ret untouched. */
static inline int stack_memory_u64(struct stack_memory *memory, uint64_t at, uint64_t *ret)
{
	return memory->read(memory, at, ret, sizeof(*ret));
}

static inline int stack_memory_u32(struct stack_memory *memory, uint64_t at, uint32_t *ret)
{
	return memory->read(memory, at, ret, sizeof(*ret));
}

#endif
