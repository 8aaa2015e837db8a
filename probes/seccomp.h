/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp.h: what we do in a process that gives up its system calls.
 *
 * With seccomp a process names the calls that it will make from now on, and is killed at any other.
 * We make others: in a write to descriptor 2, in _exit, in the handler of its death. So before the
 * kernel is asked, we leave the process: our handlers are taken out, and every later call is passed
 * through and nothing else; what it starts is started without us (preload.h). Neither its calls nor
 * its end are recorded any more: its slot in the census is given back, or, if it has a ring, the
 * trait "sealed" says so. If the kernel refuses, everything is as before.
 *
 * Both ways of a program are seen, prctl() and syscall(); not a system call of its own assembly. A
 * filter that a parent left is another matter: we do without the calls that it refuses
 * (refused.test).
 */
#ifndef PROBES_SECCOMP_H
#define PROBES_SECCOMP_H

/* True if the process is sealed, by itself: no call of our own may be made. */
int seal_is_set(void);

#endif
