/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FATAL_MODULES_H
#define EVIDENCE_FATAL_MODULES_H

/*
 * Names for the stacks of dead processes. A signal handler writes addresses and build ids into its
 * ring; gathering looks the names up in the files at once, since those may be different ones
 * tomorrow.
 */

#include "evidence/format/exhibit.h"

/*
 * Adds a module exhibit for each object on a traceback in the rings that were gathered from this
 * host; an exhibit of that object that exists already gets the names instead. A file that is gone,
 * or has another build id now, is a gap. The caller adds all other modules before.
 */
void fatal_modules_add(struct evidence *into, const char *host) __attribute__((nonnull));

#endif
