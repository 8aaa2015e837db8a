/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_SPARE_H
#define PROC_SPARE_H

#include <stdint.h>

/*
 * How many processes and threads the user may still have by RLIMIT_NPROC, as far as can be seen:
 * those of containers and of users that are hidden count, too. UINT64_MAX where there is no limit,
 * where it does not bind (root's), or is of thousands, which nobody counts one by one.
 */
uint64_t proc_spare(void);

#endif
