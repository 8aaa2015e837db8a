/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CORE_MEMORY_H
#define PROC_CORE_MEMORY_H

/*
 * The memory of a process that left a core: what the core has of it; else, where the process could
 * not have changed it, what the mapped file has (by default the kernel leaves out of cores what it
 * can find there). Pages are kept, since walks read many small pieces of few pages.
 */

#include "proc/core/core-file.h"
#include "proc/symbols/image.h"
#include "stack/maps.h"
#include "stack/memory.h"

struct core_memory;

/*
 * Returns the memory, never NULL; core_memory_free() it. All arguments are borrowed and must
 * outlive it.
 */
struct core_memory *core_memory_new(const struct core_file *core, const struct stack_maps *maps,
	struct images *images) __attribute__((nonnull));

/* Returns it as the memory that walks read; lives as long. */
struct stack_memory *core_memory_of(struct core_memory *memory) __attribute__((nonnull));

/* Takes NULL. */
void core_memory_free(struct core_memory *memory);

#endif
