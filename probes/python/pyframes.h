/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pyframes.h: walks the Python frames of the calling thread inside its signal handler, over memory
 * that may be broken: bytes are copied (self.h) and believed only after a look, and no function of
 * the interpreter is called.
 */
#ifndef PROBES_PYFRAMES_H
#define PROBES_PYFRAMES_H

#include "probes/self.h"
#include "ring/ring-traceback.h"

/* Finds the interpreter and how its structures lie. Not in a handler. */
void pyframes_arm(void);

/* Puts the frames of the thread `tid` into the traceback, innermost first, and how that went. */
void pyframes_put(struct self_memory *memory, uint32_t tid, struct ring_traceback *into);

#endif
