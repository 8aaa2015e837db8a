/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_STANDING_H
#define PROC_STANDING_H

/*
 * Tells by a glance whether the jobs of a survey stand: which of their threads were put on a
 * processor within a moment. That is read from files that everybody may read, and disturbs nobody.
 */

#include "proc/survey/survey.h"

/*
 * Looks at the main threads of all ranks twice, `ms` apart, and sets `standing` of each job: STILL
 * if none of them ran, which a job that makes steps rarely shows; BUSY if one did, which may be a
 * wait that spins.
 */
void standing_look(struct survey *survey, int ms) __attribute__((nonnull));

/* Returns "still" or "busy"; "" not known. */
const char *standing_name(enum survey_standing standing);

#endif
