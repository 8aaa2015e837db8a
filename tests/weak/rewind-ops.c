/* SPDX-License-Identifier: Apache-2.0 */
/* Members of groups, and how far they had come. */
#include "rewind-ops.h"

#include <stddef.h>
#include <string.h>

#include "ring/calls.h"

enum returned { NOT_RETURNED, RETURNED, NOBODY_KNOWS };

static const struct rewind_lane *lane_of(const struct rewind *rw, uint32_t number)
{
	const struct rewind_lane *lane;

	array_for_each (&rw->lanes, lane)
		if (lane->number == number)
			return lane;
	return NULL;
}

static bool slot_is_whole(const struct ring_slot *slot)
{
	return slot->seq && !(slot->seq & 1);
}

#define HISTORY (RING_FIRST + RING_POW2 + RING_LAST + RING_P2P)

/* The i-th slot of a group's history, whose parts lie side by side; P2P last. */
static struct ring_slot *history_slot(const struct ring_group *group, size_t i)
{
	void *first = (char *)group + offsetof(struct ring_group, first);

	return (struct ring_slot *)first + i;
}

static bool is_entry(
	const struct rewind_note *note, const struct ring_group *group, uint32_t number)
{
	unsigned type = ring_meta_type(note->slot.meta), flags = ring_meta_flags(note->slot.meta);

	if (ring_meta_group(note->slot.meta) != number || !note->slot.index ||
		note->slot.tsc < group->init_tsc || (flags & RING_F_P2P))
		return false;
	return type == RING_OP_ENTERED || (type == RING_CALL_ENTER && !(flags & RING_F_GROUPED));
}

/* --- Whether an op had returned --------------------------------------------------------------- */

static bool is_exit_of(const struct ring_slot *exit, const struct ring_slot *op, uint32_t number)
{
	if (ring_meta_type(exit->meta) != RING_CALL_EXIT || exit->tsc < op->tsc)
		return false;
	if (ring_meta_flags(op->meta) & RING_F_GROUPED)
		return ring_meta_arg(exit->meta) == RING_CALL_ncclGroupEnd;
	return ring_meta_group(exit->meta) == number && exit->index == op->index &&
	       (ring_meta_flags(exit->meta) & RING_F_P2P) ==
		       (ring_meta_flags(op->meta) & RING_F_P2P);
}

/* `returned_later`: whether its record says so at the end. */
static enum returned had_returned(const struct rewind *rw, const struct ring_slot *op,
	uint32_t number, uint32_t lane_number, bool returned_later)
{
	const struct rewind_lane *lane = lane_of(rw, lane_number);

	if (!lane)
		return NOBODY_KNOWS;
	for (size_t i = 0; i < lane->notes; i++) {
		const struct ring_slot *note = &rw->notes.items[lane->first_note + i].slot;

		if (is_exit_of(note, op, number))
			return note->tsc <= rw->cut ? RETURNED : NOT_RETURNED;
	}
	if (returned_later || (!lane->whole && lane->oldest > op->tsc))
		return NOBODY_KNOWS;
	return NOT_RETURNED;
}

/* --- Collectives ------------------------------------------------------------------------------ */

struct known_op {
	struct ring_slot slot; /* as in the history */
	uint32_t lane;
	bool returned_later;
	bool known;
};

/* The op as the lanes have it, in the words of the history. Its running hash is not known. */
static bool op_of_lanes(const struct rewind *rw, const struct ring_group *group, uint32_t number,
	uint64_t index, struct known_op *ret)
{
	const struct rewind_note *note;

	array_for_each (&rw->notes, note) {
		if (!is_entry(note, group, number) || note->slot.index != index)
			continue;
		*ret = (struct known_op){note->slot, note->lane, false, true};
		ret->slot.meta =
			ring_meta(RING_OP_ENTERED, ring_meta_flags(note->slot.meta), note->lane, 0);
		if (ring_meta_type(note->slot.meta) != RING_OP_ENTERED)
			ret->slot.more = 0;
		return true;
	}
	return false;
}

static struct known_op op_known(
	const struct rewind *rw, const struct ring_group *was, uint32_t number, uint64_t index)
{
	struct known_op op = {0};

	if (ring_group_op(was, index, &op.slot) == 0) {
		op.lane = ring_meta_group(op.slot.meta);
		op.returned_later = ring_meta_flags(op.slot.meta) & RING_F_RETURNED;
		op.known = true;
	} else if (!was->zero_counts) {
		op_of_lanes(rw, was, number, index, &op);
	}
	return op;
}

/* The last op entered by the moment, and whether the next one is known to have come later. */
static uint64_t head_at(
	const struct rewind *rw, const struct ring_group *was, uint32_t number, bool *ret_exact)
{
	uint64_t low = 0, high = was->op_index + 1;
	const struct rewind_note *note;

	for (size_t i = 0; i < HISTORY - RING_P2P; i++) {
		const struct ring_slot *slot = history_slot(was, i);

		if (!slot_is_whole(slot) || ring_meta_type(slot->meta) != RING_OP_ENTERED)
			continue;
		if (slot->tsc <= rw->cut && slot->index > low)
			low = slot->index;
		if (slot->tsc > rw->cut && slot->index < high)
			high = slot->index;
	}
	array_for_each (&rw->notes, note) {
		if (!is_entry(note, was, number))
			continue;
		if (note->slot.tsc <= rw->cut && note->slot.index > low)
			low = note->slot.index;
		if (note->slot.tsc > rw->cut && note->slot.index < high)
			high = note->slot.index;
	}
	*ret_exact = high == low + 1;
	return low;
}

/* True if a synchronisation of its stream was over that began after it was entered. */
static bool op_was_waited_for(const struct rewind *rw, const struct ring_slot *op)
{
	const struct rewind_note *note;

	array_for_each (&rw->notes, note) {
		const struct ring_slot *enter = &note->slot;

		if (ring_meta_type(enter->meta) != RING_WAIT_ENTER || enter->tsc < op->tsc ||
			enter->more != op->aux || enter->index)
			continue;
		for (const struct rewind_note *exit = note + 1;
			exit < rw->notes.items + rw->notes.nr && exit->lane == note->lane; exit++)
			if (ring_meta_type(exit->slot.meta) == RING_WAIT_EXIT)
				return exit->slot.tsc <= rw->cut && !exit->slot.aux;
	}
	return false;
}

/* Up to which op of those entered all were done, as far as the end shows that. */
static void completions_rewind(
	struct rewind *rw, struct ring_group *group, const struct ring_group *was)
{
	uint64_t done = 0, unsure = 0;
	struct ring_slot op;

	if (!(was->state & RING_G_HOST_DONE) && !rw->view.header.completion)
		return;
	for (uint64_t i = 1; i <= group->op_index && i <= was->completed_word; i++) {
		if (ring_group_op(group, i, &op) < 0)
			continue;
		if (op_was_waited_for(rw, &op))
			done = i;
		else
			unsure = i;
	}
	if (unsure > done || was->completed_p2p)
		rw->header->losses.completions++;
	group->completed_word = done;
	group->completed_p2p = 0;
}

static void history_clear(struct ring_group *group, uint64_t cut)
{
	for (size_t i = 0; i < HISTORY; i++)
		if (history_slot(group, i)->tsc > cut)
			*history_slot(group, i) = (struct ring_slot){0};
}

/* An op of the newest RING_LAST: its record as it was, or none. */
static void op_restore(struct rewind *rw, struct ring_group *group, const struct ring_group *was,
	uint32_t number, uint64_t index)
{
	struct known_op op = op_known(rw, was, number, index);
	struct ring_slot *at = &group->last[index % RING_LAST];
	enum returned returned = NOBODY_KNOWS;

	if (op.known)
		returned = had_returned(rw, &op.slot, number, op.lane, op.returned_later);
	if (returned == NOBODY_KNOWS) {
		*at = (struct ring_slot){0};
		if (index <= RING_FIRST)
			group->first[index - 1] = (struct ring_slot){0};
		if (!(index & (index - 1)))
			group->pow2[63 - __builtin_clzll(index)] = (struct ring_slot){0};
		return;
	}
	*at = op.slot;
	at->meta &= ~((uint64_t)(RING_F_RETURNED | RING_F_FAILED) << 8);
	at->meta |= returned == RETURNED ? (uint64_t)RING_F_RETURNED << 8 : 0;
	at->seq = 2 * (2 * index + (returned == RETURNED)) + 2;
}

static bool collectives_rewind(
	struct rewind *rw, struct ring_group *group, const struct ring_group *was, uint32_t number)
{
	bool exact;
	uint64_t head = head_at(rw, was, number, &exact);
	struct known_op newest;

	if (!exact)
		return false;
	newest = op_known(rw, was, number, head);
	history_clear(group, rw->cut);
	group->op_index = head;
	group->zero_counts = head && was->zero_counts ? ring_meta_arg(newest.slot.meta) : 0;
	group->hash = newest.slot.more;
	if (head && was->zero_counts && !newest.known)
		return false;
	for (uint64_t i = head > RING_LAST ? head - RING_LAST + 1 : 1; i <= head; i++)
		op_restore(rw, group, was, number, i);
	memset(group->enqueue, 0, sizeof(group->enqueue));
	if (head && group->last[head % RING_LAST].seq) {
		group->enqueue[0] = group->last[head % RING_LAST];
		group->enqueue[0].seq = 2;
	}
	completions_rewind(rw, group, was);
	return true;
}

/* --- Sends and receives ----------------------------------------------------------------------- */

static void p2p_rewind(
	struct rewind *rw, struct ring_group *group, const struct ring_group *was, uint32_t number)
{
	uint64_t least = was->p2p_count + 1, count = 0;

	for (size_t i = 0; i < RING_P2P; i++) {
		const struct ring_slot *slot = &was->p2p[i];
		uint64_t n = slot_is_whole(slot) ? (slot->seq / 2 - 1) / 2 : 0;
		enum returned returned;

		if (!n)
			continue;
		least = n < least ? n : least;
		if (slot->tsc > rw->cut)
			continue;
		count = n > count ? n : count;
		returned = had_returned(rw, slot, number, ring_meta_group(slot->meta),
			ring_meta_flags(slot->meta) & RING_F_RETURNED);
		if (returned == NOBODY_KNOWS) {
			group->p2p[i] = (struct ring_slot){0};
		} else if (returned == NOT_RETURNED) {
			group->p2p[i].meta &= ~((uint64_t)(RING_F_RETURNED | RING_F_FAILED) << 8);
			group->p2p[i].seq = 4 * n + 2;
		}
	}
	group->p2p_count = count ? count : least - 1;
}

/* --- Members ---------------------------------------------------------------------------------- */

static bool is_end(uint32_t call)
{
	return call == RING_CALL_ncclCommFinalize || call == RING_CALL_ncclCommDestroy ||
	       call == RING_CALL_ncclCommAbort || call == RING_CALL_ncclCommRevoke ||
	       call == RING_CALL_c10d_destroy;
}

/* When its end began, as a lane or a pinned record tells; 0 none does. */
static uint64_t end_of(const struct rewind *rw, const struct ring_group *was, uint32_t number)
{
	const struct rewind_note *note;
	const struct ring_slot *pin;

	array_for_each (&rw->pins, pin)
		if (ring_meta_type(pin->meta) == RING_COMM && pin->tsc >= was->init_tsc &&
			ring_meta_group(pin->meta) == number &&
			(is_end(ring_meta_arg(pin->meta)) ||
				(ring_meta_flags(pin->meta) & RING_F_FAILED)))
			return pin->tsc;
	array_for_each (&rw->notes, note)
		if (ring_meta_group(note->slot.meta) == number && note->slot.tsc >= was->init_tsc &&
			ring_meta_type(note->slot.meta) == RING_CALL_ENTER &&
			is_end(ring_meta_arg(note->slot.meta)))
			return note->slot.tsc;
	return was->maker == RING_MAKER_BOOTSTRAP ? was->ready_tsc : 0;
}

#define ENDED (RING_G_FINALIZED | RING_G_DESTROYED | RING_G_ABORTED | RING_G_REVOKED)

static bool state_rewind(
	struct rewind *rw, struct ring_group *group, const struct ring_group *was, uint32_t number)
{
	uint64_t end = was->state & ENDED ? end_of(rw, was, number) : UINT64_MAX;

	if (!end)
		return false;
	if (end > rw->cut)
		group->state &= ~(uint32_t)ENDED;
	group->state &= ~(uint32_t)RING_G_KERNELS;
	if (was->ready_tsc > rw->cut) {
		group->ready_tsc = group->comm = 0;
		group->state &= ~(uint32_t)RING_G_READY;
	}
	return true;
}

/* Splits that began later are none yet. */
static bool splits_rewind(struct rewind *rw, struct ring_group *group, uint32_t number)
{
	const struct rewind_note *note;
	const struct rewind_lane *lane;

	if (!group->splits)
		return true;
	array_for_each (&rw->lanes, lane)
		if (!lane->whole && lane->oldest > rw->cut)
			return false;
	array_for_each (&rw->notes, note)
		if (ring_meta_type(note->slot.meta) == RING_CALL_ENTER &&
			note->slot.tsc > rw->cut && ring_meta_group(note->slot.meta) == number &&
			group->splits && ring_meta_arg(note->slot.meta) == RING_CALL_ncclCommSplit)
			group->splits--;
	return true;
}

bool rewind_group(struct rewind *rw, struct ring_group *group, uint32_t number)
{
	struct ring_group was = *group;

	if (!was.seq || (was.seq & 1))
		return true;
	if (was.init_tsc > rw->cut) {
		/* Who used the entry before is forgotten. */
		rw->header->losses.groups += was.seq > 2;
		memset(group, 0, sizeof(*group));
		return true;
	}
	if (!state_rewind(rw, group, &was, number) || !splits_rewind(rw, group, number))
		return false;
	if (!collectives_rewind(rw, group, &was, number) && was.zero_counts)
		return false;
	p2p_rewind(rw, group, &was, number);
	return true;
}
