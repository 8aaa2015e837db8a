/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_DEBUGFILE_H
#define PROC_DEBUGFILE_H

/*
 * Finds the separate file with the debug information of a stripped one, if a package of it is
 * installed: by build id below /usr/lib/debug/.build-id, else by the name that .gnu_debuglink
 * tells, beside the file, in its folder .debug, and below /usr/lib/debug. A file counts only if it
 * is proved to be of that very build: by its build id, else by the checksum of the link.
 */

#include "proc/symbols/elf-file.h"

/*
 * Returns an open descriptor of the debug file, which the caller closes; -1 if there is none.
 * `path` is that of the file as its process sees it; `root` goes in front of all places.
 */
int debugfile_open(const struct elf_file *file, const char *path, const char *root)
	__attribute__((nonnull));

/*
 * Returns the small table of symbols that some distributions pack into stripped files
 * (.gnu_debugdata), as a file of its own: an open descriptor, which the caller closes; -1 if there
 * is none, or if inquest was built without liblzma.
 */
int debugfile_packed(const struct elf_file *file) __attribute__((nonnull));

#endif
