/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds how far each seat came: the last collective that it entered, and up to which all are
 * complete.
 *
 * If the group's status counts collectives only, it tells; what entries say beyond it was made just
 * now. Else entries tell: the newest one in the group says how many collectives there were before
 * it, whatever it is itself. A dump that was cut has lost its newest ones.
 *
 * A whole dump without any word of a group tells that nothing was made there: else the group's
 * status would be there, and each status that is there is of a group that is known.
 *
 * If a backend's operations retire, only entries count (decode-flight.h). An op that is over there
 * is complete if the rank went on to anything later, if a peer in it did, or if all members came to
 * the same op. It failed if they came to different ones, or if one had long not come when its dump
 * was written. Else nothing tells.
 *
 * OUTDATED. A collective that some rank completed has been entered by all. So a dump that says
 * otherwise is older than that: it tells of the past, and what it lacks proves nothing. So is one
 * whose file was written before others entered what it lacks, or saw complete what it has open.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "decode/flight/decode-flight.h"
#include "job/backends.h"
#include "job/names.h"

/* Clocks of nodes may be apart by that much, ns. */
#define CLOCKS_APART CLOCK_NS_PER_S
/*
 * A member that has not come for so long, ns, is why the others, who were in it, gave up. A dump is
 * written some time after what it holds was true.
 */
#define GIVEN_UP (60 * CLOCK_NS_PER_S)

/* -- parts of one launch ----------------------------------------------------------------------- */

static uint64_t add_counts(uint64_t a, uint64_t b)
{
	return a == JOB_NO_COUNT || b == JOB_NO_COUNT || a + b < a ? JOB_NO_COUNT : a + b;
}

/*
 * Joins collectives with one number, list[from, to), as parts of one launch. The first stands for
 * all: its count is theirs, and the entry at the launch's end tells whether it is complete. Without
 * that the launch is under way, or its end was left out since it is complete: it is complete unless
 * it is the newest. What it is and how much is not known then: the end says it, and more may
 * follow. Neither is how much, if parts may be overwritten, since the first thing in the dump is of
 * it, or lost otherwise.
 */
static void join_parts(const struct flight_rank *rank, struct flight_op *const *list, size_t from,
	size_t to, bool newest)
{
	struct flight_op *first = list[from];
	const struct flight_op *end = NULL;

	for (size_t i = from; i < to; i++)
		if (list[i]->end)
			end = list[i];
	if (first->end && to - from > 1)
		first = list[from + 1];
	for (size_t i = from; i < to; i++) {
		struct flight_op *part = list[i];

		if (part == first)
			continue;
		part->skip = true;
		if (!part->end)
			first->sig.count = add_counts(first->sig.count, part->sig.count);
		else if (part->sig.op != JOB_OP_OTHER)
			first->sig.op = part->sig.op;
	}
	if ((end || to - from > 1) &&
		(rank->cut || (!rank->from_start && list[from] == rank->ops.items)))
		first->sig.count = JOB_NO_COUNT;
	if (end) {
		first->complete = end->complete;
		first->began = end->began;
		first->unsaid = end->unsaid;
	} else if (to - from > 1) {
		first->complete = !newest;
		first->unsaid = false;
		first->untold = true;
	}
}

static int compare_collectives(const void *va, const void *vb)
{
	const struct flight_op *a = *(struct flight_op *const *)va;
	const struct flight_op *b = *(struct flight_op *const *)vb;

	if (a->seat != b->seat)
		return a->seat < b->seat ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return a->record < b->record ? -1 : a->record > b->record;
}

/* Lists the rank's collectives by seat and number, each number once; returns how many are left. */
static size_t list_collectives(struct flight_rank *rank, struct flight_op **list)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < rank->ops.nr; i++)
		if (!rank->ops.items[i].p2p && rank->ops.items[i].seq > 0 &&
			!rank->unnumbered)
			list[n++] = &rank->ops.items[i];
	array_sort_items(list, n, sizeof(*list), compare_collectives);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && list[to]->seat == list[from]->seat &&
				    list[to]->seq == list[from]->seq;
			to++)
			;
		join_parts(rank, list, from, to, to == n || list[to]->seat != list[from]->seat);
		for (size_t i = from; i < to; i++)
			if (!list[i]->skip)
				list[kept++] = list[i];
	}
	return kept;
}

/* -- one seat ---------------------------------------------------------------------------------- */

static uint64_t count_from(int64_t told)
{
	return told < 0 ? 0 : (uint64_t)told;
}

static bool retires(const struct flights *flights, const struct flight_seat *seat)
{
	return backend_has(flights->groups.items[seat->group].maker, BACKEND_RETIRES);
}

/*
 * True if the group's status tells of its collectives, and of nothing else. If more is complete
 * than was handed over, one of the two is a message's number.
 */
static bool tells_by_status(const struct flights *flights, const struct flight_rank *rank,
	const struct flight_seat *seat)
{
	const struct flight_union *group = &flights->groups.items[seat->group];

	return seat->status && seat->status->enqueued != FLIGHT_UNKNOWN &&
	       seat->status->completed <= seat->status->enqueued && !group->has_p2p &&
	       !retires(flights, seat) && (*group->maker || rank->counts_well);
}

/* Finds the last collective that a seat entered. */
static void find_head(
	const struct flights *flights, const struct flight_rank *rank, struct flight_seat *seat)
{
	if (tells_by_status(flights, rank, seat)) {
		seat->head = count_from(seat->status->enqueued);
		seat->head_known = true;
	} else if (seat->newest >= 0 && !rank->cut) {
		seat->head_known = true;
	} else {
		seat->head_known = rank->has_statuses && !seat->status && !rank->unplaced &&
				   !rank->cut && !seat->entries && !rank->overwritten;
	}
	if (seat->head_known && seat->newest > 0 && (uint64_t)seat->newest > seat->head)
		seat->head = (uint64_t)seat->newest;
}

/* Finds up to which a seat's collectives are complete; they are list[from, to), by number. */
static void find_done(const struct flights *flights, const struct flight_rank *rank,
	struct flight_seat *seat, struct flight_op *const *list, size_t from, size_t to)
{
	bool by_status =
		tells_by_status(flights, rank, seat) && seat->status->completed != FLIGHT_UNKNOWN;

	seat->done_known = seat->head_known;
	if (!seat->done_known)
		return;
	seat->done = by_status ? count_from(seat->status->completed) : seat->head;
	for (size_t i = from; i < to; i++) {
		uint64_t seq = (uint64_t)list[i]->seq;

		if (by_status && seq == seat->done + 1 && list[i]->complete)
			seat->done = seq;
		if (!by_status && !list[i]->complete && seq <= seat->done)
			seat->done = seq - 1;
	}
	if (seat->done > seat->head)
		seat->done = seat->head;
	for (size_t i = from; i < to && !by_status; i++)
		if (list[i]->unsaid && (uint64_t)list[i]->seq == seat->done + 1)
			seat->done_known = false;
}

/* True if the rank notes when ops begin, and its first open op has an entry. */
static bool tells_begun(const struct flights *flights, const struct flight_rank *rank,
	const struct flight_seat *seat, struct flight_op *const *list, size_t from, size_t to)
{
	if (!rank->times || !seat->done_known || retires(flights, seat))
		return false;
	for (size_t i = from; i < to && seat->head > seat->done; i++)
		if ((uint64_t)list[i]->seq == seat->done + 1)
			return true;
	return seat->head == seat->done;
}

/*
 * Finds up to which op the rank's device has begun: by the status if that tells it, else by
 * entries.
 */
static void find_begun(const struct flights *flights, const struct flight_rank *rank,
	struct flight_seat *seat, struct flight_op *const *list, size_t from, size_t to)
{
	bool by_entries = tells_begun(flights, rank, seat, list, from, to);
	bool by_status = seat->done_known && tells_by_status(flights, rank, seat) &&
			 seat->status->started >= 0;

	seat->begun_known = by_entries || by_status;
	seat->begun = by_status ? (uint64_t)seat->status->started : seat->done;
	for (size_t i = from; i < to && seat->begun_known; i++)
		if (list[i]->began && (uint64_t)list[i]->seq > seat->begun)
			seat->begun = (uint64_t)list[i]->seq;
}

/* True if another entry is a part of the same launch. */
static bool is_part_of(const struct flight_op *other, const struct flight_op *op)
{
	return other->seat == op->seat && other->seq == op->seq && !other->p2p;
}

/* So many entries behind an op are asked for its thread. */
#define ASKED_BEHIND 4096

/*
 * True if the thread that made the op has an entry behind it that is no part of the same launch;
 * any thread, where dumps do not tell which made what.
 */
static bool went_on(const struct flight_rank *rank, const struct flight_op *op)
{
	const struct flight_op *end = rank->ops.items + rank->ops.nr;

	for (const struct flight_op *at = op + 1; at < end && at - op <= ASKED_BEHIND; at++)
		if (!is_part_of(at, op) &&
			(!op->thread || !at->thread || at->thread == op->thread))
			return true;
	return false;
}

/*
 * True for an op that the host recorded and never handed over, while it went on to others: recorded
 * into a graph. No thread waits for it. That other threads of the rank go on tells nothing: the one
 * that made the op may be held in its call. But where the op before was recorded into a graph, this
 * one was. `before`: that one, of the same seat; NULL none.
 */
static bool was_captured(const struct flights *flights, const struct flight_rank *rank,
	const struct flight_seat *seat, const struct flight_op *op, const struct flight_op *before)
{
	return tells_by_status(flights, rank, seat) && op->seq > seat->status->enqueued &&
	       !op->complete && op + 1 < rank->ops.items + rank->ops.nr &&
	       (went_on(rank, op) || (before && before->captured));
}

/*
 * True for the last thing in a dump that may be the first part of a launch: it was not handed over
 * yet, or the dump is cut behind it.
 */
static bool may_go_on(const struct flights *flights, const struct flight_rank *rank,
	const struct flight_seat *seat, const struct flight_op *op)
{
	return !op->end && !op->complete && op == &rank->ops.items[rank->ops.nr - 1] &&
	       (rank->cut || (tells_by_status(flights, rank, seat) &&
				     op->seq > seat->status->enqueued));
}

/* Sets what is known of the seat's ops by now. */
static void settle_ops(const struct flights *flights, const struct flight_rank *rank,
	struct flight_seat *seat, struct flight_op *const *list, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		struct flight_op *op = list[i];

		op->index = (uint64_t)op->seq;
		op->untold |= may_go_on(flights, rank, seat, op);
		if (was_captured(flights, rank, seat, op, i > from ? list[i - 1] : NULL))
			op->captured = true;
		else if (seat->done_known)
			op->complete = op->index <= seat->done;
		op->unsaid &= !seat->done_known;
	}
}

/*
 * True if the rank may wait in the group, of which its dump has lost all entries, or their numbers:
 * no status counts its collectives, and none says that the last op is complete.
 */
static bool is_forgotten(const struct flight_rank *rank, const struct flight_seat *seat)
{
	const struct flight_status *status = seat->status;

	return (rank->has_entries || status) && !rank->unnumbered &&
	       (!rank->from_start || seat->entries) && seat->told &&
	       !seat->left && !seat->head_known && seat->newest < 0 &&
	       !(status && status->enqueued != FLIGHT_UNKNOWN &&
		       status->enqueued == status->completed);
}

/* Finds what a rank's own dump tells of all its seats. */
static void look_at_rank(const struct flights *flights, struct flight_rank *rank)
{
	struct flight_op **list =
		arena_new_many(&rank->arena, struct flight_op *, rank->ops.nr + 1);
	size_t n = list_collectives(rank, list), from = 0;

	rank->collectives = list;
	for (size_t i = 0; i < rank->seats.nr; i++) {
		struct flight_seat *seat = &rank->seats.items[i];
		size_t to = from;

		while (to < n && list[to]->seat == i)
			to++;
		find_head(flights, rank, seat);
		find_done(flights, rank, seat, list, from, to);
		find_begun(flights, rank, seat, list, from, to);
		settle_ops(flights, rank, seat, list, from, to);
		rank->forgotten |= is_forgotten(rank, seat);
		seat->from = from;
		seat->to = to;
		from = to;
	}
	for (size_t i = 0; i < rank->ops.nr; i++)
		rank->unstated |= rank->ops.items[i].unsaid && !rank->ops.items[i].skip;
}

/* -- what is retired: complete, or failed ------------------------------------------------------ */

/* How the members of a group stand to one op that is over. */
struct meeting {
	size_t came;
	bool differs; /* some did another op there */
	bool stood;   /* one had not come when its dump was written, long after it */
	bool lacks;   /* one had not come, but its dump may be too early */
	bool passed;  /* one completed it: it went on to others there */
};

/* Returns the collective of that number; NULL if the dump has no entry of it. */
static const struct flight_op *find_op(
	const struct flight_rank *rank, const struct flight_seat *seat, uint64_t index)
{
	for (size_t i = seat->from; i < seat->to; i++)
		if (rank->collectives[i]->index == index)
			return rank->collectives[i];
	return NULL;
}

static bool same_sig(const struct job_sig *a, const struct job_sig *b)
{
	return a->op == b->op && a->count == b->count && a->dtype == b->dtype;
}

/* Adds how one seat stands to the op; `created`: when the op was made, by the common clock. */
static void meet(const struct flight_rank *rank, const struct flight_seat *seat,
	const struct flight_op *op, int64_t created, struct meeting *m)
{
	const struct flight_op *theirs = find_op(rank, seat, op->index);

	if (!seat->head_known)
		return;
	m->came += seat->head >= op->index;
	m->passed |= seat->head > op->index && seat->done_known && seat->done >= op->index &&
		     !job_op_is_rooted(op->sig.op);
	m->differs |= theirs && !same_sig(&theirs->sig, &op->sig);
	if (seat->head >= op->index)
		return;
	if (rank->seen != JOB_UNKNOWN && created != JOB_UNKNOWN &&
		flight_to_common(rank, rank->seen) - created > GIVEN_UP)
		m->stood = true;
	else
		m->lacks = true;
}

/* Judges what became of the rank's last op, which is over. */
static void judge_last(const struct flights *flights, struct flight_rank *rank,
	struct flight_seat *seat, struct flight_op *op)
{
	const struct flight_union *group = &flights->groups.items[seat->group];
	struct meeting m = {0};

	for (size_t i = 0; i < flights->ranks.nr; i++)
		for (size_t k = 0; k < flights->ranks.items[i].seats.nr; k++)
			if (flights->ranks.items[i].seats.items[k].group == seat->group)
				meet(&flights->ranks.items[i],
					&flights->ranks.items[i].seats.items[k], op,
					flight_to_common(rank, op->created), &m);
	if (m.differs || m.stood) {
		op->complete = false;
		seat->done = op->index - 1;
		rank->timed_out = true;
	} else if (!m.lacks && !m.passed && (!group->sized || m.came < group->size)) {
		op->unsaid = true;
		seat->done_known = false;
	}
}

/* Judges the last ops of all ranks whose backend's ops retire. */
static void judge_lasts(struct flights *flights)
{
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];
		struct flight_op *op = rank->ops.nr ? &rank->ops.items[rank->ops.nr - 1] : NULL;
		struct flight_seat *seat = op ? &rank->seats.items[op->seat] : NULL;

		if (op && !op->p2p && !op->skip && op->retired && op->complete &&
			seat->done_known && retires(flights, seat))
			judge_last(flights, rank, seat, op);
	}
	/* Of a rank that gave up it is not known how long it had waited. */
	for (size_t i = 0; i < flights->ranks.nr; i++)
		if (flights->ranks.items[i].timed_out)
			flights->ranks.items[i].seen = JOB_UNKNOWN;
}

/* -- outdated dumps ---------------------------------------------------------------------------- */

/*
 * Returns the collective that all others have entered, which a member proves by completing it; 0
 * none.
 */
static uint64_t proves(const struct flight_rank *rank, uint32_t at)
{
	const struct flight_seat *seat = &rank->seats.items[at];

	if (!seat->done_known || !seat->done)
		return 0;
	for (size_t i = rank->ops.nr; i-- > 0;) {
		const struct flight_op *op = &rank->ops.items[i];

		if (op->seat != at || op->skip || op->p2p || op->index != seat->done)
			continue;
		/*
		 * A root may be done with its part before others come; other ranks before the root
		 * is.
		 */
		return job_op_is_rooted(op->sig.op) || !op->sig.count ? 0 : seat->done;
	}
	return seat->done;
}

/* How far a group's members came. */
struct front {
	uint64_t done;	 /* the furthest that a member proves complete */
	int64_t ended;	 /* when the first one saw that complete, by the common clock */
	int64_t proved;	 /* when the first dump was made that proves it, by that clock */
	uint64_t open;	 /* the furthest that a member waits in first; 0 none */
	int64_t entered; /* when the first one came to that, by the common clock */
};

/* True if the file was written before the first rank entered an op beyond this seat's. */
static bool was_before(const struct flight_rank *rank, const struct flight_seat *seat,
	const struct front *front)
{
	int64_t seen = flight_to_common(rank, rank->seen);

	return seen != JOB_UNKNOWN && front->entered != JOB_UNKNOWN && seat->head_known &&
	       seat->head < front->open && seen < front->entered - CLOCKS_APART;
}

/*
 * True if the file was written before any member saw complete what this seat has open. What was
 * seen complete at that very time may be so for this seat a moment later. If no dump tells when it
 * was, a file is older that was written long before all those that prove it.
 */
static bool was_before_its_end(const struct flight_rank *rank, const struct flight_seat *seat,
	const struct front *front)
{
	int64_t seen = flight_to_common(rank, rank->seen);

	if (seen == JOB_UNKNOWN || !seat->done_known || seat->done >= front->done)
		return false;
	if (front->ended != JOB_UNKNOWN)
		return seen < front->ended + CLOCKS_APART;
	return front->proved != JOB_UNKNOWN && seen < front->proved - FLIGHT_DUMPS_TAKE;
}

static int64_t earlier_of(int64_t a, int64_t b)
{
	return a == JOB_UNKNOWN || (b != JOB_UNKNOWN && b < a) ? b : a;
}

/* Notes that the rank proves an op of its seat complete. */
static void take_done(
	const struct flight_rank *rank, uint32_t at, uint64_t done, struct front *front)
{
	const struct flight_op *op;
	int64_t ended = JOB_UNKNOWN;

	if (!done || done < front->done)
		return;
	op = find_op(rank, &rank->seats.items[at], done);
	if (op && op->took_ms && op->created != JOB_UNKNOWN)
		ended = flight_to_common(rank, op->created) +
			(int64_t)op->took_ms * CLOCK_NS_PER_MS;
	if (done > front->done)
		front->ended = front->proved = JOB_UNKNOWN;
	front->done = done;
	front->ended = earlier_of(front->ended, ended);
	front->proved = earlier_of(front->proved, flight_to_common(rank, rank->seen));
}

static void take_front(const struct flight_rank *rank, uint32_t at, struct front *front)
{
	const struct flight_seat *seat = &rank->seats.items[at];

	take_done(rank, at, proves(rank, at), front);
	if (!seat->head_known || !seat->done_known || seat->done >= seat->head)
		return;
	for (size_t i = 0; i < rank->ops.nr; i++) {
		const struct flight_op *op = &rank->ops.items[i];

		if (op->seat != at || op->skip || op->p2p || op->index <= seat->done ||
			op->index < front->open)
			continue;
		if (op->index > front->open ||
			flight_to_common(rank, op->created) < front->entered)
			front->entered = flight_to_common(rank, op->created);
		front->open = op->index;
		return;
	}
}

/* Marks dumps that lag, and those that are outdated. */
static void find_outdated(struct flights *flights)
{
	struct front *fronts = alloc_zeroed(flights->groups.nr, sizeof(*fronts));

	for (size_t i = 0; i < flights->ranks.nr; i++)
		for (size_t k = 0; k < flights->ranks.items[i].seats.nr; k++) {
			uint32_t group = flights->ranks.items[i].seats.items[k].group;

			if (flights->groups.items[group].has_collectives)
				take_front(&flights->ranks.items[i], (uint32_t)k, &fronts[group]);
		}
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];

		for (size_t k = 0; k < rank->seats.nr && !rank->outdated; k++) {
			const struct flight_seat *seat = &rank->seats.items[k];
			const struct front *front = &fronts[seat->group];

			rank->lags |= seat->done_known && seat->done < front->done;
			rank->outdated = (seat->head_known && seat->head < front->done) ||
					 was_before(rank, seat, front) ||
					 was_before_its_end(rank, seat, front);
		}
	}
	free(fronts);
}

void flight_find_heads(struct flights *flights)
{
	for (size_t i = 0; i < flights->ranks.nr; i++)
		look_at_rank(flights, &flights->ranks.items[i]);
	flight_settle_torchcomms(flights);
	judge_lasts(flights);
	find_outdated(flights);
}
