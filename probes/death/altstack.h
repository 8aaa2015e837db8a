/* SPDX-License-Identifier: Apache-2.0 */
/*
 * altstack.h: an alternate signal stack for every thread, so that a stack overflow can be recorded:
 * without one the kernel has nowhere to run our handler, and ends the process in silence.
 *
 * pthread_create is interposed: the new thread gets its stack before its first instruction, also
 * one that will never call us. A thread that has one already keeps it, whatever its size: what we
 * do at length in a handler has a stack of its own (traceback.h).
 *
 * 64 KiB: the kernel's frame alone takes up to 12 KiB where the processor has wide registers, and a
 * handler of the program may run there too. Below lies a page that nobody may touch.
 */
#ifndef PROBES_ALTSTACK_H
#define PROBES_ALTSTACK_H

/*
 * Gives the calling thread one, in the constructor; later threads get theirs as they are created.
 */
void altstack_birth(void);

/*
 * Gives the calling thread one if it has none: the memory, for altstack_take() at the thread's end,
 * or NULL.
 */
void *altstack_give(void);

/* Takes it back from the calling thread; memory that is still in use is left. Takes NULL. */
void altstack_take(void *altstack);

#endif
