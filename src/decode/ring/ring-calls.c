/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls: reads the diary of each lane as intervals, from the record of the entry to that of the
 * return.
 *
 * A diary is a sequence of entries and returns; a return names the ticket of its entry. What is
 * gone of it is a hole, from the last record before to the first one behind: what the lane has
 * overwritten, what could not be read, and a call whose return was not recorded. Tickets are dense,
 * so the holes know how many records they lack. A call without a return at the end goes on, unless
 * the board says that its thread came back.
 */
#include "decode/ring/ring-source.h"
#include "job/names.h"
#include "job/waitfor/waits.h"
#include "ring/calls.h"

#define DEEP 8 /* the most calls inside of each other, as a wait inside a call */

/* The diary of a lane, as far as it is read. */
struct diary {
	struct ring_source *source;
	const struct ring_lane_view *lane;
	const char *cite;
	ARRAY(struct job_call) calls;
	ARRAY(uint64_t) keys;
	size_t open[DEEP]; /* places in `calls`, the outermost first */
	uint64_t tickets[DEEP]; /* tickets of their entries */
	size_t depth;
	uint64_t next;	 /* the ticket that must come next */
	int64_t last;	 /* time of the record before; JOB_UNKNOWN none */
};

/* -- what is gone ------------------------------------------------------------------------------ */

/* Adds a hole of so many records. */
static void lose(struct diary *diary, int64_t from, int64_t to, uint64_t records, const char *what)
{
	if (from == JOB_UNKNOWN || to == JOB_UNKNOWN || from > to)
		return;
	*array_add(&diary->calls) = (struct job_call){.tid = diary->lane->tid,
		.kind = JOB_CALL_HOLE,
		.name = what,
		.group = JOB_NONE,
		.index = records,
		.entered = from,
		.returned = to,
		.cite = diary->cite};
}

/* Turns open calls from the place `depth` on into holes: it is not known when they ended. */
static void give_up(struct diary *diary, size_t depth, int64_t when)
{
	while (diary->depth > depth) {
		struct job_call *call = &diary->calls.items[diary->open[--diary->depth]];

		call->kind = JOB_CALL_HOLE;
		call->name = "return not recorded";
		call->index = 1;
		call->returned = when;
	}
}

/*
 * Adds a hole for the records between the last one that was read and this one, or before the first.
 */
static void skip_gone(struct diary *diary, uint64_t ticket, int64_t when)
{
	bool first = diary->last == JOB_UNKNOWN;
	int64_t from = diary->last;

	if (ticket <= diary->next)
		return;
	if (first)
		from = ring_source_time(diary->source, diary->source->view.header.birth_tsc);
	give_up(diary, 0, when);
	lose(diary, from == JOB_UNKNOWN ? when : from, when, ticket - diary->next,
		first ? "overwritten in the ring" : "not readable in the ring");
}

/* -- entries and returns ----------------------------------------------------------------------- */

/* Returns the group of a row of the table, as a place in keys; JOB_NONE none. */
static int number_group(struct diary *diary, const struct ring_slot *slot)
{
	const struct ring_seat *seat = ring_source_seat(
		diary->source, ring_meta_group(slot->meta), slot->tsc);

	if (!seat)
		return JOB_NONE;
	for (size_t i = 0; i < diary->keys.nr; i++)
		if (diary->keys.items[i] == seat->group.key)
			return (int)i;
	*array_add(&diary->keys) = seat->group.key;
	return (int)diary->keys.nr - 1;
}

static void enter(struct diary *diary, const struct ring_slot *slot, int64_t when)
{
	bool wait = ring_meta_type(slot->meta) == RING_WAIT_ENTER;
	bool grouped = ring_meta_flags(slot->meta) & RING_F_GROUPED;
	const char *name = ring_call_name(ring_meta_arg(slot->meta));
	struct job_call *call;

	if (diary->depth == DEEP)
		give_up(diary, DEEP - 1, when);
	diary->open[diary->depth] = diary->calls.nr;
	diary->tickets[diary->depth++] = ring_ticket(slot);
	call = array_add(&diary->calls);
	*call = (struct job_call){.tid = diary->lane->tid,
		.kind = wait ? JOB_CALL_WAIT : JOB_CALL_INSIDE,
		.name = name ? name : "a call of a newer probe",
		.group = wait ? JOB_NONE : number_group(diary, slot),
		.entered = when,
		.returned = JOB_UNKNOWN,
		.cite = diary->cite};
	/* Inside a group, a call only notes its op; the call at the group's end enters it. */
	if (!wait && !grouped && slot->index) {
		call->index = slot->index;
		call->sig = ring_source_sig(slot);
	}
}

static void enter_op(struct diary *diary, const struct ring_slot *slot, int64_t when)
{
	*array_add(&diary->calls) = (struct job_call){.tid = diary->lane->tid,
		.kind = JOB_CALL_ENTERED,
		.name = "",
		.group = number_group(diary, slot),
		.index = slot->index,
		.sig = ring_source_sig(slot),
		.entered = when,
		.returned = when,
		.cite = diary->cite};
}

static void finish_step(struct diary *diary, const struct ring_slot *slot, int64_t when)
{
	*array_add(&diary->calls) = (struct job_call){.tid = diary->lane->tid,
		.kind = JOB_CALL_STEP,
		.name = "",
		.group = JOB_NONE,
		.index = slot->index,
		.entered = when,
		.returned = when,
		.cite = diary->cite};
}

/* Ends the call that this return names. */
static void leave(struct diary *diary, const struct ring_slot *slot, int64_t when)
{
	for (size_t i = diary->depth; i-- > 0;) {
		if (diary->tickets[i] != slot->more)
			continue;
		give_up(diary, i + 1, when);
		diary->calls.items[diary->open[--diary->depth]].returned = when;
		return;
	}
}

/* Takes the next record. */
static void take(struct diary *diary, const struct ring_slot *slot)
{
	int64_t when = ring_source_time(diary->source, slot->tsc);

	if (when == JOB_UNKNOWN)
		return;
	skip_gone(diary, ring_ticket(slot), when);
	diary->next = ring_ticket(slot) + 1;
	diary->last = when;
	switch (ring_meta_type(slot->meta)) {
	case RING_CALL_ENTER:
	case RING_WAIT_ENTER:
		enter(diary, slot, when);
		break;
	case RING_OP_ENTERED:
		enter_op(diary, slot, when);
		break;
	case RING_CALL_EXIT:
	case RING_WAIT_EXIT:
		leave(diary, slot, when);
		break;
	case RING_STEP:
		finish_step(diary, slot, when);
		break;
	}
}

/* -- lanes ------------------------------------------------------------------------------------- */

/*
 * Closes a diary. Of calls that are open at its end the thread is in them, or came back unread, or
 * is gone.
 */
static void close_diary(struct diary *diary)
{
	const struct ring_slot *board = &diary->lane->board;
	bool idle = diary->lane->board_state == 0 ||
		    (diary->lane->board_state > 0 &&
			    ring_meta_type(board->meta) == RING_IDLE &&
			    board->tsc <= diary->source->t0);
	int64_t when = diary->lane->board_state > 0 ? ring_source_time(diary->source, board->tsc)
						    : JOB_UNKNOWN;

	if (!diary->depth || (diary->lane->claimed && !idle))
		return;
	give_up(diary, 0, when == JOB_UNKNOWN || when < diary->last ? diary->last : when);
}

static void read_lane(struct ring_source *source, const struct ring_lane_view *lane)
{
	struct diary diary = {.source = source,
		.lane = lane,
		.cite = ring_source_cite(source, "lane%u", lane->number),
		.last = JOB_UNKNOWN};
	struct ring_cursor cursor;
	struct ring_slot slot;

	ring_cursor_open(&cursor, lane);
	while (ring_cursor_next(&cursor, &slot))
		if (slot.tsc <= source->t0)
			take(&diary, &slot);
	close_diary(&diary);
	job_add_calls(source->builder, source->who, diary.calls.items, diary.calls.nr,
		diary.keys.items, diary.keys.nr);
	array_release(&diary.calls);
	array_release(&diary.keys);
}

/*
 * Adds only that the threads which share the overflow lane did something: they are not told apart.
 */
static void lose_shared(struct ring_source *source, const struct ring_lane_view *lane)
{
	struct diary diary = {.source = source,
		.lane = lane,
		.cite = ring_source_cite(source, "lane%u", lane->number)};
	int64_t first = JOB_UNKNOWN, last = JOB_UNKNOWN;
	struct ring_cursor cursor;
	struct ring_slot slot;
	uint64_t n = 0;

	ring_cursor_open(&cursor, lane);
	while (ring_cursor_next(&cursor, &slot)) {
		int64_t when = ring_source_time(source, slot.tsc);

		if (slot.tsc > source->t0 || when == JOB_UNKNOWN)
			continue;
		first = n++ && first < when ? first : when;
		last = last > when ? last : when;
	}
	lose(&diary, first, last, n, "of threads without a lane");
	job_add_calls(source->builder, source->who, diary.calls.items, diary.calls.nr, NULL, 0);
	array_release(&diary.calls);
}

void ring_decode_calls(struct ring_source *source)
{
	uint64_t lanes = ring_view_count(&source->view, RING_S_LANES);

	for (uint64_t i = 0; job_wants_calls(source->builder) && i < lanes; i++) {
		struct ring_lane_view lane;

		/* A watchdog only watches. */
		if (ring_view_lane(&source->view, i, &lane) < 0 || !lane.head ||
			waits_is_watchdog(lane.name))
			continue;
		if (lane.overflow)
			lose_shared(source, &lane);
		else
			read_lane(source, &lane);
	}
}
