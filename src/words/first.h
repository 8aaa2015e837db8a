/* SPDX-License-Identifier: Apache-2.0 */
/* first.h: how the ranks came to their first step, in one line. */
#ifndef WORDS_FIRST_H
#define WORDS_FIRST_H

#include "base/str.h"
#include "job/job.h"

/*
 * Appends "compile began at 6 s, took 0:38 to 11:02; collective 44 s (7 of 8); no step", since the
 * start of each process; nothing where no time of any rank is known.
 */
void first_add(struct str *into, const struct job *job);

#endif
