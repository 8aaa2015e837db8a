/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PYTHON_FAKE_H
#define TESTS_PYTHON_FAKE_H

/*
 * An interpreter that never ran: the structures of a version, laid out by the very rows that read
 * them, in a small memory. What the rows say of real interpreters is for
 * tests/stack/python-layout.test; here it is how well-made and broken structures are read.
 *
 *	struct python_fake *fake = python_fake_new(0x030c0000);
 *	uint64_t interpreter = python_fake_interpreter(fake, 0);
 *	uint64_t thread = python_fake_thread(fake, interpreter, 4711);
 *	uint64_t code = python_fake_code(fake, "/a.py", "f", 10);
 *	python_fake_frame(fake, thread, code);		outermost first
 */

#include <stddef.h>
#include <stdint.h>

#include "cpython/layout.h"
#include "stack/memory.h"
#include "stack/python-layout.h"

#define FAKE_BASE 0x7f0000000000ull
#define FAKE_SIZE (1u << 20)

struct python_fake {
	struct stack_memory memory;
	struct python_layout layout;
	uint32_t version;
	uint64_t runtime;
	uint64_t next;   /* free memory */
	uint64_t nreads; /* how often it was read */
	uint8_t entry;   /* the next frame is the first of its run */
	uint8_t bytes[FAKE_SIZE];
};

/* An empty runtime of that version; free() it. */
struct python_fake *python_fake_new(uint32_t version);

/* Structures, and where they are. Each is the first of its list from now on. */
uint64_t python_fake_interpreter(struct python_fake *fake, uint64_t number);
uint64_t python_fake_thread(struct python_fake *fake, uint64_t interpreter, uint32_t tid);
/* A function with all of its code on its first line. */
uint64_t python_fake_code(
	struct python_fake *fake, const char *file, const char *function, uint32_t line);
/* Calls the function in the thread; within the same run of frames, where the version has runs. */
uint64_t python_fake_frame(struct python_fake *fake, uint64_t thread, uint64_t code);
/* Begins a new run of frames: C has called the evaluation loop. Gives the anchor; 0 up to 3.10. */
uint64_t python_fake_run(struct python_fake *fake, uint64_t thread);
/* A str of nr characters of `kind` bytes. */
uint64_t python_fake_text(
	struct python_fake *fake, const void *characters, size_t nr, unsigned kind);
/* Lets the thread have the GIL of its interpreter; 0: lets nobody have it. */
void python_fake_gil(struct python_fake *fake, uint64_t interpreter, uint64_t thread);

/*
 * An entry on the thread's stack of handlers, the innermost so far: of an exception of that type
 * that says text; type NULL: of none. Of versions up to 3.12.
 */
void python_fake_handler(
	struct python_fake *fake, uint64_t thread, const char *type, const char *text);

/* size bytes (at most 8) of a value at an address of the fake; and back. */
void python_fake_put(struct python_fake *fake, uint64_t at, uint64_t value, size_t size);
uint64_t python_fake_get(const struct python_fake *fake, uint64_t at);

#endif
