/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_PYTHON_OBJECTS_H
#define STACK_PYTHON_OBJECTS_H

/*
 * Reads Python's objects out of bytes: small ints, arguments of a frame, and what an object that is
 * a global of a module says of itself. Where the runtime lies, and which versions are known, is
 * told in python-frames.h. All that comes from here is a stranger's word: the process may be
 * changing it meanwhile.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "stack/memory.h"
#include "stack/python-frames.h"

#define PYTHON_TYPE_NAME 64 /* bytes of a type's name, its NUL included */

/*
 * Copies the name of an object's type as C has it. Returns false if that is no printable name
 * shorter than PYTHON_TYPE_NAME.
 */
bool python_type_name(struct stack_memory *memory, uint64_t object,
	char name[static PYTHON_TYPE_NAME]) __attribute__((nonnull));

/*
 * Returns the n-th argument (from 0) of a function's frame if it is an int of one digit, from 0 to
 * below 2^30. Returns -1 for anything else, and for a runtime that is not read.
 */
int64_t python_argument(struct stack_memory *memory, const struct python_place *place,
	const struct python_frame *frame, unsigned n) __attribute__((nonnull));

/* An attribute of an object; `name` is asked for, the others are found. */
struct python_attribute {
	const char *name;
	int64_t number;	  /* of an int as in python_argument(); -1 it is none, or not there */
	const char *text; /* of a str, in the arena; NULL it is none, or not there */
};

/*
 * Finds the first `n` attributes of an object of a Python class that is bound to the global name
 * `global` of that module, in the main interpreter's sys.modules; attributes of the object itself,
 * not those of its class. Returns false if there is no such object, or it cannot be read.
 */
bool python_global_attributes(struct stack_memory *memory, const struct python_place *place,
	const char *module, const char *global, struct python_attribute *attributes, size_t n,
	struct arena *arena) __attribute__((nonnull));

#endif
