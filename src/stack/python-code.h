/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_PYTHON_CODE_H
#define STACK_PYTHON_CODE_H

/*
 * Code objects and strings of an interpreter, read once each: the threads of a job stand in the
 * same few functions.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "stack/memory.h"

struct python_layout; /* cpython/layout.h */

#define PYTHON_NAME_CAP  4096          /* characters of a name; the rest is "..." */
#define PYTHON_LINES_CAP (1u << 20)    /* bytes of a line table; a longer one is not read */
#define PYTHON_CODES_CAP 65536         /* functions */
#define PYTHON_BYTES_CAP (64ull << 20) /* of names and line tables together */

struct python_code {
	uint64_t at;
	const char *file, *function;
	uint32_t first_line;
	const uint8_t *lines; /* the line table */
	size_t lines_len;
	bool sane;       /* else nothing of the above is to be used */
	bool trampoline; /* the interpreter's own, between two functions: nobody's frame */
};

/* A reader of an interpreter. {.memory, .layout, .arena} to begin with. */
struct python_reader {
	struct stack_memory *memory;
	const struct python_layout *layout;
	struct arena *arena; /* of all that is found */
	ARRAY(struct python_code) codes;
	uint32_t *index; /* 1 + place in codes, 0 free; a power of two */
	size_t index_size;
	uint64_t bytes; /* read so far into the arena */
	uint64_t text_at; /* where the characters of the text lay that was read last, */
	uint32_t text_nr, text_kind; /* how many, and of how many bytes each */
};

/*
 * The code object at an address: valid until the next call. NULL where that is none, or where the
 * caps above are reached.
 */
const struct python_code *python_code_at(struct python_reader *reader, uint64_t at)
	__attribute__((nonnull));

/*
 * A str as UTF-8, in the reader's arena; what UTF-8 or a C string cannot hold (surrogates, NUL) is
 * U+FFFD. NULL where that is no str.
 */
const char *python_text(struct python_reader *reader, uint64_t at) __attribute__((nonnull));

/* Frees what is not in the arena. */
void python_reader_release(struct python_reader *reader) __attribute__((nonnull));

#endif
