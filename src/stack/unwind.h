/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_UNWIND_H
#define STACK_UNWIND_H

/*
 * Native stacks out of bytes: registers, memory, maps and modules in, frames out. libunwind's
 * remote half over accessors of our own; nobody is stopped, no file is opened.
 *
 * A walk is the same wherever its bytes come from: live, snapshot, core or bundle.
 *
 * REGISTERS that are not known (a thread looked at without stopping it shows only its stack pointer
 * and program counter) are asked for only where a frame needs them: then the walk ends with
 * UNWIND_NEEDS_REGISTER, and is right as far as it went.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/maps.h"
#include "stack/memory.h"
#include "stack/module.h"

#define UNWIND_FRAMES 1024 /* deeper stacks are cut, in the middle of nowhere: UNWIND_TOO_DEEP */

/* DWARF's numbers on x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip. */
#define UNWIND_REGS 17
#define UNWIND_BP   6
#define UNWIND_SP   7
#define UNWIND_IP   16

struct unwind_regs {
	uint32_t known; /* bit per register */
	uint64_t value[UNWIND_REGS];
};

/* Why a walk ended. */
enum unwind_end {
	UNWIND_OUTERMOST,      /* there is no caller: all of it */
	UNWIND_NEEDS_REGISTER, /* cut: a register is needed that was not taken */
	UNWIND_NO_INFO,        /* cut: code without unwind information (JIT, hand-written) */
	UNWIND_NO_MEMORY,      /* cut: memory that cannot be read, or makes no sense */
	UNWIND_TOO_DEEP,
};

struct unwind_frame {
	uint64_t pc; /* innermost, or interrupted by a signal: where it is; else behind the call */
	uint64_t sp; /* stack pointer in this frame: the callee's CFA */
	bool signal;	  /* this frame was interrupted by a signal: pc is exact */
	bool guessed;	  /* found without unwind information, by frame pointers or by looking */
	const struct module *module; /* NULL: none known there */
	uint64_t module_pc; /* pc in the module's addresses; 0 without module */
};

struct unwind_stack {
	struct unwind_frame *frames; /* innermost first */
	size_t nframes;
	enum unwind_end end;
	bool blind; /* callers were looked for that a register not taken may lead to */
};

/* True if a walk with all registers may find more. */
static inline bool unwind_wants_registers(const struct unwind_stack *stack)
{
	return stack->blind || stack->end == UNWIND_NEEDS_REGISTER;
}

struct unwinder;

/*
 * For one process; all borrowed. Keeps libunwind's cache, so use one for all its threads. Never
 * NULL.
 */
struct unwinder *unwinder_new(const struct stack_maps *maps, const struct modules *modules,
	struct stack_memory *memory) __attribute__((nonnull));

/*
 * libunwind sets itself up at its first walk, and not under a lock: before several threads walk,
 * each with an unwinder of its own, one has it do so.
 */
void unwinder_set_up(void);

/*
 * Walks from these registers; SP and IP must be known. Fills ret, whose frames are freed by
 * unwind_stack_release(). Even of garbage there is one frame.
 */
void unwinder_walk(struct unwinder *unwinder, const struct unwind_regs *regs,
	struct unwind_stack *ret) __attribute__((nonnull));

/*
 * Where the function at `at` begins and ends, by its unwind information; false where that says
 * nothing.
 */
bool unwinder_function(struct unwinder *unwinder, uint64_t at, uint64_t *ret_start,
	uint64_t *ret_end) __attribute__((nonnull));

/*
 * How far the function that begins at `at` takes its stack pointer down, in bytes from its caller's
 * frame; `sp` is any address of a stack. False where no unwind information says so.
 */
bool unwinder_frame_most(struct unwinder *unwinder, uint64_t at, uint64_t sp, uint64_t *ret)
	__attribute__((nonnull));

/* The address to look a frame's function up by: pc, or one before it behind a call. */
uint64_t unwind_lookup_pc(const struct unwind_stack *stack, size_t frame) __attribute__((nonnull));

/* "cut: a register was needed", in words for people. Never NULL; "" for UNWIND_OUTERMOST. */
const char *unwind_end_text(enum unwind_end end);

/* Leaves the empty stack. Takes NULL. */
void unwind_stack_release(struct unwind_stack *stack);

/* Takes NULL. */
void unwinder_free(struct unwinder *unwinder);

#endif
