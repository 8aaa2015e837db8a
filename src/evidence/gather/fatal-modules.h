/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FATAL_MODULES_H
#define EVIDENCE_FATAL_MODULES_H

/*
 * Names for the stacks of the dead: a handler writes addresses and build ids into its ring, and who
 * gathers the ring looks them up in the files, which may be other ones tomorrow.
 */

#include "evidence/format/exhibit.h"

/*
 * Adds a module exhibit for each object that stands on a traceback of the rings gathered from this
 * host; where there is one of that object already, the names go into it. A file that is gone, or
 * has another build id now, is a gap. To be called when all other modules are in.
 */
void fatal_modules_add(struct evidence *into, const char *host) __attribute__((nonnull));

#endif
