/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What facts name, in words: operations with their arguments, frames, calls, graphs. What comes
 * from outside stands in them as it came; the caller escapes the whole.
 */
#ifndef WORDS_THINGS_H
#define WORDS_THINGS_H

#include "base/str.h"
#include "verdict/activities/activities.h"
#include "verdict/verdict.h"

/* Appends a thing that a fact names. */
void things_add(struct str *into, const struct verdict_thing *thing);

/* Appends "train.py:88 in step", or as much of it as is known. */
void things_add_frame(struct str *into, const struct job_frame *frame);

/*
 * Returns what is waited in: the call's name, else the kind of call; "" for an activity that is no
 * wait.
 */
const char *things_call(enum activity activity, const char *call);

#endif
