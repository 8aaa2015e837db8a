/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All return addresses from which a walk goes through make a tree. Its root is where the stack
 * began, and each node's children are frames that a call from there may have made. A call that says
 * where it goes has one child. Where two are left, nobody knows which of them is over.
 */
#include "stack/unwind-trail.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "stack/unwind-space.h"

#define TRAIL_WALKS 512	  /* walks for one thread; where that does not suffice, nothing is sure */
/* bytes to the first return address, at most */
#define TRAIL_ROOT  128
#define TRAIL_BASES 16	  /* frames tried as the one that a frame pointer points to */
#define TRAIL_MAIN  256   /* bytes of main() that are looked through */
#define TRAIL_CODE  65536 /* bytes of a function that is looked through for jumps */

/* Says whether a frame may be that of the function which a call goes to. */
enum trail_edge {
	EDGE_NO,
	EDGE_MAYBE, /* it is unknown where the call goes, or what the callee jumps on to */
	EDGE_SURE,
};

struct trail_node {
	uint64_t slot; /* where the return address lies */
	uint64_t ret;  /* the address */
	size_t parent;
	enum trail_edge edge; /* from the parent's call */
	/* it is the parent's only if its frame pointer leads there, which is a guess */
	bool guessed;
	bool live;    /* it, or a frame that it called, made a call while the stack was read */
};

struct trail_tree {
	struct unwinder *unwinder;
	const struct trail_stack *stack;
	ARRAY(struct trail_node) nodes; /* parents before children; the first is the root */
	/* numbers of words that may be return addresses, outermost first */
	ARRAY(size_t) returns;
	/* slots of nodes inwards of which frames have no unwind information */
	ARRAY(uint64_t) blind;
	/* stack->used, or the slot further in of a call that was made */
	uint64_t used;
	unsigned walks;
};

/* -- code -------------------------------------------------------------------------------------- */

/* Reads code of the process. */
static bool trail_code(const struct trail_tree *tree, uint64_t at, void *to, size_t len)
{
	return stack_memory_glance(tree->unwinder->process, at, to, len) == 0;
}

/* Returns where a 32-bit offset leads that is relative to `next`, what follows it. */
static uint64_t trail_relative(const uint8_t *at, uint64_t next)
{
	int32_t offset;

	memcpy(&offset, at, sizeof(offset));
	return next + (uint64_t)(int64_t)offset;
}

/* Reads a word; 0 if it cannot be read. */
static uint64_t trail_pointer(const struct trail_tree *tree, uint64_t at)
{
	uint64_t word;

	return trail_code(tree, at, &word, sizeof(word)) ? word : 0;
}

/* Returns where code at `at` leads: a linkage stub jumps on through a word; 0 not known. */
static uint64_t trail_through_stub(const struct trail_tree *tree, uint64_t at)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t code[12];
	size_t i;

	if (!trail_code(tree, at, code, sizeof(code)))
		return 0;
	i = memcmp(code, endbr, sizeof(endbr)) ? 0 : sizeof(endbr);
	i += code[i] == 0xf2;
	if (code[i] != 0xff || code[i + 1] != 0x25 || i + 6 > sizeof(code))
		return at;
	return trail_pointer(tree, trail_relative(code + i + 2, at + i + 6));
}

/* Returns the function that the call before `ret` calls; 0 if the code does not say which. */
static uint64_t trail_target(const struct trail_tree *tree, uint64_t ret)
{
	uint8_t code[6];

	if (!trail_code(tree, ret - sizeof(code), code, sizeof(code)))
		return 0;
	if (code[0] == 0xff && code[1] == 0x15)
		return trail_pointer(tree, trail_relative(code + 2, ret));
	if (code[1] == 0xe8)
		return trail_through_stub(tree, trail_relative(code + 2, ret));
	return 0;
}

/* How a jump leaves a function, from nothing to the furthest. */
enum trail_jump {
	JUMP_NONE,
	JUMP_OUT,      /* to where no function begins: a part of its own, or no jump at all */
	JUMP_COMPUTED, /* through a word that a register leads to; or within the function */
	JUMP_ON,       /* to where another function begins, or through a word of the module */
};

/* Says how a jump to `to` leaves the function [start, end). */
static enum trail_jump trail_jump_to(
	const struct trail_tree *tree, uint64_t to, uint64_t start, uint64_t end)
{
	uint64_t its_start, its_end, through;

	if (to >= start && to < end)
		return JUMP_NONE;
	through = trail_through_stub(tree, to);
	if (through && through != to)
		return JUMP_ON;
	return unwinder_function(tree->unwinder, to, &its_start, &its_end) && its_start == to
		       ? JUMP_ON
		       : JUMP_OUT;
}

/* Says what jump out of [start, end) these bytes may be, wherever an instruction begins. */
static enum trail_jump trail_jump(const struct trail_tree *tree, const uint8_t *code, uint64_t at,
	uint64_t start, uint64_t end)
{
	if (code[0] == 0xff && (code[1] >> 3 & 7) == 4)
		return code[1] == 0x25 || code[1] >> 6 == 3 ? JUMP_ON : JUMP_COMPUTED;
	if (code[0] == 0xe9)
		return trail_jump_to(tree, trail_relative(code + 1, at + 5), start, end);
	if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
		return trail_jump_to(tree, trail_relative(code + 2, at + 6), start, end);
	return JUMP_NONE;
}

/* Returns the jump that leads furthest away, of all that may be in the function there. */
static enum trail_jump trail_leaves(const struct trail_tree *tree, uint64_t function)
{
	enum trail_jump furthest = JUMP_NONE;
	uint64_t start, end;
	uint8_t *code;

	if (!unwinder_function(tree->unwinder, function, &start, &end) || start != function ||
		end - start > TRAIL_CODE)
		return JUMP_ON;
	code = alloc_zeroed(end - start + 8, 1);
	if (!trail_code(tree, start, code, end - start))
		furthest = JUMP_ON;
	for (uint64_t i = 0; i < end - start && furthest < JUMP_ON; i++) {
		enum trail_jump jump = trail_jump(tree, code + i, start + i, start, end);

		furthest = jump > furthest ? jump : furthest;
	}
	free(code);
	return furthest;
}

/* True if the function there may hand its frame on to another one, or to a part of itself. */
static bool trail_hands_on(const struct trail_tree *tree, uint64_t function)
{
	return trail_leaves(tree, function) > JUMP_NONE;
}

/* Says whether the call before `ret` may have made the frame of the return address `child`. */
static enum trail_edge trail_edge_to(const struct trail_tree *tree, uint64_t ret, uint64_t child)
{
	uint64_t target = trail_target(tree, ret), start, end;

	if (!target)
		return EDGE_MAYBE;
	if (unwinder_function(tree->unwinder, child - 1, &start, &end) && start == target)
		return EDGE_SURE;
	return trail_hands_on(tree, target) ? EDGE_MAYBE : EDGE_NO;
}

/* -- walks ------------------------------------------------------------------------------------- */

/* The address behind the stack's last word; the word at an address; whether it has that word. */
static uint64_t trail_end(const struct trail_stack *stack)
{
	return stack->low + 8 * stack->nr;
}

static uint64_t trail_word(const struct trail_stack *stack, uint64_t at)
{
	return stack->words[(at - stack->low) / 8];
}

static bool trail_has(const struct trail_stack *stack, uint64_t at)
{
	return at >= stack->low && at < trail_end(stack) && at % 8 == 0;
}

/* -- the tree ---------------------------------------------------------------------------------- */

/* Returns the module that holds `at`; NULL none. */
static const struct module *trail_module(const struct trail_tree *tree, uint64_t at)
{
	const struct unwind_place *place = unwinder_place(tree->unwinder, at);

	return place ? place->module : NULL;
}

/* True if `at` lies in the module of the root's return address: the program itself. */
static bool trail_is_program(const struct trail_tree *tree, uint64_t at)
{
	return trail_module(tree, at) == trail_module(tree, tree->nodes.items[0].ret - 1);
}

/*
 * Returns main(), which _start hands to libc right before its call, as C's start-up files of gcc
 * and clang do; 0 not seen.
 */
static uint64_t trail_main(const struct trail_tree *tree)
{
	static const uint8_t lea_rdi[] = {0x48, 0x8d, 0x3d}, mov_rdi[] = {0x48, 0xc7, 0xc7};
	uint64_t ret = tree->nodes.items[0].ret;
	uint8_t code[13];

	if (!trail_code(tree, ret - sizeof(code), code, sizeof(code)) || code[7] != 0xff)
		return 0;
	if (!memcmp(code, lea_rdi, sizeof(lea_rdi)))
		return trail_relative(code + 3, ret - 6);
	return memcmp(code, mov_rdi, sizeof(mov_rdi)) ? 0 : trail_relative(code + 3, 0);
}

/* Returns where these bytes jump to if they are a jump on; 0 not known. */
static uint64_t trail_lands(const struct trail_tree *tree, const uint8_t *code, uint64_t at)
{
	if (code[0] == 0xe9)
		return trail_through_stub(tree, trail_relative(code + 1, at + 5));
	if (code[0] == 0xff && code[1] == 0x25)
		return trail_pointer(tree, trail_relative(code + 2, at + 6));
	return 0;
}

/* True if main() hands its frame on to the function that begins there. */
static bool trail_main_becomes(const struct trail_tree *tree, uint64_t function)
{
	uint64_t begin = trail_main(tree), start, end;
	uint8_t code[TRAIL_MAIN + 6] = {0};
	size_t len;

	if (!begin || !unwinder_function(tree->unwinder, begin, &start, &end) || start != begin)
		return false;
	len = end - start < TRAIL_MAIN ? end - start : TRAIL_MAIN;
	if (!trail_code(tree, start, code, len))
		return false;
	for (size_t i = 0; i < len; i++)
		if (trail_lands(tree, code + i, start + i) == function)
			return true;
	return false;
}

/*
 * True if a call of what calls main() may lead there: main() is the program's, or hands its frame
 * on (Python's does to its library), and what else it calls lies beside itself.
 */
static bool trail_may_begin(const struct trail_tree *tree, size_t parent, uint64_t ret)
{
	uint64_t beside = tree->nodes.items[parent].ret - 1, start, end;

	return trail_is_program(tree, ret - 1) ||
	       trail_module(tree, ret - 1) == trail_module(tree, beside) ||
	       (unwinder_function(tree->unwinder, ret - 1, &start, &end) &&
		       trail_main_becomes(tree, start));
}

/* True if a node is what calls main(): it is over only when the thread is. */
static bool trail_begins(const struct trail_tree *tree, const struct trail_node *node)
{
	return !trail_is_program(tree, node->ret - 1) &&
	       (!node->parent || !tree->nodes.items[node->parent].parent);
}

/* True if the walk went through to where the stack began, on this stack alone. */
static bool trail_is_rooted(const struct trail_stack *stack, const struct unwind_stack *walk)
{
	for (size_t i = 0; i < walk->nframes; i++)
		if (walk->frames[i].signal || !trail_has(stack, walk->frames[i].sp - 8))
			return false;
	return walk->end == UNWIND_OUTERMOST && walk->nframes > 1 &&
	       trail_end(stack) - walk->frames[walk->nframes - 1].sp < TRAIL_ROOT;
}

/* Adds a child for the word at `slot`, if it is not there yet. Returns its number. */
static size_t trail_add(struct trail_tree *tree, size_t parent, uint64_t slot, bool guessed)
{
	uint64_t ret = trail_word(tree->stack, slot);
	struct trail_node *node;

	for (size_t i = parent + 1; i < tree->nodes.nr; i++)
		if (tree->nodes.items[i].parent == parent && tree->nodes.items[i].slot == slot) {
			tree->nodes.items[i].guessed &= guessed;
			return i;
		}
	node = array_add(&tree->nodes);
	*node = (struct trail_node){slot, ret, parent, EDGE_MAYBE, guessed};
	node->edge = trail_edge_to(tree, tree->nodes.items[parent].ret, ret);
	if (trail_begins(tree, &tree->nodes.items[parent]) && !trail_may_begin(tree, parent, ret))
		node->edge = EDGE_NO;
	return tree->nodes.nr - 1;
}

/* Adds a rooted walk's frames. Further in than a guessed frame it does not tell who called whom. */
static void trail_take(struct trail_tree *tree, const struct unwind_stack *walk, bool guessed)
{
	uint64_t root = walk->frames[walk->nframes - 1].sp - 8;
	size_t at = 0;

	if (!tree->nodes.nr)
		*array_add(&tree->nodes) = (struct trail_node){
			.slot = root, .ret = trail_word(tree->stack, root), .edge = EDGE_SURE};
	if (tree->nodes.items[0].slot != root)
		return;
	for (size_t i = walk->nframes - 1; i--;) {
		if (walk->frames[i + 1].guessed) {
			*array_add(&tree->blind) = tree->nodes.items[at].slot;
			return;
		}
		at = trail_add(tree, at, walk->frames[i].sp - 8, guessed && !i);
	}
}

/* Returns registers to walk from; bp 0: not known. */
static struct unwind_regs trail_regs(uint64_t pc, uint64_t sp, uint64_t bp)
{
	struct unwind_regs regs = {.known = 1u << UNWIND_SP | 1u << UNWIND_IP};

	regs.value[UNWIND_IP] = pc;
	regs.value[UNWIND_SP] = sp;
	if (bp) {
		regs.known |= 1u << UNWIND_BP;
		regs.value[UNWIND_BP] = bp;
	}
	return regs;
}

/* Walks once, with that frame pointer if any. True if it wants one; *rooted: it went through. */
static bool trail_walk_once(
	struct trail_tree *tree, uint64_t slot, uint64_t bp, bool guessed, bool *rooted)
{
	struct unwind_regs regs = trail_regs(trail_word(tree->stack, slot) - 1, slot + 8, bp);
	struct unwind_stack walk = {0};
	bool wants;

	tree->walks++;
	unwinder_walk(tree->unwinder, &regs, &walk);
	wants = unwind_wants_registers(&walk);
	*rooted = trail_is_rooted(tree->stack, &walk);
	if (*rooted)
		trail_take(tree, &walk, guessed);
	unwind_stack_release(&walk);
	return wants;
}

/*
 * Walks from the return address number `which`. A function that keeps a frame pointer needs it. If
 * the function that it calls keeps one, too, it lies saved beside the return address. Else it lies
 * beside a return address further out.
 */
static void trail_walk(struct trail_tree *tree, size_t which)
{
	const struct trail_stack *stack = tree->stack;
	uint64_t slot = stack->low + 8 * tree->returns.items[which];
	uint64_t saved = trail_has(stack, slot - 8) ? trail_word(stack, slot - 8) : 0;
	bool rooted;

	if (!trail_walk_once(tree, slot, 0, false, &rooted))
		return;
	if (saved > slot && trail_has(stack, saved + 8)) {
		trail_walk_once(tree, slot, saved, false, &rooted);
		if (rooted)
			return;
	}
	for (size_t i = 1; i <= which && i <= TRAIL_BASES && tree->walks < TRAIL_WALKS; i++)
		trail_walk_once(tree, slot, stack->low + 8 * tree->returns.items[which - i] - 8,
			true, &rooted);
}

static bool trail_is_taken(const struct trail_tree *tree, uint64_t slot)
{
	for (size_t i = 0; i < tree->nodes.nr; i++)
		if (tree->nodes.items[i].slot == slot)
			return true;
	return false;
}

/* Walks from each return address in [from, to) that is no node yet. */
static void trail_walk_all(struct trail_tree *tree, uint64_t from, uint64_t to)
{
	for (size_t i = tree->returns.nr; i-- && tree->walks < TRAIL_WALKS;) {
		uint64_t slot = tree->stack->low + 8 * tree->returns.items[i];

		if (slot >= from && slot < to && !trail_is_taken(tree, slot))
			trail_walk(tree, i);
	}
}

/* Finds all return addresses and makes the tree of them. */
static void trail_grow(struct trail_tree *tree)
{
	const struct trail_stack *stack = tree->stack;

	for (size_t i = stack->nr; i--;)
		if (unwinder_is_code(tree->unwinder, stack->words[i]) &&
			unwinder_is_return(tree->unwinder, stack->words[i]))
			*array_add(&tree->returns) = i;
	/* Innermost first, but what may be over last: of that a deep stack has very much. */
	if (stack->used != UINT64_MAX)
		trail_walk_all(tree, stack->used, UINT64_MAX);
	trail_walk_all(tree, stack->low, stack->used);
}

/* -- calls that were made while the stack was read -------------------------------------------- */

/* Returns the node of the innermost frame's caller, if all frames are the tree's; else SIZE_MAX. */
static size_t trail_caller(const struct trail_tree *tree, const struct unwind_stack *walk)
{
	size_t at = 0;

	for (size_t i = walk->nframes - 1; i-- > 1;) {
		size_t child = at + 1;

		while (child < tree->nodes.nr &&
			(tree->nodes.items[child].parent != at ||
				tree->nodes.items[child].slot != walk->frames[i].sp - 8))
			child++;
		if (child >= tree->nodes.nr || walk->frames[i].guessed)
			return SIZE_MAX;
		at = child;
	}
	return walk->nframes > 2 && !walk->frames[0].guessed ? at : SIZE_MAX;
}

/*
 * Takes a return address that was written just where the call of a node's function would have it,
 * and lies within that function, for that call's: its node and all that called it were at work.
 */
static void trail_take_call(struct trail_tree *tree, const struct trail_call *call)
{
	struct unwind_regs regs = trail_regs(call->ret - 1, call->slot + 8, 0);
	struct unwind_stack walk = {0};
	size_t at = SIZE_MAX;

	tree->walks++;
	unwinder_walk(tree->unwinder, &regs, &walk);
	if (trail_is_rooted(tree->stack, &walk))
		at = trail_caller(tree, &walk);
	unwind_stack_release(&walk);
	if (at == SIZE_MAX ||
		trail_edge_to(tree, tree->nodes.items[at].ret, call->ret) != EDGE_SURE)
		return;
	tree->used = call->slot < tree->used ? call->slot : tree->used;
	for (; at && !tree->nodes.items[at].live; at = tree->nodes.items[at].parent)
		tree->nodes.items[at].live = true;
}

static void trail_take_calls(struct trail_tree *tree)
{
	const struct trail_stack *stack = tree->stack;

	for (size_t i = 0; i < stack->ncalls && tree->nodes.nr; i++)
		if (unwinder_is_code(tree->unwinder, stack->calls[i].ret) &&
			unwinder_is_return(tree->unwinder, stack->calls[i].ret))
			trail_take_call(tree, &stack->calls[i]);
}

/* -- the way in -------------------------------------------------------------------------------- */

/*
 * True if a node is a frame of the program, or over: then its thread is in the frame that made it,
 * or in one that made that. What calls main() calls nothing else.
 */
static bool trail_is_of_program(const struct trail_tree *tree, const struct trail_node *node)
{
	return trail_is_program(tree, node->ret - 1) &&
	       (node->edge == EDGE_SURE ||
		       trail_begins(tree, &tree->nodes.items[node->parent]));
}

/* True if a node has a child that is surely its call's. */
static bool trail_calls(const struct trail_tree *tree, size_t at)
{
	for (size_t i = at + 1; i < tree->nodes.nr; i++)
		if (tree->nodes.items[i].parent == at &&
			tree->nodes.items[i].edge == EDGE_SURE)
			return true;
	return false;
}

/*
 * True if a node's call is over: nothing further in belongs to it, and the function that it called
 * does not reach down to where the stack is in use.
 */
static bool trail_is_over(const struct trail_tree *tree, size_t at)
{
	const struct trail_node *node = &tree->nodes.items[at];
	const struct trail_stack *stack = tree->stack;
	uint64_t target = trail_target(tree, node->ret), most;

	return tree->used != UINT64_MAX && !trail_calls(tree, at) && target &&
	       trail_leaves(tree, target) < JUMP_ON &&
	       unwinder_frame_most(tree->unwinder, target, stack->low, &most) &&
	       node->slot + 8 - most > tree->used;
}

/* True if a node's word lies where the stack was in use, and did not change. */
static bool trail_is_sure(const struct trail_tree *tree, const struct trail_node *node)
{
	const struct trail_stack *stack = tree->stack;

	return node->slot >= tree->used && stack->still[(node->slot - stack->low) / 8];
}

/*
 * Returns the one of `nr` children of that kind that is not over; SIZE_MAX if that may be several.
 * A guess counts nothing against a child that is in use and is no guess.
 */
static size_t trail_only(const struct trail_tree *tree, size_t at, enum trail_edge edge, size_t nr)
{
	size_t found = SIZE_MAX, guesses = 0;

	for (size_t i = at + 1; i < tree->nodes.nr; i++) {
		const struct trail_node *node = &tree->nodes.items[i];

		if (node->parent != at || node->edge != edge || (nr > 1 && trail_is_over(tree, i)))
			continue;
		if (node->guessed && nr > 1) {
			guesses++;
			continue;
		}
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = i;
	}
	if (found == SIZE_MAX || !guesses || trail_is_sure(tree, &tree->nodes.items[found]))
		return found;
	return SIZE_MAX;
}

/* Returns the one child that was at work; SIZE_MAX if none was, or several in turn. */
static size_t trail_live(const struct trail_tree *tree, size_t at)
{
	size_t found = SIZE_MAX;

	for (size_t i = at + 1; i < tree->nodes.nr; i++) {
		if (tree->nodes.items[i].parent != at || !tree->nodes.items[i].live)
			continue;
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = i;
	}
	return found;
}

/*
 * Returns the one child that was at work, else the only one, or the one that the call goes to; else
 * SIZE_MAX. *any: there is a child.
 */
static size_t trail_child(const struct trail_tree *tree, size_t at, bool *any)
{
	size_t found[EDGE_SURE + 1] = {0}, live = trail_live(tree, at);

	*any = true;
	if (live != SIZE_MAX)
		return live;
	for (size_t i = at + 1; i < tree->nodes.nr; i++)
		if (tree->nodes.items[i].parent == at)
			found[tree->nodes.items[i].edge]++;
	*any = found[EDGE_SURE] || found[EDGE_MAYBE];
	if (found[EDGE_SURE])
		return trail_only(tree, at, EDGE_SURE, found[EDGE_SURE]);
	return trail_only(tree, at, EDGE_MAYBE, found[EDGE_MAYBE]);
}

static bool trail_is_blind(const struct trail_tree *tree, uint64_t slot)
{
	for (size_t i = 0; i < tree->blind.nr; i++)
		if (tree->blind.items[i] == slot)
			return true;
	return false;
}

/* Returns the innermost node that is sure, from the root on; *deeper: that may not be all. */
static size_t trail_descend(const struct trail_tree *tree, bool *deeper)
{
	size_t at = 0;

	*deeper = tree->walks >= TRAIL_WALKS;
	for (;;) {
		bool any;
		size_t child = trail_child(tree, at, &any);
		const struct trail_node *node;

		*deeper |= trail_is_blind(tree, tree->nodes.items[at].slot);
		if (!any)
			return at;
		node = child == SIZE_MAX ? NULL : &tree->nodes.items[child];
		if (!node ||
			!(node->live || trail_is_sure(tree, node) || trail_begins(tree, node) ||
				(!*deeper && trail_is_of_program(tree, node)))) {
			*deeper = true;
			return at;
		}
		at = child;
	}
}

/* True if a walk from these registers goes just through a node and its parents. */
static bool trail_agrees(const struct trail_tree *tree, size_t at, const struct unwind_regs *regs)
{
	struct unwind_stack walk = {0};
	bool agrees;
	size_t i;

	unwinder_walk(tree->unwinder, regs, &walk);
	agrees = trail_is_rooted(tree->stack, &walk);
	for (i = 0; agrees && i < walk.nframes; i++) {
		agrees = !walk.frames[i].guessed &&
			 walk.frames[i].sp - 8 == tree->nodes.items[at].slot;
		if (!at)
			break;
		at = tree->nodes.items[at].parent;
	}
	agrees = agrees && i + 1 == walk.nframes;
	unwind_stack_release(&walk);
	return agrees;
}

/* Finds the registers behind a node's call, with the frame pointer only if it is needed. */
static bool trail_registers(const struct trail_tree *tree, size_t at, struct unwind_regs *ret)
{
	const struct trail_node *node = &tree->nodes.items[at];

	*ret = trail_regs(node->ret - 1, node->slot + 8, 0);
	if (trail_agrees(tree, at, ret))
		return true;
	if (!at)
		return false;
	*ret = trail_regs(node->ret - 1, node->slot + 8, tree->nodes.items[node->parent].slot - 8);
	return trail_agrees(tree, at, ret);
}

/*
 * Moves on into the function that the last sure node called, which is known, while its frame is
 * not. It may have handed its frame on to another function, which then stands for it.
 */
static void trail_enter(const struct trail_tree *tree, size_t at, struct trail *trail)
{
	const struct trail_node *node = &tree->nodes.items[at];
	uint64_t target = trail_target(tree, node->ret);
	bool sure = trail_is_sure(tree, node);

	trail->deeper |= !target || trail_hands_on(tree, target) ||
			 !(sure || trail_is_program(tree, target));
	if (!target || !unwinder_is_code(tree->unwinder, target) || (trail->deeper && !sure))
		return;
	trail->regs.value[UNWIND_IP] = target;
	trail->regs.value[UNWIND_SP] = node->slot;
	trail->regs.known &= ~(1u << UNWIND_BP);
}

bool unwinder_find_trail(struct unwinder *unwinder, const struct trail_stack *stack,
	struct trail *ret)
{
	struct trail_tree tree = {.unwinder = unwinder, .stack = stack, .used = stack->used};
	bool found = false;
	size_t at;

	*ret = (struct trail){0};
	trail_grow(&tree);
	trail_take_calls(&tree);
	if (tree.nodes.nr) {
		at = trail_descend(&tree, &ret->deeper);
		found = at && !trail_begins(&tree, &tree.nodes.items[at]) &&
			trail_registers(&tree, at, &ret->regs);
		if (found)
			trail_enter(&tree, at, ret);
	}
	array_release(&tree.nodes);
	array_release(&tree.returns);
	array_release(&tree.blind);
	return found;
}
