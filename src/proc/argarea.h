/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_ARGAREA_H
#define PROC_ARGAREA_H

/*
 * A process' arguments and environment lie on top of its first stack, where the kernel has put
 * them, and wherever the process has said that they are since (PR_SET_MM). No excerpt of its memory
 * may hold these bytes.
 *
 * The kernel lays the strings out above what the auxiliary vector points to (random bytes, the
 * platform's name, the program's name), and nothing else up to the end of that stack. So these
 * addresses find the place also where a program has moved its arguments elsewhere and left the old
 * ones.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "stack/excerpt.h"
#include "stack/maps.h"

/*
 * Bars the argument area in the excerpt, by the bytes of /proc/PID/auxv and /proc/PID/stat (either
 * may be empty: not known). Returns false if neither tells where the area lies.
 */
bool argarea_bar(struct excerpt *excerpt, const struct stack_maps *maps, const struct str *auxv,
	const struct str *stat) __attribute__((nonnull));

/*
 * Bars the argument area by an address that points into the strings, or right below them (0: not
 * known). Returns false if no map holds it.
 */
bool argarea_bar_above(struct excerpt *excerpt, const struct stack_maps *maps, uint64_t at)
	__attribute__((nonnull));

#endif
