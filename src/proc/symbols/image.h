/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_IMAGE_H
#define PROC_IMAGE_H

/*
 * ELF files that processes have mapped, opened as they are mapped: through /proc/PID/map_files
 * where we may (that is the mapped file whatever became of its name), else /proc/PID/root/PATH if
 * that is still the same file (dev and ino), else by build id out of the memory of the process. One
 * image per file, shared by all processes; of each an excerpt is kept of what walks have read.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "stack/excerpt.h"
#include "stack/maps.h"
#include "stack/module.h"

struct images;

/* An empty collection, never NULL; images_free() it. */
struct images *images_new(void);

/*
 * Opens what these maps show of files (their executable maps) and the vDSO, as far as it is new,
 * and adds modules whose images are recording excerpts. `pid` is whose maps they are (0: a core's;
 * files are then opened by path), `memory` its memory, which for pid 0 must live until
 * images_settle(). A file that cannot be had is left out; a line about each kind of failing is
 * appended to `missing` (may be NULL).
 */
void images_open(struct images *images, uint32_t pid, const struct stack_maps *maps,
	struct stack_memory *memory, struct str *missing) __attribute__((nonnull(1, 3, 4)));

/* The table of modules; lives as long as the images. */
struct modules *images_modules(struct images *images) __attribute__((nonnull));

/* Returns what was read of a module's image so far; NULL for a module that is not ours. */
const struct excerpt *images_excerpt(const struct images *images, const struct module *module)
	__attribute__((nonnull));

/*
 * Nothing is read out of the memory of processes and cores any more; what was read of them stays.
 * To be called before a core's memory goes.
 */
void images_settle(struct images *images) __attribute__((nonnull));

/* The file of a module: an open descriptor, borrowed; -1 for the vDSO, or where `replaced`. */
int images_file(const struct images *images, const struct module *module) __attribute__((nonnull));

/* Takes NULL. */
void images_free(struct images *images);

#endif
