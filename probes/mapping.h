/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mapping.h: memory of ours that lies in files, and what becomes of it when somebody cuts them.
 *
 * A census or a ring is a file that all of the job may write, and so may cut: by `truncate -s0` of
 * a clean-up, say. The kernel then has no page behind a store of ours, and sends SIGBUS, which is
 * the end of the program. No file that is found by its name can be sealed against that. So each
 * mapping is known here, and the first handler of SIGBUS (death.h) asks first of all whether the
 * fault lies in one. If it does, private memory of zeros takes the place of the whole mapping, and
 * the store is done again, into nothing: the program goes on, what is recorded reaches nobody any
 * more. Whatever reads such memory therefore has to be safe with zeros (ring-write.h).
 *
 * WHERE NO HANDLER COMES: the kernel ends a thread that faults while it blocks SIGBUS, and so it
 * does where the program ignores SIGBUS or has told the kernel of another handler past us. Such a
 * thread looks before it stores (mapping_guard()): a file that was cut since the last time is
 * noticed then, without a fault. One that is cut in the instant between is not.
 *
 * All of it may be called from a signal handler, in forked and in vfork children.
 */
#ifndef PROBES_MAPPING_H
#define PROBES_MAPPING_H

#include <stdint.h>

/* Maps the whole file, shared, and knows it from now on. Returns NULL if that is refused. */
void *mapping_make(int fd, uint64_t size);

/* Forgets and unmaps it. */
void mapping_drop(void *base, uint64_t size);

/*
 * Mends the mapping in which a fault at `at` was. Returns 1 if it was one of ours, so that the
 * fault need not happen again.
 */
int mapping_mend(uint64_t at);

/* Mends each mapping that has been cut, if any, without a fault. */
void mapping_look(void);

/* Does the same where a fault of the calling thread would be its end. */
void mapping_guard(void);

#endif
