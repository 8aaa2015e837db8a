/* SPDX-License-Identifier: Apache-2.0 */
/*
 * death.h: records deaths: which signal, from whom, in which thread, at which instruction.
 *
 * A signal that ends the process (SEGV BUS FPE ILL ABRT SYS TRAP XCPU XFSZ) gets an entry in the
 * ring's fatal area: siginfo, thread, registers, the raw top of the stack, then its traceback
 * (traceback.h). Signals that ask it to end (TERM INT QUIT HUP) are pinned: a launcher's SIGTERM
 * cascade and the first death differ by sender and time. Then the program's own handler runs, or
 * the default: the disposition is restored and the fault happens again (or the signal is queued
 * again, with its siginfo), so that core file and exit status are the same as without us.
 *
 * THE HANDLER uses the kernel and the ring's signal-safe half only: no board, no allocation, no
 * dynamic loader, little stack; errno is never touched. To read the stack it asks the kernel to
 * copy, so that an overflowed stack's guard page is an error and not a second fault. If the
 * program's handler survives the signal, the entry stays, and the process is visibly alive.
 */
#ifndef PROBES_DEATH_H
#define PROBES_DEATH_H

/* Puts the handlers in place. In the constructor, before anything is mapped. */
void death_birth(void);

/* Drops the entries of the old ring: the ring has changed. */
void death_forget(void);

/*
 * Called in the child of a fork. If that is pid 1 of a new namespace, signals that ask it to end
 * are left alone.
 */
void death_forked(void);

#endif
