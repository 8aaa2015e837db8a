/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs sends and receives. Of one pair and direction the k-th send meets the k-th receive, but an
 * entry has no k: it is counted over all peers of its rank. If both sides have all entries since
 * they began, they are counted. Else both sides are laid against each other at the oldest one that
 * is open: a pair completes its messages in order, so all before met.
 *
 *	0, sends to 3		done done open open	0: #2 #3 #4 #5
 *	3, receives from 0	   done open		3:    #3 #4
 *
 * A small send may be complete before it is received. Then the sides are laid against each other
 * one off: it seems that they met, where one has yet to come. That is an accusation too few, never
 * one too many.
 *
 * Parts of a coalesced launch never complete by themselves (see decode-flight.h): the end's entry
 * speaks for them. If that is not there, the launch is under way, its host perhaps held inside of
 * ncclGroupEnd(), or it is complete and its end was left out or cut off: nothing is told of such,
 * and that is a loss.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/flight/decode-flight.h"
#include "job/names.h"

/* One side of a pair, in one direction. */
struct side {
	uint32_t group;
	struct group_rank from, to;
	bool sends;
	bool exact;
	bool lags, whole; /* of its rank's dump */
	uint64_t done; /* number of complete ops before the first open one */
	size_t rank;   /* index of the rank; its ops follow */
	ARRAY(struct flight_op *) ops;
};

struct pairs {
	ARRAY(struct side) sides;
};

/* -- coalesced launches ------------------------------------------------------------------------ */

static int compare_launches(const void *va, const void *vb)
{
	const struct flight_op *a = *(struct flight_op *const *)va;
	const struct flight_op *b = *(struct flight_op *const *)vb;

	if (a->seat != b->seat)
		return a->seat < b->seat ? -1 : 1;
	if (a->p2p_seq != b->p2p_seq)
		return a->p2p_seq < b->p2p_seq ? -1 : 1;
	return a->record < b->record ? -1 : a->record > b->record;
}

/*
 * True for an open message that is the last thing in a dump that is cut: it may be the first part
 * of a launch whose others and end are behind the cut, and complete.
 */
static bool is_cut_behind(const struct flight_rank *rank, const struct flight_op *op)
{
	return rank->cut && !op->end && !op->complete &&
	       op == &rank->ops.items[rank->ops.nr - 1];
}

/*
 * Settles one launch of the rank, list[from, to): its end tells of all parts. Returns false if
 * there are several, or may be, and no end.
 */
static bool settle_launch(const struct flight_rank *rank, struct flight_op **list, size_t from,
	size_t to, uint32_t launch)
{
	const struct flight_op *end = NULL;
	bool several = to - from > 1 || is_cut_behind(rank, list[from]);

	for (size_t i = from; i < to; i++)
		if (list[i]->end)
			end = list[i];
	for (size_t i = from; i < to; i++) {
		list[i]->skip |= list[i]->end || (!end && several);
		if (end)
			list[i]->complete = end->complete;
		if (to - from > 1)
			list[i]->launch = launch;
	}
	return end || !several;
}

/* True if the dump would have the end of a launch that is complete, as it has others. */
static bool keeps_ends(const struct flight_rank *rank, struct flight_op *const *list, size_t n)
{
	bool ends = false;

	for (size_t i = 0; i < n; i++)
		ends |= list[i]->end;
	return ends && !rank->active_only;
}

/*
 * True if the rank may be inside of a launch whose end is not there: this part of it is the last
 * thing in the dump, and no status counts it as handed over.
 */
static bool may_be_inside(const struct flights *flights, const struct flight_rank *rank,
	const struct flight_op *last)
{
	const struct flight_seat *seat = &rank->seats.items[last->seat];

	if (last != &rank->ops.items[rank->ops.nr - 1])
		return false;
	return !seat->status || flights->groups.items[seat->group].has_collectives ||
	       last->p2p_seq > seat->status->enqueued;
}

/* Notes what makes an open message one that nobody can be said to wait for. */
static void look_at_open(struct flight_rank *rank, const struct flight_op *op)
{
	const struct flight_seat *seat = &rank->seats.items[op->seat];
	struct group_rank me = seat->mine ? group_rank(seat->mine - 1) : seat->seat;

	rank->peerless |= !is_group_rank(op->sig.peer);
	rank->to_itself |= is_group_rank(op->sig.peer) && same_group_rank(op->sig.peer, me);
}

/* True if the rank's messages in the group name another seat of it than the rank has. */
static bool is_misnamed(const struct flight_seat *seat)
{
	return seat->list && seat->mine && is_group_rank(seat->seat) &&
	       seat->mine - 1 != seat->seat.n;
}

/* Settles the launches of a rank's sends and receives. */
static void settle_launches(const struct flights *flights, struct flight_rank *rank)
{
	struct flight_op **list = alloc_zeroed(rank->ops.nr + 1, sizeof(struct flight_op *));
	size_t n = 0;
	bool keeps;

	for (size_t i = 0; i < rank->ops.nr && !rank->torchcomms; i++)
		if (rank->ops.items[i].p2p)
			list[n++] = &rank->ops.items[i];
	array_sort_items(list, n, sizeof(struct flight_op *), compare_launches);
	keeps = keeps_ends(rank, list, n);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && list[to]->seat == list[from]->seat &&
				    list[to]->p2p_seq == list[from]->p2p_seq;
			to++)
			;
		if (!settle_launch(rank, list, from, to, (uint32_t)from + 1))
			rank->endless |= keeps || may_be_inside(flights, rank, list[to - 1]);
		/* Of a launch that is open all parts may be overwritten. */
		rank->peerless |= to - from == 1 && list[from]->end && !list[from]->complete;
	}
	for (size_t i = 0; i < n; i++)
		if (!list[i]->end && !list[i]->complete)
			look_at_open(rank, list[i]);
	free(list);
}

/* -- sides ------------------------------------------------------------------------------------- */

/* True if what is not in the dump was not made, or is complete. */
static bool tells_all(const struct flight_rank *rank)
{
	return rank->has_entries && !rank->cut && !rank->outdated;
}

/* An op with the side that it is of; `at`: its place among the rank's ops. */
struct sided {
	struct side side;
	struct flight_op *op;
	size_t at;
};

static int compare_sides(const void *va, const void *vb)
{
	const struct side *a = va, *b = vb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->from.n != b->from.n)
		return a->from.n < b->from.n ? -1 : 1;
	if (a->to.n != b->to.n)
		return a->to.n < b->to.n ? -1 : 1;
	return a->sends - b->sends;
}

static int compare_sided(const void *va, const void *vb)
{
	const struct sided *a = va, *b = vb;
	int order = compare_sides(&a->side, &b->side);

	return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* Adds the sides of a rank, each with its ops in their order. */
static void collect_sides(
	const struct flights *flights, size_t index, struct pairs *pairs)
{
	struct flight_rank *rank = &flights->ranks.items[index];
	struct sided *list = alloc_zeroed(rank->ops.nr + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < rank->ops.nr; i++) {
		struct flight_op *op = &rank->ops.items[i];
		const struct flight_seat *seat = &rank->seats.items[op->seat];
		bool sends = op->sig.op == JOB_OP_SEND;
		struct side side = {.group = seat->group,
			.from = sends ? seat->seat : op->sig.peer,
			.to = sends ? op->sig.peer : seat->seat,
			.sends = sends,
			.exact = rank->from_start,
			.lags = rank->lags,
			.whole = tells_all(rank),
			.rank = index};

		if (op->p2p && !op->skip)
			list[n++] = (struct sided){side, op, i};
	}
	array_sort_items(list, n, sizeof(*list), compare_sided);
	for (size_t i = 0; i < n; i++) {
		if (!i || compare_sides(&list[i - 1].side, &list[i].side) != 0)
			*array_add(&pairs->sides) = list[i].side;
		*array_add(&pairs->sides.items[pairs->sides.nr - 1].ops) = list[i].op;
	}
	free(list);
}

/*
 * Counts the complete ops of a side. One that was made before a complete one is complete, whatever
 * its entry says.
 */
static void count_done(struct side *side)
{
	for (size_t i = side->ops.nr; i-- > 0 && !side->done;)
		if (side->ops.items[i]->complete)
			side->done = i + 1;
	for (size_t i = 0; i < side->done; i++)
		side->ops.items[i]->complete = true;
}

static bool is_other_side(const struct side *a, const struct side *b)
{
	return a->group == b->group && same_group_rank(a->from, b->from) &&
	       same_group_rank(a->to, b->to) && a->sends != b->sends;
}

static void number_side(struct side *side, uint64_t before)
{
	for (size_t i = 0; i < side->ops.nr; i++)
		side->ops.items[i]->index = before + i + 1;
}

/*
 * Counts an op as complete that the peer has not open any more, while a lagging rank still has it:
 * then neither side lacks.
 */
static void believe_peer(struct side *side, const struct side *peer)
{
	uint64_t open = side->ops.nr - side->done, theirs = peer->ops.nr - peer->done;

	if (!side->lags || peer->lags || !peer->whole || open <= theirs)
		return;
	side->done += open - theirs;
	for (uint64_t i = 0; i < side->done; i++)
		side->ops.items[i]->complete = true;
}

/* Returns the other side of one that stands alone: empty, of a rank that may have left a dump. */
static struct side silent_side(const struct flights *flights, const struct side *side)
{
	const struct flight_union *group = &flights->groups.items[side->group];
	struct group_rank seat = side->sends ? side->to : side->from;
	const struct flight_rank *rank =
		seat.n < flight_list_size(group->list)
			? flight_of(flights, group->list->ranks[seat.n])
			: NULL;

	return (struct side){.lags = rank && rank->lags, .whole = rank && tells_all(rank)};
}

/* Numbers both sides of a pair, or one whose other side has no entry. */
static void number_pair(const struct flights *flights, struct side *a, struct side *b)
{
	bool exact = a->exact && (!b || b->exact);
	struct side silent = silent_side(flights, a);
	uint64_t done;

	if (!exact || !b)
		believe_peer(a, b ? b : &silent);
	if (b && !exact)
		believe_peer(b, a);
	done = b && b->done > a->done ? b->done : a->done;
	number_side(a, exact ? 0 : done - a->done);
	if (b)
		number_side(b, exact ? 0 : done - b->done);
}

void flight_join_pairs(struct flights *flights)
{
	struct pairs pairs = {0};

	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];

		settle_launches(flights, rank);
		for (size_t k = 0; k < rank->seats.nr; k++)
			rank->misnamed |= is_misnamed(&rank->seats.items[k]);
		collect_sides(flights, i, &pairs);
	}
	for (size_t i = 0; i < pairs.sides.nr; i++)
		count_done(&pairs.sides.items[i]);
	array_sort(&pairs.sides, compare_sides);
	for (size_t i = 0; i < pairs.sides.nr; i++) {
		struct side *side = &pairs.sides.items[i];
		bool both = i + 1 < pairs.sides.nr && is_other_side(side, side + 1);

		number_pair(flights, side, both ? side + 1 : NULL);
		i += both;
	}
	for (size_t i = 0; i < pairs.sides.nr; i++)
		array_release(&pairs.sides.items[i].ops);
	array_release(&pairs.sides);
}
