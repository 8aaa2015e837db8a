/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools.h: counts the compilers, assemblers and linkers that run below a rank in its census slot
 * (ring/census.h), and children of any kind that a signal killed.
 *
 * Nothing here takes a lock or memory; all of it may run in a signal handler.
 */
#ifndef PROBES_TOOLS_H
#define PROBES_TOOLS_H

#include <stdint.h>

/*
 * Puts the word of a program's path that makes it a tool ("g++") into `name`. Returns 0 if there is
 * none.
 */
int tools_name(const char *path, char name[16]);

/*
 * Notes that the process in slot `i`, being claimed, has become the program at `path`: if that is a
 * tool, its owner counts it. A tool that it was before the exec has ended.
 */
void tools_join(void *census, int i, const char *path);

/*
 * Notes that the process in slot `i` ends with this status: its owner, if there is one, counts
 * that.
 */
void tools_leave(void *census, int i, int status);

/*
 * Notes that a wait for `pid` told that this signal killed it: its slot says so from now on, and
 * its owner counts it. A child that never had a slot gets one for this.
 */
void tools_reaped(void *census, uint32_t pid, uint64_t pid_ns, int signo);

/*
 * Clears slots of processes that ended unrecorded and that no judgement needs: tools, and helpers
 * of a rank for which another process testifies. For when the table is full. `fd` is the census,
 * for looking at locks. Returns how many slots are free now.
 */
int tools_sweep(void *census, int fd, uint64_t pid_ns);

#endif
