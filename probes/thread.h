/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.h: a thread's own pages and its lane, from its first recorded call to its end.
 *
 * Only one pointer is thread-local (static TLS is scarce where we come by dlopen). The pages are
 * ours, not malloc's. A thread's end gives the lane back; the next owner continues its tickets.
 * KEYS. A thread's end is told by pthread_key_create: two keys of 1,024 are taken, here and in
 * altstack.c, and a program that wants them all lacks two. Nothing else tells of it at less cost: a
 * destructor by __cxa_thread_atexit_impl allocates in each thread and runs before the program's
 * own keys are destroyed, which may call us again; a frame of ours beneath the thread's function is
 * in its way and in its backtraces; and to give keys back when there are none left, we would
 * stand in front of pthread_key_create, which allocators call before there is anything to find the
 * real one with.
 *
 * Where a thread has no alternate signal stack (altstack.h) it gets one here at the latest.
 */
#ifndef PROBES_THREAD_H
#define PROBES_THREAD_H

#include <stdint.h>

/* Prepares the key that tells of threads' ends. Called in the constructor. */
void thread_birth(void);

/* Copies the calling thread's name, as the kernel has it; "" not known. */
void thread_name(char name[16]);

#endif
