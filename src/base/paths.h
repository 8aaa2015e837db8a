/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PATHS_H
#define BASE_PATHS_H

/*
 * Where the pieces lie that `inquest` preloads or runs. A program anywhere below a build tree
 * (a folder with config.status and libinquest-probe.la) uses that tree; any other uses the
 * installed places that configure was told. The environment has no say.
 */

#include "base/complaint.h"
#include "base/str.h"

enum paths_piece {
	PATHS_PROBE,	 /* the file libinquest-probe.so */
	PATHS_STANDIN,	 /* the folder of the stand-in's libnccl.so.2, libcudart.so.13, ... */
	PATHS_SCENARIOS, /* the folder of the demo's rank programs and their truths */
};

/*
 * Appends the absolute path of a piece to into, for the running program. Returns 0, or -errno
 * with words (among them the path) if it is not there; into is then as it was.
 */
int paths_find(enum paths_piece piece, struct str *into, struct complaint *why)
	__attribute__((nonnull(2)));

/* Does what paths_find() does, for a program whose file is exe, an absolute path. */
int paths_find_for(const char *exe, enum paths_piece piece, struct str *into, struct complaint *why)
	__attribute__((nonnull(1, 3)));

#endif
