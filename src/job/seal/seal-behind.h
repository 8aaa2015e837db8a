/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOB_SEAL_BEHIND_H
#define JOB_SEAL_BEHIND_H

#include "job/seal/holdings.h"

/*
 * Marks processes as stale that are of an earlier elastic restart than one in which all ranks have
 * met since. Called by seal_ranks() only, once the world's size is known.
 */
void seal_behind(struct seal *seal, const struct holdings *holdings);

#endif
