/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_UNWIND_H
#define STACK_UNWIND_H

/*
 * Native stacks out of bytes: registers, memory, maps and modules go in, frames come out. The work
 * is done by libunwind's remote half over accessors of our own; nobody is stopped, no file is
 * opened.
 *
 * A walk is the same wherever its bytes come from: live, snapshot, core or bundle.
 *
 * REGISTERS that are not known (a thread that was looked at without stopping it shows only its
 * stack pointer and program counter) are asked for only where a frame needs them. Then the walk
 * ends with UNWIND_NEEDS_REGISTER, and is right as far as it went.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/maps.h"
#include "stack/memory.h"
#include "stack/module.h"

/* frames of a stack, at most; a deeper one ends there with UNWIND_TOO_DEEP */
#define UNWIND_FRAMES 1024

/* DWARF's numbers on x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip. */
#define UNWIND_REGS 17
#define UNWIND_BP   6
#define UNWIND_SP   7
#define UNWIND_IP   16

struct unwind_regs {
	uint32_t known; /* a bit for each register whose value is known */
	uint64_t value[UNWIND_REGS];
};

/* Why a walk ended. */
enum unwind_end {
	UNWIND_OUTERMOST,      /* complete: there is no caller */
	UNWIND_NEEDS_REGISTER, /* cut: a register is needed that was not taken */
	UNWIND_NO_INFO,        /* cut: code without unwind information (JIT, hand-written) */
	UNWIND_NO_MEMORY,      /* cut: memory that cannot be read, or makes no sense */
	UNWIND_TOO_DEEP, /* cut: more than UNWIND_FRAMES */
};

struct unwind_frame {
	/*
	 * the instruction it is at if innermost or interrupted by a signal; else that behind its
	 * call
	 */
	uint64_t pc;
	uint64_t sp; /* stack pointer in this frame, which is its callee's CFA */
	bool signal;	  /* a signal interrupted this frame: pc is exact */
	/* it was found without unwind information, by frame pointers or by looking */
	bool guessed;
	const struct module *module; /* NULL: none is known there; borrowed */
	uint64_t module_pc; /* pc in the module's addresses; 0 without module */
};

struct unwind_stack {
	struct unwind_frame *frames; /* innermost first */
	size_t nframes;
	enum unwind_end end;
	/* a caller was sought by looking while a register that was not taken might lead to it */
	bool blind;
};

/* True if a walk with all registers may find more than this one did. */
static inline bool unwind_wants_registers(const struct unwind_stack *stack)
{
	return stack->blind || stack->end == UNWIND_NEEDS_REGISTER;
}

struct unwinder;

/*
 * Returns an unwinder for one process, never NULL; unwinder_free() it. All arguments are borrowed
 * and must outlive it. It keeps libunwind's cache, so use one for all threads of the process.
 */
struct unwinder *unwinder_new(const struct stack_maps *maps, const struct modules *modules,
	struct stack_memory *memory) __attribute__((nonnull));

/*
 * Has libunwind set itself up, which it does at its first walk and not under a lock. One thread
 * calls this before several threads walk, each with an unwinder of its own.
 */
void unwinder_set_up(void);

/*
 * Walks from these registers, of which SP and IP must be known, and fills ret;
 * unwind_stack_release() it. Even for garbage there is one frame.
 */
void unwinder_walk(struct unwinder *unwinder, const struct unwind_regs *regs,
	struct unwind_stack *ret) __attribute__((nonnull));

/*
 * Finds where the function that holds `at` begins and ends, by its unwind information. Returns
 * false if that says nothing.
 */
bool unwinder_function(struct unwinder *unwinder, uint64_t at, uint64_t *ret_start,
	uint64_t *ret_end) __attribute__((nonnull));

/*
 * Finds how far the function that begins at `at` takes its stack pointer down at most, in bytes
 * below its caller's frame. `sp` is any address on a stack. Returns false if no unwind information
 * says so, or if the function is too long to look at each instruction.
 */
bool unwinder_frame_most(struct unwinder *unwinder, uint64_t at, uint64_t sp, uint64_t *ret)
	__attribute__((nonnull));

/*
 * Returns the address to look a frame's function up by: its pc, or one before it if that is behind
 * a call, which may be the last instruction of its function.
 */
uint64_t unwind_lookup_pc(const struct unwind_stack *stack, size_t frame) __attribute__((nonnull));

/*
 * Returns in words for people why a walk ended, as "cut: code without unwind information"; never
 * NULL; "" for UNWIND_OUTERMOST.
 */
const char *unwind_end_text(enum unwind_end end);

/* Leaves the empty stack. Takes NULL. */
void unwind_stack_release(struct unwind_stack *stack);

/* Takes NULL. */
void unwinder_free(struct unwinder *unwinder);

#endif
