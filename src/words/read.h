/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORDS_READ_H
#define WORDS_READ_H

/* How many ranks' own word was read: of rings, or of dumps where there are no rings. */

#include "base/str.h"
#include "job/job.h"

/* Appends "8/8 rings" or "16/16 dumps of the Flight Recorder", with that between the numbers. */
void read_add(struct str *into, const struct job *job, const char *between);

#endif
