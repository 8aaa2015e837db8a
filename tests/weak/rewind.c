/* SPDX-License-Identifier: Apache-2.0 */
#include "rewind.h"

#include <stdbool.h>
#include <string.h>

#include "base/array.h"
#include "ring/calls.h"
#include "ring/ring-read.h"
#include "ring/ring-traceback.h"
#include "rewind-ops.h"

static void *part_at(const struct rewind *rw, enum ring_section_id id, uint64_t i)
{
	const struct ring_part *part = &rw->view.part[id];

	return i < part->count ? rw->bytes + (part->at - rw->bytes) + i * part->elem_size : NULL;
}

static bool slot_is_whole(const struct ring_slot *slot)
{
	return slot->seq && !(slot->seq & 1);
}

/* --- Lanes ------------------------------------------------------------------------------------ */

/* What the lane held; where it was at the moment; and blanks what came later. */
static void lane_collect(struct rewind *rw, struct ring_lane *lane, uint32_t number)
{
	struct rewind_lane *seen = array_add(&rw->lanes);
	struct ring_slot *slots = part_at(rw, RING_S_SLOTS, lane->first);
	uint64_t from = lane->head > lane->n ? lane->head - lane->n : 0;
	uint64_t head = lane->head;

	*seen = (struct rewind_lane){.number = number,
		.whole = from == 0,
		.first_note = rw->notes.nr,
		.oldest = UINT64_MAX};
	for (uint64_t k = from; k < lane->head; k++) {
		struct ring_slot *slot = &slots[k & (lane->n - 1)];

		if (slot->seq != 2 * k + 2)
			continue;
		seen->oldest = slot->tsc < seen->oldest ? slot->tsc : seen->oldest;
		*array_add(&rw->notes) = (struct rewind_note){*slot, number};
		if (slot->tsc > rw->cut && head == lane->head)
			head = k;
		if (head != lane->head)
			*slot = (struct ring_slot){0};
	}
	seen->notes = rw->notes.nr - seen->first_note;
	lane->head = head;
}

/* The call that was open at the moment; NULL: none was. */
static const struct ring_slot *lane_open_call(
	const struct rewind *rw, const struct rewind_lane *seen, const struct ring_slot **ret_last)
{
	const struct rewind_note *notes = rw->notes.items + seen->first_note;
	const struct ring_slot *open = NULL;

	*ret_last = NULL;
	for (size_t i = 0; i < seen->notes && notes[i].slot.tsc <= rw->cut; i++) {
		unsigned type = ring_meta_type(notes[i].slot.meta);

		*ret_last = &notes[i].slot;
		if (type == RING_CALL_ENTER || type == RING_WAIT_ENTER)
			open = &notes[i].slot;
		else if (type == RING_CALL_EXIT || type == RING_WAIT_EXIT)
			open = NULL;
	}
	return open;
}

/* True if this lane has shown what stands on boards alone. */
static bool board_only(const struct ring_slot *board)
{
	uint32_t call = ring_meta_arg(board->meta);

	return (ring_meta_flags(board->meta) & RING_F_POLL) || call == RING_CALL_c10d_store_get ||
	       call == RING_CALL_c10d_store_wait;
}

static void board_tear(struct ring_slot ab[2])
{
	ab[0] = ab[1] = (struct ring_slot){.seq = 1};
}

static void board_set(struct ring_slot ab[2], const struct ring_slot *slot)
{
	ab[0] = *slot;
	ab[0].seq = 2;
	ab[1] = (struct ring_slot){0};
}

/* Rebuilt from the lane, or torn where that does not tell. */
static void board_rebuild(
	struct rewind *rw, struct ring_lane *lane, const struct rewind_lane *seen, bool polls)
{
	const struct ring_slot *last;
	const struct ring_slot *open = lane_open_call(rw, seen, &last);
	const struct ring_slot idle = {
		.meta = ring_meta(RING_IDLE, 0, RING_NO_GROUP, 0), .tsc = last ? last->tsc : 0};

	if (open)
		board_set(lane->board, open);
	else if (last && !polls)
		board_set(lane->board, &idle);
	else
		board_tear(lane->board);
}

/* False: not even who had the lane is known. */
static bool lane_board(struct rewind *rw, struct ring_lane *lane, const struct rewind_lane *seen)
{
	struct ring_slot now;
	int state = ring_board_read(lane->board, &now);
	int newer = state > 0 && lane->board[1].seq == now.seq;
	struct ring_slot *older = &lane->board[!newer];

	if (seen->whole && seen->notes && seen->oldest > rw->cut &&
		(state <= 0 || now.tsc > rw->cut)) {
		memset(lane->board, 0, sizeof(lane->board));
		lane->claim = 0;
		lane->claims = lane->tid = 0;
		return true;
	}
	if (state <= 0 || now.tsc <= rw->cut)
		return true;
	if (!lane->claim && lane->claims > 1)
		return false;
	if (!lane->claim && lane->tid)
		lane->claim = lane->tid | 1ull << 32;
	if (slot_is_whole(older) && older->seq + 2 == now.seq && older->tsc <= rw->cut) {
		lane->board[newer] = (struct ring_slot){0};
		return true;
	}
	board_rebuild(
		rw, lane, seen, board_only(&now) || (slot_is_whole(older) && board_only(older)));
	return true;
}

static bool lanes_rewind(struct rewind *rw)
{
	for (uint64_t i = 0; i < rw->view.lanes; i++) {
		struct ring_lane *lane = part_at(rw, RING_S_LANES, i);

		if (rw->view.part[RING_S_SLOTS].count < lane->first + lane->n)
			return false;
		lane_collect(rw, lane, (uint32_t)i);
		if (!lane_board(rw, lane, &rw->lanes.items[rw->lanes.nr - 1]))
			return false;
	}
	return true;
}

/* --- Pinned records --------------------------------------------------------------------------- */

static bool pins_rewind(struct rewind *rw)
{
	for (uint64_t i = 0; i < rw->view.classes; i++) {
		struct ring_pinned *pinned = part_at(rw, RING_S_PINNED, i);
		uint64_t next = 0;

		for (uint64_t k = 0; k < (uint64_t)pinned->first + pinned->latest; k++) {
			struct ring_slot *slot = part_at(rw, RING_S_PINSLOTS, pinned->start + k);

			if (!slot)
				return false;
			if (!slot_is_whole(slot))
				continue;
			*array_add(&rw->pins) = *slot;
			if (slot->tsc > rw->cut)
				*slot = (struct ring_slot){0};
			else if (slot->seq / 2 > next)
				next = slot->seq / 2;
		}
		pinned->next = next;
	}
	return true;
}

/* --- Spans ------------------------------------------------------------------------------------ */

static bool span_in_table(const struct rewind *rw, uint64_t serial)
{
	for (uint64_t i = 0; i < rw->view.part[RING_S_SPANS].count; i++) {
		const struct ring_slot *slot = part_at(rw, RING_S_SPANS, i);

		if (slot_is_whole(slot) && slot->index == serial)
			return true;
	}
	return false;
}

static const struct ring_slot *span_note(const struct rewind *rw, unsigned type, uint64_t serial)
{
	const struct rewind_note *note;
	const struct ring_slot *pin;

	array_for_each (&rw->notes, note)
		if (ring_meta_type(note->slot.meta) == type && note->slot.index == serial)
			return &note->slot;
	array_for_each (&rw->pins, pin)
		if (ring_meta_type(pin->meta) == type && pin->index == serial)
			return pin;
	return NULL;
}

/* A span that was open at the moment and whose place has been used again. */
static void span_restore(struct rewind *rw, const struct ring_slot *begin, uint32_t tid)
{
	const struct ring_slot *end = span_note(rw, RING_SPAN_END, begin->index);

	if (begin->tsc > rw->cut || !end || end->tsc <= rw->cut || span_in_table(rw, begin->index))
		return;
	for (uint64_t i = 0; i < rw->view.part[RING_S_SPANS].count; i++) {
		struct ring_slot *slot = part_at(rw, RING_S_SPANS, i);

		if (slot->seq)
			continue;
		*slot = *begin;
		slot->seq = 2;
		slot->sig = tid;
		return;
	}
}

static void spans_rewind(struct rewind *rw)
{
	const struct rewind_note *note;
	const struct ring_slot *pin;

	for (uint64_t i = 0; i < rw->view.part[RING_S_SPANS].count; i++) {
		struct ring_slot *slot = part_at(rw, RING_S_SPANS, i);

		if (slot_is_whole(slot) && slot->tsc > rw->cut)
			*slot = (struct ring_slot){0};
		else if ((ring_meta_flags(slot->meta) & RING_F_CLOSED) && slot->count > rw->cut) {
			slot->meta &= ~((uint64_t)(RING_F_CLOSED | RING_F_RESUMED) << 8);
			slot->count = 0;
		}
	}
	array_for_each (&rw->notes, note)
		if (ring_meta_type(note->slot.meta) == RING_SPAN_BEGIN)
			span_restore(rw, &note->slot, 0);
	array_for_each (&rw->pins, pin)
		if (ring_meta_type(pin->meta) == RING_SPAN_BEGIN)
			span_restore(rw, pin, 0);
}

/* --- Marks ------------------------------------------------------------------------------------ */

static bool mark_is_of(const struct ring_mark *mark, const struct ring_slot *slot)
{
	unsigned type = ring_meta_type(slot->meta);

	if ((mark->claim & UINT32_MAX) == RING_MARK_STEP)
		return type == RING_STEP;
	return type == RING_SHARD && ring_meta_arg(slot->meta) == mark->claim >> 32;
}

/* Counts back what came later; the newest before is the latest then. */
static void mark_count_back(struct rewind *rw, struct ring_mark *mark)
{
	const struct ring_slot *latest = NULL, *shape = NULL;
	const struct rewind_note *note;

	array_for_each (&rw->notes, note) {
		const struct ring_slot *slot = &note->slot;

		if (ring_meta_type(slot->meta) == RING_SHAPE && slot->tsc <= rw->cut &&
			ring_meta_arg(slot->meta) == mark->claim >> 32)
			shape = slot;
		if (!mark_is_of(mark, slot))
			continue;
		if (slot->tsc <= rw->cut) {
			latest = !latest || slot->tsc >= latest->tsc ? slot : latest;
			continue;
		}
		mark->events--;
		mark->total -= slot->count;
	}
	latest = latest ? latest : &mark->first;
	board_set(mark->latest, latest);
	memset(mark->shape, 0, sizeof(mark->shape));
	if (shape)
		board_set(mark->shape, shape);
}

/* True if all that came after the moment is still in the lanes. */
static bool lanes_cover(const struct rewind *rw)
{
	const struct rewind_lane *lane;

	array_for_each (&rw->lanes, lane)
		if (!lane->whole && lane->oldest > rw->cut)
			return false;
	return true;
}

static void marks_rewind(struct rewind *rw)
{
	for (uint64_t i = 0; i < rw->view.part[RING_S_MARKS].count; i++) {
		struct ring_mark *mark = part_at(rw, RING_S_MARKS, i);
		struct ring_slot latest;

		if (!mark->claim || ring_board_read(mark->latest, &latest) <= 0 ||
			latest.tsc <= rw->cut)
			continue;
		if (mark->first_tsc > rw->cut || !lanes_cover(rw))
			memset(mark, 0, sizeof(*mark));
		else
			mark_count_back(rw, mark);
	}
}

/* --- The rest --------------------------------------------------------------------------------- */

static void deaths_rewind(struct rewind *rw)
{
	for (uint64_t i = 0; i < rw->view.part[RING_S_FATAL].count; i++) {
		struct ring_fatal *fatal = part_at(rw, RING_S_FATAL, i);
		struct ring_traceback *trace = part_at(rw, RING_S_TRACES, i);

		if (!fatal->seq || fatal->tsc <= rw->cut)
			continue;
		memset(fatal, 0, sizeof(*fatal));
		if (trace)
			memset(trace, 0, sizeof(*trace));
	}
}

static void anchors_rewind(struct rewind *rw)
{
	for (uint64_t i = 0; i < rw->view.part[RING_S_ANCHORS].count; i++) {
		struct ring_slot *slot = part_at(rw, RING_S_ANCHORS, i);

		if (slot->tsc > rw->cut)
			*slot = (struct ring_slot){0};
	}
}

static void text_rewind(struct rewind *rw)
{
	struct ring_text *text = part_at(rw, RING_S_STDERR, 0);

	if (text)
		text->head = 0;
}

int ring_rewind(void *bytes, size_t size, uint64_t tsc)
{
	struct rewind rw = {.bytes = bytes, .cut = tsc, .header = bytes};
	bool can;

	if (ring_view_open(&rw.view, bytes, size) || rw.view.cut_bytes ||
		rw.view.header.birth_tsc > tsc)
		return -1;
	can = lanes_rewind(&rw) && pins_rewind(&rw);
	for (uint64_t i = 0; can && i < rw.view.part[RING_S_GROUPS].count; i++)
		can = rewind_group(&rw, part_at(&rw, RING_S_GROUPS, i), (uint32_t)i);
	if (can) {
		spans_rewind(&rw);
		marks_rewind(&rw);
		deaths_rewind(&rw);
		anchors_rewind(&rw);
		text_rewind(&rw);
	}
	array_release(&rw.notes);
	array_release(&rw.lanes);
	array_release(&rw.pins);
	return can ? 0 : -1;
}
