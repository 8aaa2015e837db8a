/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_PLACES_H
#define PROC_PLACES_H

#include "proc/survey/survey.h"

/*
 * Adds which rank each process is of those that a script started by itself, as Lightning does. Each
 * child runs the same script with LOCAL_RANK, NODE_RANK and WORLD_SIZE and without RANK. The
 * process that started them sets these for itself only once it runs, and is the first rank of the
 * node.
 *
 * That a process has a place is inherited and makes it no rank. The children of one parent must be
 * all that there are: places 1 to n-1 of n, each once, and each child in the parent's own program;
 * and the parent must have no such number. Else nothing is added. Call it after survey_sort(),
 * before survey_settle().
 */
void places_number(struct survey *survey) __attribute__((nonnull));

#endif
