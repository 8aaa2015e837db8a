/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lastwords.h: why the process aborted itself, as far as the libraries that did it have kept it:
 * glibc's message ("free(): invalid pointer", an assertion, a smashed stack), and the type of the
 * C++ exception that nobody caught.
 */
#ifndef PROBES_LASTWORDS_H
#define PROBES_LASTWORDS_H

#include "probes/self.h"
#include "ring/ring-traceback.h"

/* Finds where they are kept. Not in a handler. The memory is only lent. */
void lastwords_arm(struct self_memory *memory);

/* Puts both, where there are any, into the traceback of a SIGABRT whose frames are written. */
void lastwords_put(struct self_memory *memory, struct ring_traceback *into);

#endif
