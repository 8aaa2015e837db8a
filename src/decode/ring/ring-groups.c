/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups: each entry of the table is a seat with its history of ops.
 *
 * An op is known from the group's own history (the first ones, powers of two, the last 64), and
 * from the lanes for the last ops_wanted(). The head at T0 is the last op entered before T0: the
 * table's count if its newest record is no newer, else found by walking the history back.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "decode/ring/ring-source.h"
#include "job/backends.h"

#define OPS_FROM_LANES 1024	  /* at least of each seat, */
#define OPS_OF_A_JOB   (64 * 1024) /* more if few rings are asked for so many together, */
#define OPS_AT_MOST    4096	  /* but no more than this */
#define STREAM_UNKNOWN UINT64_MAX /* the probe's word for "not known which"; the model's is 0 */

/* --- Heads ----------------------------------------------------------------------------------- */

/* Walks back from the newest op to the last one entered before T0. False if none is known. */
static bool head_walk(const struct ring_source *source, const struct ring_group *group,
	uint64_t *ret_head, uint64_t *ret_zeros)
{
	uint64_t index = group->op_index;

	for (unsigned steps = 0; index && steps < RING_LAST; steps++, index--) {
		struct ring_slot slot;

		if (ring_group_op(group, index, &slot) < 0)
			continue;
		if (slot.tsc <= source->t0) {
			*ret_head = index;
			*ret_zeros = ring_meta_arg(slot.meta);
			return true;
		}
	}
	*ret_head = index;
	*ret_zeros = 0;
	return index == 0;
}

/* Finds the last op entered before T0; it is not known if T0 lies further back than the history. */
static void groups_head(const struct ring_source *source, struct ring_seat *seat,
	struct job_member *member)
{
	const struct ring_group *group = &seat->group;
	struct ring_slot board;

	member->head = group->op_index;
	member->zeros = group->zero_counts;
	member->head_known = true;
	if (ring_board_read(group->enqueue, &board) > 0 && board.tsc > source->t0)
		member->head_known = head_walk(source, group, &member->head, &member->zeros);
	if (!member->head_known)
		member->head = 0;
	seat->head = member->head;
}

/*
 * True if the end of this group's ops is told, by its library or a device. An abort ends what is
 * open on a device, even if a rank has not come to it: that it is over there tells nothing.
 */
static bool groups_are_followed(const struct ring_source *source, const struct ring_group *group)
{
	if (group->state & RING_G_HOST_DONE)
		return true;
	return !(group->state & RING_G_ABORTED) &&
	       ((group->state & RING_G_KERNELS) || source->view.header.completion);
}

/* Returns up to which op the end was told; the larger of its two words counts. */
static uint64_t groups_done_upto(const struct ring_group *group)
{
	struct ring_slot board;
	uint64_t done = group->completed_word;

	if (ring_board_read(group->complete, &board) > 0 && board.index > done)
		done = board.index;
	return done;
}

/* Finds up to which op the device has begun: told with each op's end, so one not told has not. */
static void groups_begun(const struct ring_group *group, struct job_member *member)
{
	if (!(group->state & RING_G_KERNELS))
		return;
	member->begun_known = true;
	member->begun = group->begun_word < member->head ? group->begun_word : member->head;
}

/* Finds up to which op the group's ops are done. */
static void groups_done(const struct ring_source *source, const struct ring_group *group,
	struct job_member *member)
{
	if (!groups_are_followed(source, group))
		return;
	/* Ops that were not followed may be done untold: only what is done is known. */
	member->done_known = !source->view.header.losses.completions;
	member->done = groups_done_upto(group);
	if (member->done > member->head)
		member->done = member->head;
}

/* --- Members --------------------------------------------------------------------------------- */

/* Returns a seat's state, which only goes forward, so the latest flag that is set tells it. */
static enum job_member_state groups_state(const struct ring_group *group)
{
	if (group->state & (RING_G_DESTROYED | RING_G_ABORTED))
		return JOB_MEMBER_GONE;
	if (group->state & RING_G_FINALIZED)
		return JOB_MEMBER_CLOSING;
	/* The return of a non-blocking init tells nothing, but ops can only follow readiness. */
	if ((group->state & RING_G_READY) || group->ready_tsc || group->op_index)
		return JOB_MEMBER_READY;
	return JOB_MEMBER_IN_INIT;
}

/* Adds the member that a seat is. */
static void groups_member(struct ring_source *source, struct ring_seat *seat)
{
	const struct ring_group *group = &seat->group;
	const char *cite = ring_source_cite(source, "g%u", seat->number);
	const struct job_group fact = {
		.key = group->key,
		.alias = group->alias,
		.parent = group->parent,
		.name = ring_source_text(source, group->name),
		.maker = backend_name(group->maker),
		.ranks = ring_source_text(source, (uint32_t)group->ranks),
		.size = group->size,
		.cite = cite,
	};
	struct job_member member = job_member_unknown;

	member.seat = group_rank(group->rank);
	member.state = groups_state(group);
	member.aborted = (group->state & RING_G_ABORTED) != 0;
	member.nonblocking = (group->state & RING_G_NONBLOCKING) != 0;
	member.from_any = (group->state & RING_G_FROM_ANY) != 0;
	member.unordered = (group->state & RING_G_UNORDERED) != 0;
	member.saw_capture = (group->state & RING_G_SAW_CAPTURE) != 0;
	member.init_since = ring_source_time(source, group->init_tsc);
	member.ready_at = ring_source_time(source, group->ready_tsc);
	member.splits = group->splits;
	if (group->timeout_ns && group->timeout_ns < INT64_MAX)
		member.timeout = (int64_t)group->timeout_ns;
	member.cite = cite;
	groups_head(source, seat, &member);
	groups_done(source, group, &member);
	groups_begun(group, &member);
	job_add_member(source->builder, source->who, &fact, &member);
	ring_source_lose(source, "ops of a group that were counted, not recorded", group->missed,
		true);
}

/* --- Ops ------------------------------------------------------------------------------------- */

/* Adds an op, with what the caller knows `more` of it. */
static void ops_add(struct ring_source *source, const struct ring_seat *seat,
	const struct ring_slot *slot, const struct job_op *more)
{
	unsigned flags = ring_meta_flags(slot->meta);
	struct job_op_seen *seen = array_add(&source->seen);

	seen->group_key = seat->group.key;
	seen->seat = group_rank(seat->group.rank);
	seen->fact = *more;
	seen->fact.order = slot->tsc;
	seen->fact.index = slot->index;
	seen->fact.sig = ring_source_sig(slot);
	seen->fact.entered = ring_source_time(source, slot->tsc);
	seen->fact.stream = slot->aux == STREAM_UNKNOWN ? 0 : slot->aux;
	seen->fact.launch = flags & RING_F_GROUPED ? slot->tsc : 0;
	seen->fact.thread = JOB_NONE;
	seen->fact.captured = (flags & RING_F_CAPTURED) != 0;
	seen->fact.failed = (flags & RING_F_FAILED) != 0;
	if (seen->fact.captured)
		seen->fact.completed = JOB_MAYBE;
}

/*
 * Returns whether an op is done. Where every end is told, an op whose end is not told is not done.
 * The end of a send or receive is told only to a thread that waits for it: one that is not waited
 * for yet may be done.
 */
static enum job_known ops_done(const struct ring_source *source, const struct ring_group *group,
	uint64_t nth, uint64_t done, bool p2p)
{
	if (!groups_are_followed(source, group))
		return JOB_MAYBE;
	if (nth <= done)
		return JOB_YES;
	if (source->view.header.losses.completions)
		return JOB_MAYBE;
	return p2p && (group->state & (RING_G_HOST_DONE | RING_G_KERNELS)) ? JOB_MAYBE : JOB_NO;
}

/*
 * False for an op that has left the last 64: it has returned, since others came after it on this
 * seat.
 */
static bool ops_is_recent(const struct ring_seat *seat, uint64_t index)
{
	return index + RING_LAST > seat->group.op_index;
}

/*
 * Tells of the last op that its record is of that lane: the thread that owns it; none for a lane
 * that was not read, and for the shared overflow lane.
 */
static void ops_are_of(struct ring_source *source, uint32_t lane)
{
	struct job_op_seen *op = &source->seen.items[source->seen.nr - 1];
	const struct ring_lane_seen *seen;

	op->tid = 0;
	array_for_each(&source->lanes, seen) {
		if (seen->number != lane)
			continue;
		op->tid = seen->tid;
		op->fact.tid = seen->handed_on ? 0 : seen->tid;
		return;
	}
}

#define PARTS 64 /* the most seats for which an op's parts are recorded */

/* Notes what one record tells of up to four seats. */
static void parts_take(const struct ring_slot *slot, uint64_t *parts, uint32_t size, uint32_t *n)
{
	const uint64_t words[] = {slot->count, slot->sig, slot->aux, slot->more};

	for (uint32_t i = 0; i < 4; i++) {
		uint64_t at = (uint64_t)ring_meta_arg(slot->meta) + i;

		if (at >= size)
			break;
		parts[at] = words[i];
		(*n)++;
	}
}

/*
 * Returns what an op gave each seat and awaited from it, as the model has it; "" if not all is
 * known.
 */
static const char *ops_parts(
	const struct ring_source *source, const struct ring_seat *seat, uint64_t index)
{
	uint64_t parts[PARTS];
	uint32_t size = seat->group.size, n = 0;
	const struct ring_note_seen *note;
	struct str text = {0};
	const char *told = "";

	array_for_each(&source->parts.all, note)
		if (size <= PARTS && note->slot.index == index &&
			ring_meta_group(note->slot.meta) == seat->number &&
			note->slot.tsc >= seat->group.init_tsc)
			parts_take(&note->slot, parts, size, &n);
	for (uint32_t i = 0; n == size && i < size; i++)
		str_printf(&text, "%s%u:%u", i ? "," : "", (unsigned)parts[i],
			(unsigned)(parts[i] >> 32));
	if (text.len)
		told = arena_text(&source->context->arena, str_text(&text));
	str_release(&text);
	return told;
}

/* Adds an op of the seat's own history, if it is still there. */
static void ops_of_history(struct ring_source *source, const struct ring_seat *seat, uint64_t index)
{
	struct job_op more = {0};
	struct ring_slot slot;

	if (ring_group_op(&seat->group, index, &slot) < 0 || slot.tsc > source->t0)
		return;
	more.hash = slot.more;
	more.zeros = ring_meta_arg(slot.meta);
	more.returned = ring_meta_flags(slot.meta) & RING_F_RETURNED || !ops_is_recent(seat, index)
				? JOB_YES
				: JOB_NO;
	more.completed = ops_done(
		source, &seat->group, index, groups_done_upto(&seat->group), false);
	more.cite = ring_source_cite(source, "g%u:%llu", seat->number, (unsigned long long)index);
	if (slot.count == JOB_NO_COUNT)
		more.parts = ops_parts(source, seat, index);
	ops_add(source, seat, &slot, &more);
	ops_are_of(source, ring_meta_group(slot.meta));
}

/* Adds the ops that the seat's own history keeps, each once. */
static void ops_of_seat(struct ring_source *source, const struct ring_seat *seat)
{
	uint64_t head = seat->head;
	uint64_t last = head > RING_LAST ? head - RING_LAST + 1 : 1;

	for (uint64_t index = 1; index < last && index <= RING_FIRST; index++)
		ops_of_history(source, seat, index);
	for (unsigned log2 = 3; log2 < RING_POW2 && 1ull << log2 < last; log2++)
		ops_of_history(source, seat, 1ull << log2);
	for (uint64_t index = last; index <= head; index++)
		ops_of_history(source, seat, index);
}

/*
 * Takes a message's tag, and its number among those of that tag: known if no receive of the seat
 * ever took any tag.
 */
static void take_tag(
	const struct ring_group *group, const struct ring_slot *slot, struct job_op *into)
{
	if (!(ring_meta_flags(slot->meta) & RING_F_TAGGED) || slot->more == RING_TAG_ANY ||
		group->state & RING_G_ANY_TAG || !ring_meta_arg(slot->meta))
		return;
	into->tagged = true;
	into->tag = slot->more;
	into->turn = ring_meta_arg(slot->meta);
}

/* Adds the seat's last sends and receives. */
static void ops_of_p2p(struct ring_source *source, const struct ring_seat *seat)
{
	uint64_t count = seat->group.p2p_count;
	uint64_t n = count > RING_P2P ? count - RING_P2P + 1 : 1;

	for (; n && n <= count; n++) {
		struct job_op more = {.zeros = 0};
		struct ring_slot slot;

		if (ring_group_p2p(&seat->group, n, &slot) < 0 || slot.tsc > source->t0)
			continue;
		more.returned = ring_meta_flags(slot.meta) & RING_F_RETURNED ? JOB_YES : JOB_NO;
		more.completed = ops_done(
			source, &seat->group, n, seat->group.completed_p2p, true);
		take_tag(&seat->group, &slot, &more);
		more.cite = ring_source_cite(
			source, "g%u:p%llu", seat->number, (unsigned long long)n);
		ops_add(source, seat, &slot, &more);
		ops_are_of(source, ring_meta_group(slot.meta));
	}
}

/*
 * Returns how many of a seat's last ops are sought in the lanes. What a rank did long ago still
 * tells of data that are wrong, but what many ranks did is more than a look has time for.
 */
static uint64_t ops_wanted(const struct decode_context *context)
{
	uint64_t each = context->rings ? OPS_OF_A_JOB / context->rings : 0;

	if (each > OPS_AT_MOST)
		return OPS_AT_MOST;
	return each > OPS_FROM_LANES ? each : OPS_FROM_LANES;
}

/*
 * Adds ops that only the lanes still have: older than the history's last, newer than it is worth.
 */
static void ops_of_lanes(struct ring_source *source)
{
	const uint64_t wanted = ops_wanted(source->context);
	const struct ring_note_seen *note;

	array_for_each(&source->ops.all, note) {
		const struct ring_seat *seat = ring_source_seat(
			source, ring_meta_group(note->slot.meta), note->slot.tsc);
		uint64_t index = note->slot.index;
		struct job_op more = {.returned = JOB_YES};
		struct ring_slot slot;

		if (!seat || index > seat->head || index + wanted <= seat->head ||
			ring_group_op(&seat->group, index, &slot) == 0)
			continue;
		more.completed = ops_done(
			source, &seat->group, index, groups_done_upto(&seat->group), false);
		more.cite = ring_source_cite(source, "lane%u:%llu", note->lane,
			(unsigned long long)note->ticket);
		ops_add(source, seat, &note->slot, &more);
		ops_are_of(source, note->lane);
	}
}

static int seen_compare(const void *va, const void *vb)
{
	const struct job_op_seen *a = va, *b = vb;

	if (a->fact.order != b->fact.order)
		return a->fact.order < b->fact.order ? -1 : 1;
	if (a->group_key != b->group_key)
		return a->group_key < b->group_key ? -1 : 1;
	return (a->fact.index > b->fact.index) - (a->fact.index < b->fact.index);
}

/* Numbers the launches of this process over all its groups, and gives the ops to the builder. */
static void ops_give(struct ring_source *source)
{
	const struct job_op_seen *op;
	uint64_t order = 0, launch = 0;

	array_sort(&source->seen, seen_compare);
	array_for_each(&source->seen, op) {
		struct job_op fact = op->fact;

		if (!op->fact.launch || op->fact.launch != launch)
			order++;
		launch = op->fact.launch;
		fact.order = order;
		job_add_op(source->builder, source->who, op->group_key, op->seat, &fact,
			op->tid);
	}
}

/* Notes if completion is known of all that this process takes part in. */
static void groups_know(struct ring_source *source)
{
	struct ring_seat *seat;
	bool all = source->seats.nr > 0;

	array_for_each(&source->seats, seat)
		all &= groups_are_followed(source, &seat->group);
	if (all)
		source->process->identity.knows |= JOB_KNOWS_COMPLETION;
}

/* --- All of it ------------------------------------------------------------------------------- */

void ring_decode_groups(struct ring_source *source)
{
	uint64_t groups = ring_view_groups(&source->view);
	uint64_t torn = 0;

	for (uint64_t i = 0; i < groups; i++) {
		struct ring_group group;
		int state = ring_view_group(&source->view, i, &group);

		torn += state < 0;
		if (state != 1 || group.init_tsc > source->t0)
			continue;
		*array_add(&source->seats) =
			(struct ring_seat){.number = (uint32_t)i, .group = group};
		groups_member(source, &source->seats.items[source->seats.nr - 1]);
	}
	for (size_t i = 0; i < source->seats.nr; i++) {
		ops_of_seat(source, &source->seats.items[i]);
		ops_of_p2p(source, &source->seats.items[i]);
	}
	ops_of_lanes(source);
	ops_give(source);
	groups_know(source);
	ring_source_lose(source, "groups that were just being made", torn, true);
}
