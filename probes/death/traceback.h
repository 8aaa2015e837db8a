/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traceback.h: writes what the dying thread was doing into the ring, by its own handler: native
 * frames with the modules they are in, Python frames, libc's message, the exception's type.
 *
 * Only a process that has been a rank (and what it forks) is armed for it: everything that needs
 * the loader or memory is done then. The handler does none of that, and writes the traceback last,
 * behind the death itself: should the process be too broken for a traceback, the death is still
 * recorded.
 *
 * It runs on a stack of its own, one thread at a time, with all signals blocked. Another thread
 * that dies meanwhile waits for two seconds at most; the same thread, dying again in here, goes on
 * at once.
 */
#ifndef PROBES_TRACEBACK_H
#define PROBES_TRACEBACK_H

#include "ring/ring-traceback.h"

/*
 * Arms the process, which becomes a rank. May take the loader's lock, so never in a handler.
 * Restores errno. Call it once.
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
 * To be called around fork(). The first waits for a bounded moment until no other thread is in the
 * middle of a traceback: otherwise the child would have libunwind's locks for ever, and hang where
 * it should die. The second, in parent and child, takes the value that the first returned.
 */
uint32_t traceback_fork_begin(void);
void traceback_fork_end(uint32_t claim);

#endif
