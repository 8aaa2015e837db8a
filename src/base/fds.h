/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fds.h: which descriptors a process of ours holds. A pipe or a lock that the command was given is
 * over when the command closes it: nobody beside it may hold the other copy.
 */
#ifndef BASE_FDS_H
#define BASE_FDS_H

#include <stddef.h>

/*
 * Closes all but 2 and these n; 0 and 1 become /dev/null. Negative ones in keep count as none.
 */
void fds_keep(const int *keep, size_t n);

/* Puts /dev/null on 2 as well. */
void fds_silence(void);

#endif
