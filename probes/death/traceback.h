/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traceback.h: what the dying thread was doing, written into the ring by its own handler: native
 * frames with the modules they are in, Python frames, libc's message, the exception's type.
 *
 * Only a process that has been a rank (and what it forks) is armed for it: everything that needs
 * the loader or memory is done then. In the handler there is none of that, and it comes last, when
 * the death itself is written: should the process be too broken even for this, that stands.
 *
 * It runs on a stack of its own, one thread at a time, with all signals blocked. A thread that dies
 * meanwhile waits, for two seconds at most; who dies in here again goes on at once.
 */
#ifndef PROBES_TRACEBACK_H
#define PROBES_TRACEBACK_H

#include "ring/ring-traceback.h"

/*
 * The process becomes a rank. May take the loader's lock, so never in a handler. errno is restored.
 * Once.
 */
void traceback_arm(void);

/*
 * Writes the traceback of this death of the calling thread; regs are the kernel's gregs. A signal
 * that the program handles (`ends` is 0) may be its daily business: then only the first few get
 * one, and later at most one in a while. Signal-safe; errno is not touched.
 */
void traceback_write(struct ring_writer *ring, const struct ring_fatal *death,
	const uint64_t *regs, int ends);

/*
 * Around fork(): no other thread is in the middle of a traceback when the process is copied, or the
 * child would have libunwind's locks for ever, and hang where it should die. Waits for a moment,
 * bounded. The end, in parent and child, takes what the beginning gave.
 */
uint32_t traceback_fork_begin(void);
void traceback_fork_end(uint32_t claim);

#endif
