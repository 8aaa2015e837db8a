/* SPDX-License-Identifier: Apache-2.0 */
/*
 * altstack.h: gives every thread an alternate signal stack, so that a stack overflow can be
 * recorded: without one the kernel has nowhere to run our handler, and ends the process in silence.
 *
 * pthread_create is interposed: the new thread gets its stack before its first instruction, also
 * one that will never call us. A thread that has one already keeps it, whatever its size: what we
 * do at length in a handler has a stack of its own (traceback.h).
 *
 * A handler of the program with SA_ONSTACK runs there, too, which without us would have had the
 * rest of the thread's stack: so it is as large as that, up to 1 MiB. Of this only what was used is
 * memory, and more would let a kernel that likes large pages give one for the first byte. But it
 * counts as mapped, and where overcommitting is forbidden as promised (MAP_NORESERVE does not help
 * there). So it is 64 KiB where the address space has a limit when the thread is made, and for
 * threads made after mlockall(MCL_FUTURE), which would lock all of it: the kernel's frame alone
 * takes up to 12 KiB where the processor has wide registers. Below lies a page that nobody may
 * touch.
 *
 * The kernel gives a process so many maps (65530), of which a thread takes two, and two more with a
 * stack of ours. So where thousands of threads have one, those that come then do without: the
 * program can have as many as before, but for the last few per cent.
 */
#ifndef PROBES_ALTSTACK_H
#define PROBES_ALTSTACK_H

/*
 * Gives the calling thread one, in the constructor. Later threads get theirs as they are created.
 */
void altstack_birth(void);

/*
 * Gives the calling thread one if it has none. Returns what tells of it, for altstack_take() at the
 * thread's end; or NULL.
 */
void *altstack_give(void);

/* Takes it back from the calling thread; memory that is still in use is left. Takes NULL. */
void altstack_take(void *altstack);

#endif
