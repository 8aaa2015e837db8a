/* SPDX-License-Identifier: Apache-2.0 */
/* address.h: where ranks look for rank 0, "ADDRESS:PORT". */
#ifndef BASE_ADDRESS_H
#define BASE_ADDRESS_H

#include <stdbool.h>

/*
 * True if an address means the same on all nodes. 127.0.0.1 means each node itself, and "" nothing
 * at all.
 */
bool address_is_wide(const char *address) __attribute__((nonnull));

#endif
