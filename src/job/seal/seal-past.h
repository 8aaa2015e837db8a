/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOB_SEAL_PAST_H
#define JOB_SEAL_PAST_H

#include "job/seal/holdings.h"

/*
 * Marks processes as stale that were looked at before the last attempt began, on hosts of which
 * nothing later was seen, and tells how many as a loss. Called by seal_ranks() only, after
 * seal_behind().
 */
void seal_past(struct seal *seal, const struct holdings *holdings);

#endif
