/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

/*
 * Whole files: read with a cap, written so that a reader sees the old one or the new one, never
 * a half. And what a folder holds.
 */

#include <stddef.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/complaint.h"
#include "base/str.h"

/*
 * Opens a file for reading, and waits for nobody: a pipe is opened as well, and is the caller's to
 * refuse by what fstat() says. Symbolic links of others are not followed (see follow.h). A listing
 * is no guide to that, since what it saw may be something else by now: so what is opened is looked
 * at here. Returns a descriptor, or -errno (-ELOOP: such a link).
 */
int file_open(const char *path) __attribute__((nonnull));

/*
 * Appends what fd has, up to its end. `size` is what the file's size was said to be; 0 means not
 * known. Returns 0 or an errno (EFBIG as soon as more than cap bytes came); on failure into may
 * have some of it.
 */
int file_drain(int fd, size_t cap, off_t size, struct str *into) __attribute__((nonnull));

/* Writes all of the bytes, however often the kernel takes only a part. Returns 0 or an errno. */
int file_put(int fd, const char *bytes, size_t size) __attribute__((nonnull));

/*
 * Appends the file's content to into. /proc files, whose size reads 0, work too. More than cap
 * bytes is an error (-EFBIG), as is what is no regular file, or what file_open() does not follow.
 * Returns 0, or -errno with words; on failure into is as it was.
 */
int file_read(const char *path, size_t cap, struct str *into, struct complaint *why)
	__attribute__((nonnull(1, 3)));

/*
 * Does what file_read() does for a path below the folder dir_fd (AT_FDCWD works). The words name
 * the path as it was given.
 */
int file_read_at(int dir_fd, const char *path, size_t cap, struct str *into, struct complaint *why)
	__attribute__((nonnull(2, 4)));

/*
 * Clears the owner's bits of the umask, so that this process can read what it writes from now on,
 * whatever its umask was; what the umask takes from others stays. Returns the umask as it was.
 */
mode_t file_own_mask(void);

/*
 * Writes size bytes to path: into a new temporary file of the same folder, synced to disk, then
 * renamed over path, then the folder synced. Its permissions are mode less the umask. Returns 0,
 * or -errno with words (-ELOOP: the folder is reached by somebody's link, see follow.h; -EEXIST: a
 * device, a pipe or a link stands there); on failure path is untouched and the temporary file gone.
 * A writer that is killed in between leaves it: it is PATH.tmp-BOOT-PID-N, and locked as long as
 * somebody writes.
 */
int file_write(const char *path, const void *bytes, size_t size, mode_t mode, struct complaint *why)
	__attribute__((nonnull(1)));

/*
 * Removes what killed writers of files whose names end so have left in a folder: temporary files of
 * ours that nobody holds a lock on. Only those of this boot are removed, which tells this machine's
 * from other machines': whether the writers of those live cannot be known here. Failures are
 * silent.
 */
void file_sweep(const char *folder, const char *suffix) __attribute__((nonnull));

/*
 * The paths of a folder's entries: first what is no folder, then folders, each sorted. {} is the
 * empty list; file_names_release() it.
 */
struct file_names {
	ARRAY(char *) list;
	size_t files;	/* so many are no folders, as far as is known */
	size_t refused; /* entries that were left out */
};

/*
 * Lists FOLDER/NAME for each entry but hidden ones, into an empty list. Symbolic links that are not
 * the caller's own are left out, since they lead where somebody else wants; so is what may block
 * who opens it (pipes, sockets, devices). The caller's own links are what they lead to. Returns 0,
 * or -errno with words.
 */
int file_list(const char *folder, struct file_names *ret, struct complaint *why)
	__attribute__((nonnull(1, 2)));

void file_names_release(struct file_names *names) __attribute__((nonnull));

#endif
