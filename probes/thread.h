/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.h: a thread's own pages and its lane, from its first recorded call to its end.
 *
 * Only one pointer is thread-local (static TLS is scarce where we come by dlopen). The pages are
 * ours, not malloc's. A thread's end gives the lane back; the next owner continues its tickets.
 * Where a thread has no alternate signal stack (altstack.h) it gets one here at the latest.
 */
#ifndef PROBES_THREAD_H
#define PROBES_THREAD_H

#include <stdint.h>

/* In the constructor. */
void thread_birth(void);

/* The calling thread's name, as the kernel has it. */
void thread_name(char name[16]);

#endif
