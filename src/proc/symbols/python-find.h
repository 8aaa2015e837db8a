/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_PYTHON_FIND_H
#define PROC_PYTHON_FIND_H

/*
 * Finds the Python runtimes of a process, by the ELF symbols and sections of what it has mapped and
 * by its memory (stack/python-frames.h takes it from there). Each place that is found is validated:
 * its list of interpreters leads to threads that lead back.
 */

#include "proc/symbols/image.h"
#include "stack/python-frames.h"

/*
 * Fills up to PYTHON_PLACES places and returns how many; 0 for a process without Python. If
 * something looks like Python and cannot be used, a line says so in `missing`, which may be NULL.
 * `memory` is the process' own and no recording one, since it may be searched through.
 */
size_t python_find(struct images *images, const struct stack_maps *maps,
	struct stack_memory *memory, struct python_place places[PYTHON_PLACES],
	struct str *missing) __attribute__((nonnull(1, 2, 3, 4)));

#endif
