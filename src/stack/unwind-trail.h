/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_UNWIND_TRAIL_H
#define STACK_UNWIND_TRAIL_H

/*
 * Finds the stack of a thread that runs, of which therefore no register is known: its frames are
 * sought among the words of its stack. A word that is the address behind a call counts as a return
 * address if the walk from there goes through to where the stack began. Such a word may be left
 * over from a call that is over. It is told from a frame by what the words around it are known to
 * be, and by where the call goes that it is the return address of.
 *
 * What is in use: two readings of a stack that differ at an address prove that the stack reached
 * down to there between them. So what lies further out and is alike in both was in use, too. And a
 * call that was made between two readings proves all frames that it was made from.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/unwind.h"

/* A word that one reading did not have and the next one did: maybe the return address of a call. */
struct trail_call {
	uint64_t slot; /* the word's address */
	uint64_t ret;  /* its value, an address of code */
};

/* What was read of a stack, word by word. */
struct trail_stack {
	uint64_t low; /* where the first word lies; a multiple of 8 */
	const uint64_t *words;
	const bool *still; /* for each word: it was the same in both readings */
	size_t nr;	   /* number of words; the last one is where the stack began */
	/* the stack was in use from this address on outwards; UINT64_MAX: not known */
	uint64_t used;
	const struct trail_call *calls; /* of this and other readings */
	size_t ncalls;
};

struct trail {
	struct unwind_regs regs; /* to walk from: SP and IP, and what else the frame needs */
	bool deeper; /* the thread may be in calls further in, which do not show */
};

/*
 * Finds the innermost frame that is sure; frames that are not sure count only within the program
 * itself, where nothing else can be. The unwinder's memory must show these words. Returns false if
 * no frame is sure.
 */
bool unwinder_find_trail(struct unwinder *unwinder, const struct trail_stack *stack,
	struct trail *ret) __attribute__((nonnull));

#endif
