/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PREFLIGHT_KERNEL_LOG_H
#define PREFLIGHT_KERNEL_LOG_H

/* What NVIDIA's driver has put into the kernel's log. */

#include <stdbool.h>

/*
 * Reads "NVRM: Xid (PCI:0000:41:00): 79, ..." out of a line of the kernel's log: the number, and
 * the PCI address as it stands there, cut to the room. False where the line has none.
 */
bool kernel_log_xid(const char *line, int *ret_xid, char bus[static 32]) __attribute__((nonnull));

#endif
