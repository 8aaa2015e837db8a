/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VERDICT_UNEVEN_PAIRS_H
#define VERDICT_UNEVEN_PAIRS_H

#include <stdbool.h>

#include "verdict/inquiry.h"

/*
 * Judges pairs that stand still since the amounts of one differ; the others are held up by it.
 * Returns true if there is one.
 */
bool judge_uneven_pairs(struct inquiry *q);

#endif
