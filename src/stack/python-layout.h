/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_PYTHON_LAYOUT_H
#define STACK_PYTHON_LAYOUT_H

/* Finds the layout (cpython/layout.h) of an interpreter whose memory is at hand. */

#include <stdint.h>

#include "base/arena.h"
#include "stack/memory.h"

struct python_layout; /* cpython/layout.h */

/*
 * Finds the layout of the interpreter whose _PyRuntime is at `runtime`. `version` is what is known
 * of it from elsewhere (PY_VERSION_HEX; 0: nothing); what the interpreter says itself counts more.
 * Returns NULL and *ret, or why nothing can be read of it, in words that may lie in the arena.
 * ret->version is set in both cases, as far as it is known (0: not).
 */
const char *python_layout_find(struct stack_memory *memory, uint64_t runtime, uint32_t version,
	struct python_layout *ret, struct arena *arena) __attribute__((nonnull));

/*
 * Returns the PY_VERSION_HEX that the interpreter's own table of offsets says (3.13 on); 0 where
 * there is no such table.
 */
uint32_t python_layout_version(struct stack_memory *memory, uint64_t runtime)
	__attribute__((nonnull));

#endif
