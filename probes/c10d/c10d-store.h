/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c10d-store.h: watches stores, in which the members of a group find each other. A PrefixStore puts
 * a prefix before each key and asks the store inside it. PyTorch makes one per process group, and
 * that prefix, all levels together, is the same in all members: it tells groups apart before
 * anything is exchanged.
 */
#ifndef PROBES_C10D_STORE_H
#define PROBES_C10D_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "probes/text.h"

#define STORE_PREFIX 160 /* bytes of a composed prefix; longer ones are cut at their beginning */

/*
 * Returns the composed prefix of a store, with which its keys begin ("outer/inner/"); "" for a
 * store without one. A cut prefix still has its *ret_hash of the whole.
 */
void store_prefix(const void *store, char ret[STORE_PREFIX], uint64_t *ret_hash);

#endif
