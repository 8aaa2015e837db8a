/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_SPARE_H
#define PROC_SPARE_H

#include <stdint.h>

/*
 * Returns how many processes and threads the user may still have by RLIMIT_NPROC, as far as can be
 * seen: those in containers, and those hidden from us, count for the kernel, too. UINT64_MAX if
 * there is no limit, if it does not bind us (root's), or if it is thousands, which nobody counts
 * one by one.
 */
uint64_t proc_spare(void);

#endif
