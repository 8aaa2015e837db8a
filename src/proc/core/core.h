/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CORE_H
#define PROC_CORE_H

/*
 * Core files, by their notes: threads and registers (NT_PRSTATUS, the one that died first), what
 * killed it (NT_SIGINFO), maps (NT_FILE, and the segments), memory (the segments, else the mapped
 * files). Cut cores are read as far as they go.
 */

#include "base/complaint.h"
#include "proc/symbols/image.h"
#include "stack/snapshot.h"

/* True if a file is an ELF core, by its first bytes. */
bool core_is(const char *path) __attribute__((nonnull));

/* The facts of a core beside its threads. Owned: core_words_release() it. */
struct core_words {
	struct str environment; /* as at its start, strings with a NUL behind each; "" not there */
	struct str arguments;	/* likewise; the first 80 bytes of them */
};

/*
 * Fills ret with all threads and walks them, as capture_take() does. 0, or negative with words if
 * the file is no core of this machine or has no thread; what was cut is told in ret->missing.
 * words may be NULL.
 */
int core_take(const char *path, struct images *images, struct snapshot *ret,
	struct core_words *words, struct complaint *why) __attribute__((nonnull(1, 2, 3)));

/* Takes NULL. */
void core_words_release(struct core_words *words);

#endif
