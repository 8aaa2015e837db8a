/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_SAVE_H
#define CMD_SAVE_H

/* Where bundles go and what they are called: JOB.HOST[.ATTEMPT][.hangN].inq. */

#include <stdbool.h>

#include "base/complaint.h"
#include "base/str.h"
#include "cmd/look.h"

/*
 * Writes the evidence to path, or under its own name where path is a folder or ends in "/" (which
 * is made). Appends the bundle's path to ret_path. `earlier`: so often the job hung before, and
 * moved again. 0, or negative with words.
 */
int save_bundle(const struct look *look, const char *path, unsigned earlier, struct str *ret_path,
	struct complaint *why);

/*
 * Appends a part of a file name that comes from outside: nothing but what every file system can
 * take, and no more than 80 bytes of it.
 */
void save_add_part(struct str *into, const char *text);

/* True if a bundle's path is a folder's: there is one, or it ends in "/". */
bool save_is_folder(const char *path);

/* Makes a folder and those above it that are missing. 0, or -errno with words. */
int save_make_folder(const char *path, struct complaint *why);

#endif
