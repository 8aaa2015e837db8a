/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_PYTHON_LAYOUT_H
#define STACK_PYTHON_LAYOUT_H

/*
 * Where the fields that we read lie in CPython's structures, by version: x86-64, builds with a GIL.
 *
 * Up to 3.12 a table of ours says it, one row per minor version (they did not move within one).
 * From 3.13 on the interpreter carries a table itself at the start of _PyRuntime
 * (_Py_DebugOffsets: words of 64 bits), whose own shape changes with each minor version: there a
 * row of ours says which word is which field. HACKING.md says how to add a version.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "stack/memory.h"

/*
 * Offsets in bytes. Fields that a version does not have are 0 and not asked for. Of the table in
 * the interpreter: numbers of words, 0 for none.
 */
struct python_offsets {
	/* _PyRuntime */
	uint32_t interpreters; /* the first interpreter */
	uint32_t current;      /* the thread that has the GIL; up to 3.11 */
	/* PyInterpreterState */
	uint32_t interp_next;
	uint32_t interp_id;
	uint32_t interp_threads; /* the first thread */
	uint32_t interp_gil;     /* its GIL; from 3.12 on */
	/* struct _gil_runtime_state. The interpreter's table tells them with gil_at added. */
	uint32_t gil_at;
	uint32_t gil_holder;
	uint32_t gil_locked;
	/* PyThreadState */
	uint32_t thread_next;
	uint32_t thread_interp;
	uint32_t thread_frame; /* the innermost frame; of 3.11 and 3.12: the innermost cframe */
	uint32_t thread_ident; /* pthread_t */
	uint32_t thread_tid;   /* from 3.11 on */
	/* _PyCFrame */
	uint32_t cframe_frame;
	uint32_t cframe_previous;
	/* PyFrameObject, from 3.11 on _PyInterpreterFrame */
	uint32_t frame_back;
	uint32_t frame_code;
	uint32_t frame_at;    /* f_lasti, prev_instr, instr_ptr */
	uint32_t frame_entry; /* is_entry; from 3.12 on owner */
	/* PyCodeObject */
	uint32_t code_file;
	uint32_t code_name;
	uint32_t code_line;  /* the first one */
	uint32_t code_lines; /* the line table */
	uint32_t code_start; /* of the instructions; from 3.11 on */
	/* str and bytes */
	uint32_t str_length;
	uint32_t str_state;
	uint32_t str_ascii; /* size of the head of a string of ASCII */
	uint32_t bytes_size;
	uint32_t bytes_data;
};

/* What one C call of the evaluation loop evaluates, and how its end is told. */
enum python_runs {
	PYTHON_RUNS_OF_ONE,  /* up to 3.10: one frame each */
	PYTHON_RUNS_CFRAMES, /* 3.11: up to is_entry; a cframe lies on the C stack for each */
	PYTHON_RUNS_SHIMS,   /* from 3.12 on: a frame that is none ends it, and lies there itself */
};

/* The line tables; python-lines.h reads them. */
enum python_lines {
	PYTHON_LINES_LNOTAB, /* 3.8, 3.9 */
	PYTHON_LINES_RANGES, /* 3.10 */
	PYTHON_LINES_LOCATIONS,
};

struct python_layout {
	uint32_t version; /* PY_VERSION_HEX as found */
	enum python_runs runs;
	enum python_lines lines;
	bool cframes;         /* a thread leads to its frames by a cframe */
	uint32_t str_compact; /* size of the head of any other string in one piece */
	struct python_offsets at;
};

/*
 * The layout of the interpreter whose _PyRuntime is at `runtime`. `version` is what is known of it
 * from elsewhere (0: nothing); what it says itself counts more. NULL, or why nothing can be read of
 * it; words lie in the arena. ret->version is right in both cases, as far as it is known.
 */
const char *python_layout_find(struct stack_memory *memory, uint64_t runtime, uint32_t version,
	struct python_layout *ret, struct arena *arena) __attribute__((nonnull));

/* PY_VERSION_HEX as its own table says it (3.13 on); 0 where there is no such table. */
uint32_t python_layout_version(struct stack_memory *memory, uint64_t runtime)
	__attribute__((nonnull));

/* The row of a version up to 3.12, for tests that compare it with real headers; NULL none. */
const struct python_layout *python_layout_row(uint32_t version);

/* The row of words of a version from 3.13 on; NULL none. */
const struct python_offsets *python_layout_words(uint32_t version);

#endif
