/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_PYTHON_CODE_H
#define STACK_PYTHON_CODE_H

/*
 * Code objects and strings of an interpreter. Each code object is read once, because the threads of
 * a job stand in the same few functions.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "stack/memory.h"

struct python_layout; /* cpython/layout.h */

#define PYTHON_NAME_CAP  4096          /* characters of a name; "..." stands for the rest */
#define PYTHON_LINES_CAP (1u << 20)    /* bytes of a line table; a longer one is not read */
/* code objects of one interpreter; python_code_at() reads no more */
#define PYTHON_CODES_CAP 65536
#define PYTHON_BYTES_CAP (64ull << 20) /* of names and line tables together; no more is read */

struct python_code {
	uint64_t at; /* address of the code object */
	const char *file, *function; /* co_filename; co_qualname, before 3.11 co_name */
	uint32_t first_line;
	const uint8_t *lines; /* co_linetable or co_lnotab; NULL where it could not be read */
	size_t lines_len;
	bool sane;       /* it could be read; else nothing of the above is to be used */
	/* code of the interpreter's own, between two functions: it makes no frame */
	bool trampoline;
};

/*
 * A reader of one interpreter; begins as {.memory, .layout, .arena}, all borrowed.
 * python_reader_release() it.
 */
struct python_reader {
	struct stack_memory *memory;
	const struct python_layout *layout;
	struct arena *arena; /* holds all texts and tables that are found */
	ARRAY(struct python_code) codes;
	uint32_t *index; /* 1 + place in codes, 0 free; a power of two */
	size_t index_size;
	uint64_t bytes; /* taken so far of PYTHON_BYTES_CAP */
	/* Of the text that was read last: where its characters lay in the process, */
	uint64_t text_at;
	uint32_t text_nr, text_kind; /* how many they were, and of how many bytes each. */
};

/*
 * Returns the code object at an address (of which the tag bits are ignored), valid until the next
 * call. NULL if there is no sane one, or if the caps above are reached.
 */
const struct python_code *python_code_at(struct python_reader *reader, uint64_t at)
	__attribute__((nonnull));

/*
 * Returns the str at an address as UTF-8, in the reader's arena. A character that UTF-8 or a C
 * string cannot hold (a surrogate, NUL) becomes U+FFFD. NULL if that is no str, or cannot be read.
 */
const char *python_text(struct python_reader *reader, uint64_t at) __attribute__((nonnull));

/* Frees what the reader holds outside the arena. */
void python_reader_release(struct python_reader *reader) __attribute__((nonnull));

#endif
