/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CORE_H
#define PROC_CORE_H

/*
 * Takes a snapshot out of a core file, by its notes: threads and registers (NT_PRSTATUS, the one
 * that died first), what killed it (NT_SIGINFO), maps (NT_FILE, and the segments), memory (the
 * segments, else the mapped files). Cores that are cut are read as far as they go.
 */

#include "base/complaint.h"
#include "proc/symbols/image.h"
#include "stack/snapshot.h"

/*
 * True if a file is an ELF core, by its first bytes, also if it is packed. Of a packing that we
 * cannot undo, its name decides.
 */
bool core_is(const char *path) __attribute__((nonnull));

/* What else a core tells; core_words_release() it. */
struct core_words {
	/* as it was when the program started: strings with a NUL behind each; "" not there */
	struct str environment;
	struct str arguments;	/* in the same form; the first 80 bytes of them */
};

/*
 * Fills ret with all threads and walks them, as capture_take() does. Returns 0, or negative and
 * words if the file is no core of this machine or has no thread. ret->missing says what was cut.
 * `words` may be NULL.
 */
int core_take(const char *path, struct images *images, struct snapshot *ret,
	struct core_words *words, struct complaint *why) __attribute__((nonnull(1, 2, 3)));

/* Takes NULL. */
void core_words_release(struct core_words *words);

#endif
