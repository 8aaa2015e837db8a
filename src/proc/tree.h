/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_TREE_H
#define PROC_TREE_H

/*
 * Lists processes by the tree of who is whose child now. A walk of a living tree is never exact: a
 * process that is born or dies meanwhile may be seen or not, but none is listed twice.
 */

#include "base/array.h"
#include "base/procstat.h"

struct proc_list {
	ARRAY(struct procstat) all; /* sorted by pid */
};

#define PROC_LIST_CAP 16384 /* processes of a list; the rest is left out */

/* Appends every process that we may see, up to PROC_LIST_CAP. Returns 0 or -errno. */
int proc_list_all(struct proc_list *list) __attribute__((nonnull));

/*
 * Appends the descendants of `nr` processes (not these themselves, unless one descends from
 * another), up to PROC_LIST_CAP. Uses the kernel's lists of children if it has them, else looks at
 * all processes. Returns 0 or -errno.
 */
int proc_list_descendants(struct proc_list *list, const uint32_t *pids, size_t nr)
	__attribute__((nonnull(1)));

/* Frees the entries and leaves the empty list. Takes NULL. */
void proc_list_release(struct proc_list *list);

#endif
