/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_FOLLOW_H
#define BASE_FOLLOW_H

/*
 * Symbolic links, followed only where nobody else has planted them.
 *
 * A path leads through folders of others wherever it goes through /tmp, and a link there leads
 * where its owner wants. So each link on the way, not only the last part, is looked at while it is
 * held, and followed if it is the caller's own or root's. One of somebody else's is followed as a
 * part in the middle only where it lies in a folder of the caller or root that no others may write
 * to: whoever may, has put it there with their consent. Links of /proc are the kernel's: nobody
 * plants them.
 */

#include <sys/types.h>

/*
 * Does what openat(dir_fd, path, flags, mode) does, but follows links by these rules; with
 * O_NOFOLLOW the last part may be no link at all. Returns a descriptor, or -errno (-ELOOP: a link
 * that is not followed, or too many links).
 */
int follow_open(int dir_fd, const char *path, int flags, mode_t mode) __attribute__((nonnull(2)));

/*
 * Opens (O_PATH) the folder that this path's last part lies in, to open and rename by. Returns a
 * descriptor or -errno.
 */
int follow_open_parent(const char *path) __attribute__((nonnull));

/* Makes one folder, of mode 0700. One that is there stays, whoever's it is. Returns 0 or -errno. */
int follow_make_folder(const char *path) __attribute__((nonnull));

#endif
