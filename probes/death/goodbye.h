/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goodbye.h: sees the ways in which a process ends itself or becomes another, and keeps its last
 * words.
 *
 * exit() and the return of main are seen through on_exit, registered before any handler of the
 * program, so that ours runs last, with the status. _exit, _Exit and quick_exit are interposed, and
 * so is exec: a rank that becomes another program is neither dead nor a rank any more. (A new image
 * with the probe finds the same pid and start time in the census and takes the slot over.)
 *
 * write(2) to descriptor 2 is copied on its way: the last 4 KiB of it are often the only trace of
 * why. Writes that libc makes by itself (fprintf, std::cerr) do not pass here: a declared loss.
 */
#ifndef PROBES_GOODBYE_H
#define PROBES_GOODBYE_H

/* Notes the end from now on. Call it in the constructor. */
void goodbye_birth(void);

#endif
