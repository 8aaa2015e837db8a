/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_STANDING_H
#define PROC_STANDING_H

/*
 * Whether the jobs of a survey stand, by a glance: which of their threads were put on a processor
 * within a moment. It is read from files that everybody may read, and disturbs nobody.
 */

#include "proc/survey/survey.h"

/*
 * Looks at the main threads of all ranks twice, ms apart, and sets `standing` of each job: STILL
 * where none of them ran, which a job that steps rarely shows; BUSY where one did, which may be a
 * wait that spins.
 */
void standing_look(struct survey *survey, int ms) __attribute__((nonnull));

/* "still", "busy"; "" not known. */
const char *standing_name(enum survey_standing standing);

#endif
