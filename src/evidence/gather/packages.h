/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_PACKAGES_H
#define EVIDENCE_PACKAGES_H

/*
 * Tells from outside which Python packages a process may import: it looks for the folders
 * (site-packages, dist-packages) out of which the process has mapped libraries, and in these for
 * the names that installers leave, NAME-VERSION.dist-info or .egg-info. Nothing is imported, and no
 * file of theirs is opened.
 *
 * A process that has mapped nothing out of such a folder tells nothing, nor does one whose list of
 * mappings does not come within a moment.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Appends "NAME VERSION", a line each, sorted, each once, of all those processes together; the
 * folders are read as each process sees them. Where a name has several versions, in several
 * folders, it is not known which one is imported. The caller waits for the processes' storage.
 * Returns false if something is missing: it could not be read, or had no room.
 */
bool packages_list(const uint32_t *pids, size_t n, struct str *into) __attribute__((nonnull(3)));

#endif
