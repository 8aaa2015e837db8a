/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links.h: opens folders, by symbolic links only where nobody else can have planted them: what
 * base/follow.h is to readers, without its memory.
 *
 * A link in the middle of a path is followed if it is ours or root's (so /tmp -> /private/tmp and
 * ~/jobs -> /scratch/me/jobs work), or lies in a folder of ours or root's that no others may write
 * to. Each is asked for its owner while it is held. Only openat, fstat, readlinkat and close are
 * called: a filter that a parent left us may kill for newer ones, such as openat2().
 *
 * All of it may be called from a signal handler: it uses the kernel's functions only, and no memory
 * but the stack's (1.5 KiB).
 */
#ifndef PROBES_LINKS_H
#define PROBES_LINKS_H

enum links_last {
	LINKS_LAST_REFUSED,  /* the last part must be a folder itself */
	LINKS_LAST_FOLLOWED, /* it may be a link of ours or root's */
	LINKS_LAST_PASSED,   /* the path goes on behind it: it is treated as one in the middle */
};

/* Opens the folder of an absolute path for reading. Returns a descriptor, or -errno. */
int links_open_folder(const char *path, enum links_last last);

/* Opens the folder that an absolute path's last part lies in. *ret_leaf: that part, in `path`. */
int links_open_parent(const char *path, const char **ret_leaf);

#endif
