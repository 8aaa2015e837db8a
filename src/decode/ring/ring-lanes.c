/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes: collects the records that others need, and turns boards into threads.
 *
 * A lane is a thread's diary and wraps; its board is one slot that says where the thread is now. So
 * the board decides what a thread does, and the diary only adds what tables do not keep: ops beyond
 * a group's history, ends of spans, which stream joined which.
 *
 * T0 may cut the board off: a board newer than T0 tells that the thread moved while we looked. Then
 * where it was at T0 is unknown, and stays so, for it is not stuck. A thread that polls writes its
 * board each time, so a new board is no move there.
 */
#include <string.h>

#include "decode/ring/ring-source.h"
#include "job/calls.h"
#include "ring/calls.h"

#define ASKED_LAST 1000000000 /* ns: a thread that polls asks more often */
#define ANY_STREAM UINT64_MAX /* the probe's word for "every stream" or "not known which" */

/* --- Records --------------------------------------------------------------------------------- */

static void note_add(
	struct ring_notes *notes, const struct ring_slot *slot, uint64_t ticket, uint32_t lane)
{
	*array_add(&notes->all) = (struct ring_note_seen){*slot, ticket, lane};
}

/* Returns the waits for a loader, made on first sight. */
static struct ring_wait_seen *lanes_wait(struct ring_source *source, uint32_t name)
{
	struct ring_wait_seen *wait;

	array_for_each(&source->waits, wait)
		if (wait->name == name)
			return wait;
	wait = array_add(&source->waits);
	*wait = (struct ring_wait_seen){.name = name};
	return wait;
}

/* Returns the ns from one record to a later one; negative if anchors do not tell. */
static int64_t lanes_between(
	const struct ring_source *source, const struct ring_slot *from, const struct ring_slot *to)
{
	int64_t begun = ring_source_time(source, from->tsc);
	int64_t ended = ring_source_time(source, to->tsc);

	return begun == JOB_UNKNOWN || ended == JOB_UNKNOWN ? -1 : ended - begun;
}

/*
 * Times single waits for a loader, and single steps. The table of spans and the marks keep only the
 * latest, so the lane is asked, as far back as it goes.
 */
static void lanes_time(struct ring_source *source, struct ring_lane_seen *seen,
	const struct ring_slot *slot)
{
	unsigned type = ring_meta_type(slot->meta);
	int64_t took;

	if (type == RING_SPAN_BEGIN && ring_meta_arg(slot->meta) == RING_SPAN_INPUT) {
		seen->input = *slot;
	} else if (type == RING_SPAN_END && seen->input.index && slot->index == seen->input.index) {
		struct ring_wait_seen *wait = lanes_wait(source, (uint32_t)slot->aux);

		took = lanes_between(source, &seen->input, slot);
		wait->n += took >= 0;
		wait->ns += took >= 0 ? took : 0;
	} else if (type == RING_STEP) {
		took = lanes_between(source, &seen->step, slot);
		if (seen->step.index && slot->index == seen->step.index + 1 && took >= 0)
			*array_add(&source->step_times) = took;
		seen->step = *slot;
	}
}

/* Keeps records that others will ask for; boards and tables tell all else better. */
static void lanes_take(struct ring_source *source, uint32_t lane, const struct ring_slot *slot)
{
	uint64_t ticket = ring_ticket(slot);

	switch (ring_meta_type(slot->meta)) {
	case RING_CALL_ENTER:
		if (!slot->index || (ring_meta_flags(slot->meta) & (RING_F_GROUPED | RING_F_P2P)))
			break;
		note_add(&source->ops, slot, ticket, lane);
		break;
	case RING_OP_ENTERED:
		if (!(ring_meta_flags(slot->meta) & RING_F_P2P))
			note_add(&source->ops, slot, ticket, lane);
		break;
	case RING_SPAN_END:
		note_add(&source->span_ends, slot, ticket, lane);
		break;
	case RING_DIMS:
		note_add(&source->dims, slot, ticket, lane);
		break;
	case RING_PORTIONS:
		note_add(&source->parts, slot, ticket, lane);
		break;
	case RING_EDGE:
		note_add(&source->edges, slot, ticket, lane);
		break;
	}
}

/* Reads one lane up to T0. */
static void lanes_read(struct ring_source *source, const struct ring_lane_view *lane)
{
	struct ring_lane_seen *seen = array_add(&source->lanes);
	struct ring_cursor cursor;
	struct ring_slot slot;

	*seen = (struct ring_lane_seen){
		.number = lane->number, .tid = lane->overflow ? 0 : lane->tid,
		.handed_on = lane->claims > 1};
	ring_cursor_open(&cursor, lane);
	while (ring_cursor_next(&cursor, &slot)) {
		if (slot.tsc > source->t0)
			continue;
		if (slot.tsc > seen->newest)
			seen->newest = slot.tsc;
		lanes_take(source, lane->number, &slot);
		lanes_time(source, seen, &slot);
	}
	/*
	 * A ring wraps by design, so that is no loss; nor is what a living process was just
	 * writing.
	 */
	source->lost += (int64_t)(cursor.tally.cut & INT32_MAX);
	if (source->process->alive == JOB_NO)
		source->lost += (int64_t)(cursor.tally.in_flight & INT32_MAX);
}

void ring_decode_lanes(struct ring_source *source)
{
	uint64_t lanes = ring_view_count(&source->view, RING_S_LANES);

	for (uint64_t i = 0; i < lanes; i++) {
		struct ring_lane_view lane;

		if (ring_view_lane(&source->view, i, &lane) < 0)
			source->lost++;
		else if (lane.head)
			lanes_read(source, &lane);
	}
}

/* --- Boards ---------------------------------------------------------------------------------- */

/* True if an op on that stream may still run. */
static bool streams_have_op(const struct ring_source *source, uint64_t stream)
{
	const struct job_op_seen *op;

	array_for_each(&source->seen, op)
		if (op->fact.stream == stream && op->fact.completed != JOB_YES)
			return true;
	return false;
}

/*
 * Returns the stream whose ops a wait is for. A stream that waits for an event of another one
 * stands for that one, if it has no open op of its own: so frameworks join their communication
 * streams.
 */
static uint64_t threads_stream(const struct ring_source *source, uint64_t stream)
{
	const struct ring_note_seen *edge;
	uint64_t joined = stream;
	uint64_t newest = 0;

	if (streams_have_op(source, stream))
		return stream;
	array_for_each(&source->edges.all, edge) {
		if (edge->slot.aux != stream || edge->slot.tsc < newest ||
			!streams_have_op(source, edge->slot.more))
			continue;
		newest = edge->slot.tsc;
		joined = edge->slot.more;
	}
	return joined;
}

/* Returns the traits of the call that a board is in. */
static unsigned traits_of(const struct ring_slot *board)
{
	const char *name = ring_call_name(ring_meta_arg(board->meta));

	return name ? call_traits(name) : 0;
}

/* Takes a board in a synchronisation: for which stream, or for the device as a whole. */
static void threads_wait(const struct ring_source *source, const struct ring_slot *board,
	struct decode_thread *thread)
{
	thread->fact.state = ring_meta_flags(board->meta) & RING_F_POLL ? JOB_THREAD_POLLING
									: JOB_THREAD_IN_WAIT;
	if (board->aux == ANY_STREAM) {
		thread->fact.whole_device = traits_of(board) & CALL_DEVICE;
		thread->fact.first_op = board->count;
		thread->fact.ops = board->sig;
	} else {
		thread->fact.stream = threads_stream(source, board->aux);
	}
}

/*
 * Finds the group of a call that launches: one if all ops of its launch are in it, and one op if
 * there is one. They are those that this lane entered since the call began.
 */
static void threads_group_end(const struct ring_source *source, uint32_t tid,
	const struct ring_slot *board, struct decode_thread *thread)
{
	const struct job_op_seen *op;
	size_t ops = 0;

	thread->group_key = 0;
	array_for_each(&source->seen, op) {
		if (op->tid != tid || op->fact.order < board->tsc || !op->fact.launch)
			continue;
		if (ops && op->group_key != thread->group_key) {
			thread->group_key = 0;
			thread->fact.op = 0;
			return;
		}
		thread->group_key = op->group_key;
		thread->fact.op = ops++ ? 0 : op->fact.index;
	}
}

/*
 * Takes a board in a call of NCCL or c10d: on which group, in which op, if it is on one; for which
 * key.
 */
static void threads_call(const struct ring_source *source, uint32_t tid,
	const struct ring_slot *board, struct decode_thread *thread)
{
	const struct ring_seat *seat =
		ring_source_seat(source, ring_meta_group(board->meta), UINT64_MAX);

	thread->fact.state = JOB_THREAD_IN_CALL;
	thread->fact.op = board->index;
	if (seat)
		thread->group_key = seat->group.key;
	if (traits_of(board) & CALL_LAUNCHES)
		threads_group_end(source, tid, board, thread);
	if (traits_of(board) & CALL_TEXT)
		thread->fact.detail = ring_source_text(source, (uint32_t)board->sig);
}

/*
 * Returns since when a thread is where it is. One that polls writes its board each time: it polls
 * since its last other record.
 */
static uint64_t threads_since(const struct ring_source *source, const struct ring_lane_view *lane)
{
	const struct ring_lane_seen *seen;

	if (ring_meta_flags(lane->board.meta) & RING_F_POLL)
		array_for_each(&source->lanes, seen)
			if (seen->number == lane->number && seen->newest)
				return seen->newest;
	return lane->board.tsc;
}

/* Takes a thread over if it is new, or its board newer. Strings must live in the arena. */
static void find_thread(struct decode_process *process, const struct decode_thread *thread)
{
	struct decode_thread *known;

	array_for_each(&process->threads, known) {
		if (known->fact.tid != thread->fact.tid)
			continue;
		if (thread->fact.since > known->fact.since)
			*known = *thread;
		return;
	}
	*array_add(&process->threads) = *thread;
}

/*
 * True if the board shows a question to a library that a host must ask again to get on. A device
 * goes on by itself, so there one question may be all.
 */
static bool threads_must_ask(const struct ring_slot *board, const char *call)
{
	return call && (call_is_on_host(call) || ring_meta_type(board->meta) == RING_CALL_ENTER);
}

/* True if that was asked long ago: the thread is elsewhere since. */
static bool threads_asks_no_more(
	const struct ring_source *source, const struct ring_lane_view *lane, const char *call)
{
	int64_t asked = ring_source_time(source, lane->board.tsc);
	int64_t now = source->t0 == UINT64_MAX ? JOB_UNKNOWN : ring_source_time(source, source->t0);

	return threads_must_ask(&lane->board, call) && asked != JOB_UNKNOWN &&
	       now != JOB_UNKNOWN && now - asked > ASKED_LAST;
}

/*
 * True if it is not known whether the thread asks any more, since the time of the ring's reading is
 * not told.
 */
static bool threads_may_ask_no_more(
	const struct ring_source *source, const struct ring_slot *board, const char *call)
{
	return source->t0 == UINT64_MAX && threads_must_ask(board, call);
}

/* Makes a thread of a board. A torn board leaves the state unknown, and the thread is listed. */
static void threads_take(struct ring_source *source, const struct ring_lane_view *lane)
{
	const struct ring_slot *board = &lane->board;
	const char *call = ring_call_name(ring_meta_arg(board->meta));
	unsigned type = ring_meta_type(board->meta);
	bool polls = (type == RING_WAIT_ENTER || type == RING_CALL_ENTER) &&
		     (ring_meta_flags(board->meta) & RING_F_POLL);
	struct decode_thread thread = {.fact = {
		.tid = lane->tid,
		.name = arena_text_max(&source->context->arena, lane->name, sizeof(lane->name)),
		.call = "",
		.detail = "",
		.since = JOB_UNKNOWN,
		.cite = ring_source_cite(source, "lane%u", lane->number),
	}};

	if (lane->board_state > 0)
		thread.fact.since = ring_source_time(source, threads_since(source, lane));
	if (lane->board_state == 0 || (lane->board_state > 0 && type == RING_IDLE))
		thread.fact.state = JOB_THREAD_OUTSIDE;
	else if (lane->board_state > 0 && type == RING_WAIT_ENTER)
		threads_wait(source, board, &thread);
	else if (lane->board_state > 0 && type == RING_CALL_ENTER)
		threads_call(source, lane->tid, board, &thread);
	/* Newer than T0: it moved on while we looked, so it is not stuck, wherever it is. */
	if (lane->board_state > 0 && (polls ? threads_may_ask_no_more(source, board, call)
					    : board->tsc > source->t0)) {
		thread.fact.state = JOB_THREAD_UNKNOWN;
		thread.group_key = thread.fact.op = thread.fact.stream = thread.fact.ops = 0;
		thread.fact.detail = "";
	} else if (polls && lane->board_state > 0 && threads_asks_no_more(source, lane, call)) {
		thread.fact.state = JOB_THREAD_OUTSIDE;
		thread.fact.since = ring_source_time(source, board->tsc);
		thread.group_key = thread.fact.op = thread.fact.stream = thread.fact.ops = 0;
	} else if (type != RING_IDLE && lane->board_state > 0) {
		thread.fact.call = call ? call : "a call of a newer probe";
	}
	find_thread(source->process, &thread);
}

void ring_decode_threads(struct ring_source *source)
{
	uint64_t lanes = ring_view_count(&source->view, RING_S_LANES);

	for (uint64_t i = 0; i < lanes; i++) {
		struct ring_lane_view lane;

		if (ring_view_lane(&source->view, i, &lane) == 0 && lane.claimed &&
			!lane.overflow && lane.tid)
			threads_take(source, &lane);
	}
}
