/* SPDX-License-Identifier: Apache-2.0 */
/* export.h: what is on the screen as a file: text, or a picture where its name ends in .svg. */
#ifndef VIEWER_EXPORT_H
#define VIEWER_EXPORT_H

#include "base/complaint.h"
#include "viewer/term/cells.h"

/*
 * Writes the screen to `name`, below the folder where that is relative; "" is a new name that no
 * file there has yet: inquest-view-1.txt and so on. NULL for the folder is the current one. Appends
 * the path. 0, or negative with words. A file that is there is never written over.
 */
int export_cells(const struct cells *cells, enum theme theme, const char *folder, const char *name,
	struct str *ret_path, struct complaint *why) __attribute__((nonnull(1, 4, 5, 6)));

/*
 * Writes any text so: what a name asks for is for the caller to know. `kind` ends a new name: "txt"
 * gives inquest-view-1.txt.
 */
int export_text(const struct str *text, const char *folder, const char *name, const char *kind,
	struct str *ret_path, struct complaint *why) __attribute__((nonnull(1, 3, 4, 5, 6)));

/* True if a file of that name is to be of that kind: it ends in "." and the kind. */
bool export_is(const char *name, const char *kind) __attribute__((nonnull));

#endif
