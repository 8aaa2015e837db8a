/* SPDX-License-Identifier: Apache-2.0 */
/* step-told.h: the step that a line of a rank's log tells. */
#ifndef JOB_STEP_TOLD_H
#define JOB_STEP_TOLD_H

#include <stdint.h>

/*
 * Returns the number of the first step that the line tells, as in "step 6" or "Step: 12/100"; 0: it
 * tells none.
 */
uint64_t step_told(const char *line) __attribute__((nonnull));

#endif
