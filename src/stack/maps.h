/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_MAPS_H
#define STACK_MAPS_H

/*
 * The maps of a process: the text of /proc/PID/maps, parsed. Core files give the same text
 * (proc/core/core.h), with made-up inodes on device 0:0.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"

#define STACK_MAPS_CAP 262144 /* maps; the rest is left out, and `cut` says so */

struct stack_map {
	uint64_t start, end; /* [start, end) */
	uint64_t offset;     /* into the file */
	uint64_t dev;        /* major << 32 | minor */
	uint64_t ino;        /* 0: not of a file */
	bool readable, writable, executable, shared;
	bool deleted;        /* the file's name is gone, or is another file's now */
	const char *path;    /* without " (deleted)"; "[vdso]"; "" anonymous. Never NULL */
};

struct stack_maps {
	ARRAY(struct stack_map) all; /* by address, not overlapping */
	bool cut; /* not all of the text is here: there were more than STACK_MAPS_CAP */
	struct arena arena; /* of the paths */
};

/*
 * Parses the text, replacing what `maps` held (zeroed, or parsed before). Leaves out lines that
 * make no sense or overlap an earlier one, and returns how many they were.
 */
size_t stack_maps_parse(struct stack_maps *maps, const char *text, size_t len)
	__attribute__((nonnull));

/* Returns the map that holds an address, borrowed from `maps`; NULL if none does. */
const struct stack_map *stack_maps_find(const struct stack_maps *maps, uint64_t at)
	__attribute__((nonnull));

/* Leaves the empty maps. Takes NULL. */
void stack_maps_release(struct stack_maps *maps);

#endif
