/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_IMAGE_SOURCE_H
#define PROC_IMAGE_SOURCE_H

/*
 * The bytes of one ELF object (private to image.c): out of its file, out of the memory of a process
 * that has it mapped, or out of a copy of that. As a memory it is laid out as stack/module.h wants
 * images.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "stack/maps.h"
#include "stack/memory.h"
#include "stack/module.h"

struct image_range { /* [offset, offset + len) of the file is mapped at `start` of the process */
	uint64_t start, len, offset;
};

struct image_source {
	struct stack_memory memory; /* first */
	const struct module *module; /* the object's segments; NULL before they are known */
	int fd;			     /* of the file, owned; -1 none */
	struct stack_memory *process; /* NULL none; borrowed */
	ARRAY(struct image_range) ranges;
	uint8_t *copy; /* a copy of the file as it was mapped; NULL none */
	size_t copy_len;
};

/* Returns a source, never NULL; image_source_free() it. Takes `fd` over; -1: it has no file. */
struct image_source *image_source_new(int fd);

/*
 * Notes where in the process the file of `map` is mapped, to be read from there. Borrows `process`.
 */
void image_source_map(struct image_source *source, const struct stack_maps *maps,
	const struct stack_map *map, struct stack_memory *process) __attribute__((nonnull));

/*
 * Copies all of one map, of at most `cap` bytes, after which the process is not needed any more.
 * Returns 0 or -errno.
 */
int image_source_copy(struct image_source *source, const struct stack_map *map,
	struct stack_memory *process, size_t cap) __attribute__((nonnull));

/* Takes NULL. */
void image_source_free(struct image_source *source);

#endif
