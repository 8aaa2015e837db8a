/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_VIEWER_CHAOS_H
#define TESTS_VIEWER_CHAOS_H

/*
 * Jobs by chance, with hostile names, and whatever may be in one: groups that overlap, ops that
 * hang, spans within spans, deaths, losses, steps, stacks, times out of order.
 */

#include <stddef.h>
#include <stdint.h>

#include "job/job.h"

/* Draws a number below n, which must not be 0, by xorshift; *draw is never 0. */
uint64_t chaos_draw(uint64_t *draw, uint64_t n);

/* Draws one of some names that no terminal may ever see as they are. */
const char *chaos_name(uint64_t *draw);

/* Returns a job, which the caller frees, with about `nevents` ops and spans per rank at most. */
struct job *chaos_job(uint64_t *draw, int nranks, int nevents);

#endif
