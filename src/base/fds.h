/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fds.h: which descriptors a process of ours holds. A pipe or a lock that the command was given
 * ends when the command closes it, so no process beside the command may hold another copy.
 */
#ifndef BASE_FDS_H
#define BASE_FDS_H

#include <stddef.h>

/*
 * Closes all descriptors but 2 and the n in keep; 0 and 1 become /dev/null. Negative ones in keep
 * count as none.
 */
void fds_keep(const int *keep, size_t n);

/* Makes 2 /dev/null as well. */
void fds_silence(void);

#endif
