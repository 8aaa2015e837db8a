/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_IMAGE_H
#define PROC_IMAGE_H

/*
 * Opens the ELF files that processes have mapped, as they are mapped: through /proc/PID/map_files
 * if we may (that is the mapped file, whatever became of its name); else /proc/PID/root/PATH if
 * that is still the same file (by dev and ino); else, by build id, out of the memory of the
 * process. All processes share one image per file. Of each image an excerpt is kept of what walks
 * have read.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "stack/excerpt.h"
#include "stack/maps.h"
#include "stack/module.h"

struct images;

/* Returns an empty collection, never NULL; images_free() it. */
struct images *images_new(void);

/*
 * Opens what is new of the files that these maps show (by their executable maps), and the vDSO, and
 * adds modules whose images are recording excerpts. `pid` is whose maps they are (0: a core's,
 * whose files are opened by path). `memory` is the memory of the same; for pid 0 it must live until
 * images_settle(). A file that cannot be had is left out. For each kind of failure a line is
 * appended to `missing`, which may be NULL.
 */
void images_open(struct images *images, uint32_t pid, const struct stack_maps *maps,
	struct stack_memory *memory, struct str *missing) __attribute__((nonnull(1, 3, 4)));

/* Returns the table of modules, which lives as long as the images. */
struct modules *images_modules(struct images *images) __attribute__((nonnull));

/* Returns what was read of a module's image so far; NULL for a module of somebody else's. */
const struct excerpt *images_excerpt(const struct images *images, const struct module *module)
	__attribute__((nonnull));

/*
 * Ends all reading out of the memory of processes and cores; what was read of it stays. Call it
 * before a core's memory goes.
 */
void images_settle(struct images *images) __attribute__((nonnull));

/*
 * Returns an open descriptor of a module's file, borrowed; -1 for the vDSO, and for a module that
 * is `replaced`.
 */
int images_file(const struct images *images, const struct module *module) __attribute__((nonnull));

/* Takes NULL. */
void images_free(struct images *images);

#endif
