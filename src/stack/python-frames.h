/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_PYTHON_FRAMES_H
#define STACK_PYTHON_FRAMES_H

/*
 * Python's frames out of bytes: where the interpreter's runtime is (python_place, found from ELF
 * symbols by proc/symbols/python-find.h when the evidence is gathered), its structures by the
 * tables of its version, and from 3.13 on by the debug offsets that it carries itself.
 *
 * CPython 3.8 to 3.15, builds with a GIL. Nothing is read of others (`refused`).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/complaint.h"
#include "stack/memory.h"
#include "stack/unwind.h"

#define PYTHON_FRAMES 4096 /* of one thread; more are cut */
#define PYTHON_PLACES 4    /* runtimes in one process */

/* One interpreter of a process, by its ELF file. */
struct python_place {
	uint64_t runtime; /* address of _PyRuntime in the process */
	uint32_t version; /* PY_VERSION_HEX, its low half 0: only which 3.N; 0 not known */
	/*
	 * _PyEval_EvalFrameDefault is [start, end), and the part of it that the compiler took for
	 * cold lies elsewhere; 0: not known. Needed up to 3.10 only.
	 */
	uint64_t eval_start;
	uint64_t eval_end;
	uint64_t cold_start;
	uint64_t cold_end;
};

struct python_frame {
	const char *file;     /* co_filename; never NULL */
	const char *function; /* co_qualname, before 3.11 co_name */
	uint32_t line;        /* 0 not known */
	/*
	 * Address, on the C stack, of what entered this run of frames: set at the outermost frame
	 * of each run (3.11+); 0 else.
	 */
	uint64_t anchor;
	uint64_t at; /* where the frame itself lies */
};

struct python_thread {
	uint64_t tid; /* as the process knows it; 0 not known */
	uint64_t interpreter; /* its number; 0 the main one */
	bool holds_gil;
	struct python_frame *frames; /* innermost first */
	size_t nframes;
	const char *cut; /* why not all of it was read; NULL: all */
	/*
	 * The exception that it handles now, or that passes one of its `finally`: "ValueError: no
	 * such token". NULL none, or unknown (3.13 and beyond).
	 */
	const char *handling;
	/* Where that text lies, which is the program's own: characters of said_kind bytes. */
	uint64_t said_at;
	uint32_t said_nr, said_kind; /* 0: none */
};

struct python_stacks {
	struct arena arena; /* of everything below */
	struct python_thread *threads;
	size_t nthreads;
	uint32_t version;  /* as found */
	bool gil_known;
	bool gil_locked;
	uint64_t gil_holder; /* tid; 0 nobody, or not known who */
	/*
	 * Where the main interpreter's GIL lies: a thread that is blocked in futex() on a word in
	 * [gil_at, gil_end) waits for it, whatever its frames are called. 0 not known.
	 */
	uint64_t gil_at;
	uint64_t gil_end;
	const char *refused; /* why nothing was read: "free-threaded build", ...; NULL none */
};

/*
 * Reads all threads of the interpreters behind one place, bounded whatever the bytes say. 0, or
 * negative with words where there is no interpreter in good order; threads that could be read are
 * there all the same. python_stacks_release() in any case.
 */
int python_stacks_read(struct stack_memory *memory, const struct python_place *place,
	struct python_stacks *ret, struct complaint *why) __attribute__((nonnull(1, 2, 3)));

/*
 * True if an interpreter in good order is there, by a look at its first thread: whose frames are
 * read is for python_stacks_read() to say. False too where the version is not one that is known:
 * *refused (may be NULL) then gets the words that python_stacks_read() would give, in the arena.
 */
bool python_place_holds(struct stack_memory *memory, const struct python_place *place,
	const char **refused, struct arena *arena) __attribute__((nonnull(1, 2, 4)));

/*
 * The n-th argument (from 0) of a function's frame, where that is a small number: -1 where it is
 * none, or of a runtime that is not read. As all of this it is a stranger's word.
 */
int64_t python_argument(struct stack_memory *memory, const struct python_place *place,
	const struct python_frame *frame, unsigned n) __attribute__((nonnull));

/* Leaves the empty stacks. Takes NULL. */
void python_stacks_release(struct python_stacks *stacks);

#endif
