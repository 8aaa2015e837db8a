/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_PYTHON_FRAMES_H
#define STACK_PYTHON_FRAMES_H

/*
 * Reads Python's frames out of bytes. Where the interpreter's runtime lies is known (python_place,
 * found from ELF symbols by proc/symbols/python-find.h when the evidence is gathered). How its
 * structures lie is told by the tables of its version, and from 3.13 on by the debug offsets that
 * it carries itself.
 *
 * Known are CPython 3.8 to 3.15, in builds with a GIL. Of others nothing is read, and `refused`
 * says so.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/complaint.h"
#include "stack/memory.h"
#include "stack/unwind.h"

#define PYTHON_FRAMES 4096 /* frames of one thread; the rest is cut */
#define PYTHON_PLACES 4    /* runtimes in one process, at most */

/* One interpreter of a process, by its ELF file. */
struct python_place {
	uint64_t runtime; /* address of _PyRuntime in the process */
	uint32_t version; /* PY_VERSION_HEX with its low half 0 (only 3.N is known); 0 not known */
	/*
	 * _PyEval_EvalFrameDefault is [eval_start, eval_end), and the part of it that the compiler
	 * took for cold is [cold_start, cold_end); 0 not known. Needed up to 3.10 only.
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
	 * Address, on the C stack, of what entered this run of frames. Set from 3.11 on at the
	 * outermost frame of each run; 0 at all others.
	 */
	uint64_t anchor;
	uint64_t at; /* address of the frame itself in the process */
};

struct python_thread {
	uint64_t tid; /* as the process itself knows it; 0 not known */
	uint64_t interpreter; /* number of the thread's interpreter; 0 is the main one */
	bool holds_gil;
	struct python_frame *frames; /* innermost first */
	size_t nframes;
	const char *cut; /* why not all frames were read; NULL if all were */
	/*
	 * The exception that the thread handles now, or that passes one of its `finally`, as
	 * "ValueError: no such token". NULL if there is none, or if that is unknown (3.13 and
	 * beyond).
	 */
	const char *handling;
	/*
	 * Where in the process the text of that exception lies: `said_nr` characters of said_kind
	 * bytes each. It is the program's own word, and may have to be redacted. `said_nr` 0: none.
	 */
	uint64_t said_at;
	uint32_t said_nr, said_kind; /* 0: none */
};

struct python_stacks {
	struct arena arena; /* holds everything below */
	struct python_thread *threads;
	size_t nthreads;
	uint32_t version;  /* of the interpreter, as found; 0 not known */
	bool gil_known;
	bool gil_locked;
	uint64_t gil_holder; /* tid as the process knows it; 0: nobody, or it is not known who */
	/*
	 * Where the main interpreter's GIL lies. A thread that is blocked in futex() on a word in
	 * [gil_at, gil_end) waits for it, whatever its frames are called. 0 not known.
	 */
	uint64_t gil_at;
	uint64_t gil_end;
	/* why nothing was read ("a free-threaded build, ..."); NULL if something was */
	const char *refused;
};

/*
 * Reads all threads of the interpreters behind one place, bounded whatever the bytes say. Returns
 * 0, also if it refused the interpreter; or negative and words where there is no interpreter in
 * good order: threads that could be read are in *ret all the same. python_stacks_release() in any
 * case.
 */
int python_stacks_read(struct stack_memory *memory, const struct python_place *place,
	struct python_stacks *ret, struct complaint *why) __attribute__((nonnull(1, 2, 3)));

/*
 * True if an interpreter in good order is there, by a look at its first thread; whose frames can be
 * read python_stacks_read() tells. False also if its version is not known: *refused (may be NULL)
 * then gets the words that python_stacks_read() would give, in the arena; else NULL.
 */
bool python_place_holds(struct stack_memory *memory, const struct python_place *place,
	const char **refused, struct arena *arena) __attribute__((nonnull(1, 2, 4)));

/* Leaves the empty stacks. Takes NULL. */
void python_stacks_release(struct python_stacks *stacks);

#endif
