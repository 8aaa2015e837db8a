/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_SIGHT_H
#define PROC_SIGHT_H

/*
 * Tells which processes /proc shows, so that one that it does not show is not taken for one that is
 * gone. /proc may hide those of others (hidepid), and those of our own user that are undumpable
 * with them; it may be that of another pid namespace, where every number means somebody else; and
 * there may be none.
 */

#include <stdbool.h>

#include "base/str.h"
#include "proc/read.h"

enum proc_sight {
	PROC_SIGHT_ALL,
	PROC_SIGHT_HIDES,   /* only processes that we may trace */
	PROC_SIGHT_FOREIGN, /* processes of another pid namespace */
	PROC_SIGHT_NONE,    /* nobody, not even us */
};

/* Asks the kernel what /proc shows to us. */
enum proc_sight proc_sight(void);

/*
 * Asked of a process whose stat proc_read_stat() did not get. True if it may live all the same:
 * somebody has its pid whom /proc does not show, or nobody can be asked.
 */
bool proc_is_unseen(struct proc_id id);

/*
 * Appends why processes are not seen, and how to give a command of inquest ("attach 4711") so that
 * they are, in one phrase without full stop. Nothing, if all are seen.
 */
void proc_sight_words(enum proc_sight sight, const char *command, struct str *into)
	__attribute__((nonnull));

#endif
