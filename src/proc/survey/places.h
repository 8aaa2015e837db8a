/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_PLACES_H
#define PROC_PLACES_H

#include "proc/survey/survey.h"

/*
 * Adds who a process is of those that a script started of itself, as Lightning does: each child
 * runs the same script with LOCAL_RANK, NODE_RANK and WORLD_SIZE and without RANK; the one who
 * started them sets these for itself only once it runs, and is the first rank of the node.
 *
 * That a process has a place is inherited and makes it no rank: the children of one parent must be
 * all that there are, 1 to n-1 of n, each once and each in the parent's own program, and the parent
 * have no such number. Else nothing is added. After survey_sort(), before survey_settle().
 */
void places_number(struct survey *survey) __attribute__((nonnull));

#endif
