/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lastwords.h: finds why the process aborted itself, as far as libraries have kept the reason:
 * glibc's message ("free(): invalid pointer", an assertion, a smashed stack), and the type of the
 * uncaught C++ exception.
 */
#ifndef PROBES_LASTWORDS_H
#define PROBES_LASTWORDS_H

#include "probes/self.h"
#include "ring/ring-traceback.h"

/* Finds where they are kept. Not in a handler. The memory is borrowed for the call. */
void lastwords_arm(struct self_memory *memory);

/*
 * Puts both, if they are there, into the traceback of a SIGABRT whose frames are written already.
 */
void lastwords_put(struct self_memory *memory, struct ring_traceback *into);

#endif
