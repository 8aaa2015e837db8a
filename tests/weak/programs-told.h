/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_PROGRAMS_TOLD_H
#define WEAK_PROGRAMS_TOLD_H

/*
 * A program that was played, as the rings of its ranks tell it: three rounds of AllReduce went well
 * before, then each step that a thread has come to. What was begun is an operation, a wait is the
 * call that the thread is in, and a poll is nothing at all: the thread is outside. With
 * PROGRAM_SERVERS and PROGRAM_STACKS some ranks have more to tell.
 */

#include "tests/unit/facts.h"
#include "tests/weak/programs.h"

/* facts_free() it. */
struct facts *program_told(struct program *program);

#endif
