/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk goes from frame to frame by libunwind, as long as each frame lies further out on the stack
 * than the one before. Only a signal may move it elsewhere (an alternate stack).
 *
 * WITHOUT UNWIND INFORMATION (a JIT's code, hand-written code) the caller is guessed, and the frame
 * says so:
 *
 *	1. If a thread stands at an address that is no code, it was called: its return address
 *	   is on top of the stack.
 *	2. Else the frame pointer's chain, if what it leads to is the address behind a call.
 *	3. Else the first word up the stack that is one, in code with unwind information from
 *	   which the walk goes through to an outermost frame. Frames between are lost.
 *
 * After a guess libunwind begins anew, at one byte before the return address: the row of unwind
 * information that holds there is that of the call, and libunwind would look up the same one, had
 * it come there by itself.
 */
#include "stack/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "stack/excerpt.h"
#include "stack/unwind-space.h"

#define WALK_FUNCTION	16384 /* bytes of a function whose every instruction is looked at */
/* signal handlers, one on top of the other, that may move the walk to another stack */
#define WALK_SIGNALS	4
#define WALK_CHAIN	(1u << 20) /* bytes that a frame pointer may point further up the stack */
#define WALK_LOOK	512 /* words looked at for a return address */
#define WALK_CANDIDATES 16  /* return addresses among them that are walked from */
#define WALK_SYNCS	4   /* times that one walk may look so */

/*
 * A walk that goes on. `room` is what stack->frames has room for; `signals` and `syncs` count up to
 * WALK_SIGNALS and WALK_SYNCS.
 */
struct walk {
	struct unwinder *unwinder;
	unw_cursor_t cursor;
	struct unwind_stack *stack;
	size_t room;
	unsigned signals, syncs;
};

/* -- frames ------------------------------------------------------------------------------------ */

/* Returns the outermost frame so far. */
static struct unwind_frame *walk_last(const struct walk *walk)
{
	return &walk->stack->frames[walk->stack->nframes - 1];
}

uint64_t unwind_lookup_pc(const struct unwind_stack *stack, size_t frame)
{
	const struct unwind_frame *at = &stack->frames[frame];

	return frame == 0 || at->signal || !at->pc ? at->pc : at->pc - 1;
}

/* Adds a frame and finds its module. */
static void walk_add(struct walk *walk, uint64_t pc, uint64_t sp, bool signal, bool guessed)
{
	struct unwind_stack *stack = walk->stack;
	struct unwind_frame *frame;
	const struct unwind_place *place;

	if (stack->nframes == walk->room) {
		walk->room = walk->room ? walk->room * 2 : 32;
		stack->frames = alloc_resize(stack->frames, walk->room, sizeof(*frame));
	}
	frame = &stack->frames[stack->nframes++];
	*frame = (struct unwind_frame){.pc = pc, .sp = sp, .signal = signal, .guessed = guessed};
	place = unwinder_place(walk->unwinder, unwind_lookup_pc(stack, stack->nframes - 1));
	if (place && place->module) {
		frame->module = place->module;
		frame->module_pc = pc - place->bias;
	}
}

/* Begins the walk, or begins it anew, from registers. Returns false if libunwind cannot. */
static bool walk_from(struct walk *walk, const struct unwind_regs *regs)
{
	struct unwinder *unwinder = walk->unwinder;

	unwinder->regs = *regs;
	return unwinder->space &&
	       unw_init_remote(&walk->cursor, unwinder->space, unwinder) == 0;
}

/* -- with unwind information ------------------------------------------------------------------- */

/* What one step outwards came to. */
enum walk_step {
	STEP_FRAME,
	STEP_OUTERMOST,
	STEP_NO_INFO,
	STEP_NEEDS_REGISTER,
	STEP_NO_MEMORY,
};

/*
 * Goes one frame outwards. *sp is that of the frame before, and becomes that of the caller; so do
 * *pc and *signal (it was interrupted).
 */
static enum walk_step walk_step(struct walk *walk, uint64_t *pc, uint64_t *sp, bool *signal)
{
	struct unwinder *unwinder = walk->unwinder;
	uint64_t before = *sp;
	int step;

	unwinder->needs_register = unwinder->no_info = false;
	step = unw_step(&walk->cursor);
	/* libunwind takes a return address at 0 for one that is said not to exist. */
	if (step == 0 && (unw_get_reg(&walk->cursor, UNW_REG_SP, sp) < 0 || *sp < before))
		return STEP_NO_MEMORY;
	if (step == 0)
		return STEP_OUTERMOST;
	if (step < 0 && unwinder->no_info)
		return STEP_NO_INFO;
	if (step < 0)
		return unwinder->needs_register ? STEP_NEEDS_REGISTER : STEP_NO_MEMORY;
	if (unw_get_reg(&walk->cursor, UNW_REG_IP, pc) < 0 ||
		unw_get_reg(&walk->cursor, UNW_REG_SP, sp) < 0)
		return STEP_NO_MEMORY;
	if (!*pc)
		return STEP_OUTERMOST;
	*signal = unw_is_signal_frame(&walk->cursor) > 0;
	/* vfork has taken its return address off the stack: its caller's frame begins in place. */
	if (*sp == before && walk->stack->nframes == 1)
		return STEP_FRAME;
	if (*sp <= before && !(*signal && walk->signals++ < WALK_SIGNALS))
		return STEP_NO_MEMORY;
	return STEP_FRAME;
}

/* -- without ----------------------------------------------------------------------------------- */

/* Returns the current frame's registers but IP, as far as they can be had. */
static struct unwind_regs walk_regs(struct walk *walk)
{
	struct unwind_regs regs = {0};

	for (int reg = 0; reg < UNWIND_IP; reg++)
		if (unw_get_reg(&walk->cursor, reg, &regs.value[reg]) == 0)
			regs.known |= 1u << reg;
	return regs;
}

/* Reads a word; 0 if it cannot be read. */
static uint64_t walk_word(struct walk *walk, uint64_t at)
{
	uint64_t word = 0;

	stack_memory_u64(&walk->unwinder->memory, at, &word);
	return word;
}

/*
 * Looks at a word that may be anything: an excerpt does not keep it before it is found to be part
 * of the walk. 0 if it cannot be read.
 */
static uint64_t walk_glance(struct walk *walk, uint64_t at)
{
	uint64_t word = 0;

	stack_memory_glance(&walk->unwinder->memory, at, &word, sizeof(word));
	return word;
}

/*
 * Begins anew at a guessed caller, whose registers are `regs` but for IP and SP, which are set
 * here.
 */
static bool walk_resume(struct walk *walk, struct unwind_regs *regs, uint64_t pc, uint64_t sp)
{
	regs->value[UNWIND_IP] = pc - 1;
	regs->value[UNWIND_SP] = sp;
	regs->known |= 1u << UNWIND_IP | 1u << UNWIND_SP;
	return walk_from(walk, regs);
}

/* Guess 1: adds the caller of an address that is no code. */
static bool walk_bad_call(struct walk *walk, struct unwind_regs *regs)
{
	const struct unwind_frame *frame = walk_last(walk);
	bool is_exact = walk->stack->nframes == 1 || frame->signal;
	uint64_t pc = walk_word(walk, frame->sp);

	if (!is_exact || unwinder_is_code(walk->unwinder, frame->pc) ||
		!unwinder_is_return(walk->unwinder, pc))
		return false;
	if (!walk_resume(walk, regs, pc, frame->sp + 8))
		return false;
	walk_add(walk, pc, frame->sp + 8, false, true);
	return true;
}

/* Guess 2: adds the caller that the frame pointer leads to. */
static bool walk_chain(struct walk *walk, const struct unwind_regs *regs)
{
	struct unwind_regs caller = {.known = 1u << UNWIND_BP};
	uint64_t bp = regs->value[UNWIND_BP], sp = walk_last(walk)->sp, pc;

	if (!(regs->known >> UNWIND_BP & 1) || bp < sp || bp - sp > WALK_CHAIN || bp % 8)
		return false;
	pc = walk_word(walk, bp + 8);
	if (!unwinder_is_return(walk->unwinder, pc))
		return false;
	caller.value[UNWIND_BP] = walk_word(walk, bp);
	if (!walk_resume(walk, &caller, pc, bp + 16))
		return false;
	walk_add(walk, pc, bp + 16, false, true);
	return true;
}

/* True if a walk from there goes through to the outermost frame. Moves the cursor. */
static bool walk_reaches_end(struct walk *walk, struct unwind_regs *regs, uint64_t pc, uint64_t sp)
{
	enum walk_step step = STEP_FRAME;
	unsigned signals = walk->signals;
	bool signal;

	if (!walk_resume(walk, regs, pc, sp))
		return false;
	for (unsigned i = 0; i < UNWIND_FRAMES && step == STEP_FRAME; i++)
		step = walk_step(walk, &pc, &sp, &signal);
	walk->signals = signals;
	return step == STEP_OUTERMOST;
}

/* Guess 3: adds the first caller up the stack from which the walk goes through. */
static bool walk_look(struct walk *walk, const struct unwind_regs *regs)
{
	uint64_t sp = (walk_last(walk)->sp + 7) & ~7ull;
	unsigned candidates = 0;

	if (walk->syncs++ >= WALK_SYNCS)
		return false;
	for (unsigned i = 0; i < WALK_LOOK && candidates < WALK_CANDIDATES; i++, sp += 8) {
		struct unwind_regs from = *regs;
		uint64_t pc = walk_glance(walk, sp);

		if (!unwinder_is_return(walk->unwinder, pc))
			continue;
		pc = walk_word(walk, sp);
		candidates++;
		if (!walk_reaches_end(walk, &from, pc, sp + 8))
			continue;
		if (!walk_resume(walk, &from, pc, sp + 8))
			return false;
		walk_add(walk, pc, sp + 8, false, true);
		return true;
	}
	return false;
}

/* Adds a guessed caller. Returns false if there is none, and *end says how the walk ends. */
static bool walk_guess(struct walk *walk, enum unwind_end *end)
{
	struct unwind_regs regs = walk_regs(walk);

	*end = regs.known >> UNWIND_BP & 1 ? UNWIND_NO_INFO : UNWIND_NEEDS_REGISTER;
	if (walk_bad_call(walk, &regs) || walk_chain(walk, &regs))
		return true;
	walk->stack->blind |= *end == UNWIND_NEEDS_REGISTER;
	return walk_look(walk, &regs);
}

/* -- all of it --------------------------------------------------------------------------------- */

/* Walks from the frames so far to the end. */
static enum unwind_end walk_on(struct walk *walk)
{
	enum unwind_end end = UNWIND_NO_MEMORY;

	while (walk->stack->nframes < UNWIND_FRAMES) {
		uint64_t pc, sp = walk_last(walk)->sp;
		bool signal = false;

		switch (walk_step(walk, &pc, &sp, &signal)) {
		case STEP_FRAME:
			walk_add(walk, pc, sp, signal, false);
			break;
		case STEP_OUTERMOST:
			return UNWIND_OUTERMOST;
		case STEP_NEEDS_REGISTER:
			return UNWIND_NEEDS_REGISTER;
		case STEP_NO_MEMORY:
			return UNWIND_NO_MEMORY;
		case STEP_NO_INFO:
			if (!walk_guess(walk, &end))
				return end;
			break;
		}
	}
	return UNWIND_TOO_DEEP;
}

void unwinder_walk(
	struct unwinder *unwinder, const struct unwind_regs *regs, struct unwind_stack *ret)
{
	struct walk walk = {.unwinder = unwinder, .stack = ret};

	*ret = (struct unwind_stack){.end = UNWIND_NO_MEMORY};
	unwinder->accesses = 0;
	walk_add(&walk, regs->value[UNWIND_IP], regs->value[UNWIND_SP], false, false);
	if (walk_from(&walk, regs))
		ret->end = walk_on(&walk);
}

void unwinder_set_up(void)
{
	const struct unwind_regs nowhere = {.known = 1u << UNWIND_SP | 1u << UNWIND_IP};
	struct stack_maps maps = {0};
	struct modules *modules = modules_new();
	struct excerpt *memory = excerpt_new(NULL);
	struct unwinder *unwinder = unwinder_new(&maps, modules, excerpt_memory(memory));
	struct unwind_stack stack;

	unwinder_walk(unwinder, &nowhere, &stack);
	unwind_stack_release(&stack);
	unwinder_free(unwinder);
	excerpt_free(memory);
	modules_free(modules);
}

bool unwinder_function(
	struct unwinder *unwinder, uint64_t at, uint64_t *ret_start, uint64_t *ret_end)
{
	struct unwind_regs regs = {.known = 1u << UNWIND_SP | 1u << UNWIND_IP};
	struct walk walk = {.unwinder = unwinder};
	unw_proc_info_t info;

	regs.value[UNWIND_IP] = at;
	unwinder->accesses = 0;
	unwinder->no_info = false;
	/* libunwind says of code without information that it is one byte long. */
	if (!walk_from(&walk, &regs) || unw_get_proc_info(&walk.cursor, &info) < 0 ||
		unwinder->no_info || info.start_ip > at || info.end_ip <= at)
		return false;
	*ret_start = info.start_ip;
	*ret_end = info.end_ip;
	return true;
}

bool unwinder_frame_most(struct unwinder *unwinder, uint64_t at, uint64_t sp, uint64_t *ret)
{
	struct unwind_regs regs = {.known = 1u << UNWIND_SP | 1u << UNWIND_IP};
	struct walk walk = {.unwinder = unwinder};
	uint64_t start, end, cfa;

	if (!unwinder_function(unwinder, at, &start, &end) || start != at ||
		end - start > WALK_FUNCTION)
		return false;
	regs.value[UNWIND_SP] = sp;
	*ret = 0;
	for (; at < end; at++) {
		regs.value[UNWIND_IP] = at;
		if (!walk_from(&walk, &regs) || unw_step(&walk.cursor) < 0 ||
			unw_get_reg(&walk.cursor, UNW_REG_SP, &cfa) < 0 || cfa < sp)
			return false;
		*ret = cfa - sp > *ret ? cfa - sp : *ret;
	}
	return true;
}

const char *unwind_end_text(enum unwind_end end)
{
	switch (end) {
	case UNWIND_OUTERMOST:
		return "";
	case UNWIND_NEEDS_REGISTER:
		return "cut: a register was needed that is not known without stopping the thread";
	case UNWIND_NO_INFO:
		return "cut: code without unwind information";
	case UNWIND_NO_MEMORY:
		return "cut: the stack could not be read, or makes no sense";
	case UNWIND_TOO_DEEP:
		return "cut: too many frames";
	}
	return "cut";
}

void unwind_stack_release(struct unwind_stack *stack)
{
	if (!stack)
		return;
	free(stack->frames);
	*stack = (struct unwind_stack){0};
}
