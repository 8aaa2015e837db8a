/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostlist.h: the names in a list of hosts as Slurm writes it: "m[1-4,07-09],gpu01". One or several
 * brackets in a name, numbers with leading zeros keep their width.
 */
#ifndef DECODE_HOSTLIST_H
#define DECODE_HOSTLIST_H

#include <stddef.h>

/* At most so many hosts are expanded: a list that names more counts as malformed. */
#define HOSTLIST_MOST 65536

/* Gets one name, which is valid during the call only. */
typedef void (*hostlist_fn)(const char *name, void *user);

/*
 * Calls `each` for every name of the list, in its order, and returns how many there are. Returns 0,
 * and calls nothing, if the list is malformed or names more than HOSTLIST_MOST.
 */
size_t hostlist_expand(const char *list, hostlist_fn each, void *user);

#endif
