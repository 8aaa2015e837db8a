/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PREFLIGHT_STORAGE_H
#define PREFLIGHT_STORAGE_H

/* Where data, checkpoints and caches lie: told by the user, or found in the job's environment. */

#include "base/array.h"
#include "preflight/preflight.h"

/* Paths, each once; the texts are owned. {0} at first; storage_release_paths() it. */
struct storage_paths {
	ARRAY(struct preflight_path) list;
};

/* Finds the paths that the launch will use, each once. */
void storage_find_paths(const struct preflight_wish *wish, struct storage_paths *ret)
	__attribute__((nonnull));
/* Frees the list, with its texts. */
void storage_release_paths(struct storage_paths *paths) __attribute__((nonnull));

#endif
