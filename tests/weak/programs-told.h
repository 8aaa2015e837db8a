/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_PROGRAMS_TOLD_H
#define WEAK_PROGRAMS_TOLD_H

/*
 * A program that was played, as the rings of its ranks tell it: three rounds of AllReduce went well
 * before, then each step that a rank has come to. A send or receive is an operation that was begun,
 * a wait is the call that the rank's thread is in, and a poll is nothing at all: the rank is
 * outside. With PROGRAM_SERVERS and PROGRAM_STACKS some ranks have more to tell.
 */

#include "programs.h"
#include "tests/unit/facts.h"

/* facts_free() it. */
struct facts *program_told(struct program *program);

#endif
