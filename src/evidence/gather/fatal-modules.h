/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FATAL_MODULES_H
#define EVIDENCE_FATAL_MODULES_H

/*
 * Names for the stacks of dead processes: a signal handler writes addresses and build ids into its
 * ring, and gathering looks them up in the files at once, since those may be different ones
 * tomorrow.
 */

#include "evidence/format/exhibit.h"

/*
 * Adds a module exhibit for each object on a traceback in the rings gathered from this host; an
 * exhibit of that object that exists already gets the names. A file that is gone, or has another
 * build id now, is a gap. Call it after all other modules were added.
 */
void fatal_modules_add(struct evidence *into, const char *host) __attribute__((nonnull));

#endif
