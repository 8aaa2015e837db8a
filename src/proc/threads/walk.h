/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_WALK_H
#define PROC_WALK_H

/*
 * Walks a snapshot when it is taken, so that its excerpt and those of the modules record all that
 * the same walk will read again later, and to know which addresses need names.
 */

#include "proc/symbols/image.h"
#include "stack/snapshot.h"

/*
 * Walks all threads of the snapshot that have registers, over snapshot->memory, and fills in pcs.
 * Python's places are walked, too. The modules of these maps must be open (images_open()).
 */
void walk_snapshot(struct snapshot *snapshot, const struct stack_maps *maps,
	struct images *images) __attribute__((nonnull));

/* Walks only Python's frames. True if all of Python's lists were in good order. */
bool walk_python(struct snapshot *snapshot) __attribute__((nonnull));

/* Walks only native frames. */
void walk_native(struct snapshot *snapshot, const struct stack_maps *maps, struct images *images)
	__attribute__((nonnull));

#endif
