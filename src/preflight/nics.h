/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PREFLIGHT_NICS_H
#define PREFLIGHT_NICS_H

/* Which network card a GPU is near to. */

/*
 * Returns how many steps two PCI devices of sysfs have in common, by their real paths
 * ("/sys/devices/pci0000:3a/0000:3a:00.0/..."): folders up to where they part, from the root
 * complex on. 0: nothing, they are behind different ones.
 */
int nics_shared_steps(const char *a, const char *b) __attribute__((nonnull));

#endif
