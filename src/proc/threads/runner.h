/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_RUNNER_H
#define PROC_RUNNER_H

/*
 * Finds the stack of a thread that runs, without stopping it. The kernel tells nobody where such a
 * thread stands, neither by /proc/PID/task/TID/syscall nor by stat's kstkesp. But its stack can be
 * read while it runs, several times in a moment: what changes between two readings is where it
 * works, and what lies further out are its frames (stack/unwind-trail.h says which words count as a
 * frame).
 *
 * This is done for the main thread only: where the stack of another one begins, nothing tells
 * without its registers.
 */

#include "proc/peek.h"
#include "stack/module.h"

/*
 * If the main thread is RUNNING, finds where it was a moment ago: fills in facts.regs and
 * facts.deeper, and livemem shows its stack of that moment. If nothing is found, nothing changes.
 */
void runner_look(struct peek *peek, const struct stack_maps *maps, const struct modules *modules,
	struct livemem *livemem) __attribute__((nonnull));

/*
 * Takes that back if one of those calls is not on the stack any more: what is read of the process
 * now, such as Python's frames, would be of another moment.
 */
void runner_confirm(struct peek *peek, const struct stack_maps *maps, const struct modules *modules,
	struct livemem *livemem) __attribute__((nonnull));

#endif
