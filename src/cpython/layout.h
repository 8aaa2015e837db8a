/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CPYTHON_LAYOUT_H
#define CPYTHON_LAYOUT_H

/*
 * Where the fields that we read lie in CPython's structures, by version: x86-64, builds with a GIL.
 *
 * Up to 3.12 a table of ours says it, one row per minor version (they did not move within one).
 * From 3.13 on the interpreter carries a table itself at the start of _PyRuntime
 * (_Py_DebugOffsets: words of 64 bits), whose own shape changes with each minor version: there a
 * row of ours says which word is which field. HACKING.md says how to add a version.
 *
 * Tables only, for whoever reads an interpreter: the stacks (stack/python-frames.h), and the probe,
 * which does so in the handler of a dying process.
 */

#include <stdbool.h>
#include <stdint.h>

#define PYTHON_MINOR(version) ((version) >> 16)
#define PYTHON_COOKIE	      "xdebugpy" /* the first word of the interpreter's own table */

/* Words that every version's own table has at the same place, before its shape changes. */
#define PYTHON_WORD_VERSION	  1
#define PYTHON_WORD_FREE_THREADED 2

#define PYTHON_WORDS	   96	      /* of its table that are looked at; those in use are fewer */
#define PYTHON_OFFSET_MAX  (1u << 20) /* a larger one makes no sense */
#define PYTHON_POINTER_TAG 7	      /* bits of a pointer in a frame that 3.14 has flags in */
#define PYTHON_SHIM	   3	      /* this owner and beyond: no frame of a function */
#define PYTHON_OWNERS	   5

/*
 * glibc keeps the tid at this offset of what a pthread_t points to; up to 3.10 Python does not know
 * the tid.
 */
#define PTHREAD_TID 0x2d0

/* Parts of the state word of a str. */
#define STR_KIND(state)	   ((state) >> 2 & 7) /* bytes per character */
#define STR_COMPACT(state) ((state) >> 5 & 1)
#define STR_ASCII(state)   ((state) >> 6 & 1)

/*
 * Where each field lies: an offset in bytes; a field that a version does not have is 0 and never
 * asked for. In a row of words the same fields are numbers of words in the interpreter's own table,
 * 0 for none.
 */
struct python_offsets {
	/* _PyRuntime */
	uint32_t interpreters; /* the first interpreter */
	uint32_t current;      /* the thread that has the GIL; up to 3.11 */
	uint32_t gil;	       /* the GIL itself; up to 3.11 */
	/* PyInterpreterState */
	uint32_t interp_next;
	uint32_t interp_id;
	uint32_t interp_threads; /* the first thread */
	uint32_t interp_modules; /* sys.modules */
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
	uint32_t thread_exc;   /* what handles exceptions, the innermost; up to 3.12 */
	/* _PyCFrame */
	uint32_t cframe_frame;
	uint32_t cframe_previous;
	/* PyFrameObject, from 3.11 on _PyInterpreterFrame */
	uint32_t frame_back;
	uint32_t frame_code;
	uint32_t frame_at;    /* f_lasti, prev_instr, instr_ptr */
	uint32_t frame_entry; /* is_entry; from 3.12 on owner */
	uint32_t frame_locals; /* arguments first, a pointer each */
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

/*
 * How many Python frames one C call of the evaluation loop evaluates, and how the end of such a run
 * is told.
 */
enum python_runs {
	PYTHON_RUNS_OF_ONE,  /* up to 3.10: one frame each */
	PYTHON_RUNS_CFRAMES, /* 3.11: up to is_entry; a cframe lies on the C stack for each */
	PYTHON_RUNS_SHIMS,   /* from 3.12 on: a frame that is none ends it, and lies there itself */
};

/* The kinds of line tables, which lines.c reads. */
enum python_lines {
	PYTHON_LINES_LNOTAB, /* 3.8, 3.9 */
	PYTHON_LINES_RANGES, /* 3.10 */
	PYTHON_LINES_LOCATIONS,
};

/* All that differs between versions. */
struct python_layout {
	uint32_t version; /* PY_VERSION_HEX as found */
	enum python_runs runs;
	enum python_lines lines;
	bool cframes;         /* a thread leads to its frames by a cframe */
	uint32_t str_compact; /* size of the head of any other string in one piece */
	struct python_offsets at;
};

/*
 * Returns the row of a version up to 3.12, or NULL if there is none. Tests compare it with real
 * headers.
 */
const struct python_layout *python_layout_row(uint32_t version);

/* Returns the row of words of a version from 3.13 on, or NULL if there is none. */
const struct python_offsets *python_layout_words(uint32_t version);

/*
 * Takes the layout of a version that has a table of its own: words[] are the first nr of it, as
 * many as there are. Returns false if they make no sense, are too few, or are of a version unknown
 * here.
 */
bool python_layout_of_words(const uint64_t *words, uint32_t nr, struct python_layout *ret);

#endif
