/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads dumps of TorchComms' own recorder (meta-pytorch/torchcomms 59426ba4,
 * comms/torchcomms/hooks/fr): the form and version of PyTorch's, and other meanings.
 *
 * NUMBERS. One counter of the process goes through the entries of all its communicators, sends and
 * receives too. So the number of an op in its group is counted here, if all entries since the
 * process began are there. If some were overwritten the counter itself is compared, and only if
 * members of each group have the same numbers wherever their dumps overlap: else it is not known
 * which of their ops are one, and none is told.
 *
 * STATES. "retired" says that the call came back to the host, not that it is done; "completed"
 * tells nothing (an event that was not recorded yet counts as past). An op that is not retired has
 * its host in it. What is done shows only where a rank has not come: what it has not entered is
 * done nowhere.
 *
 * There is no status of groups, a message names no peer, and the timeout is TorchComms' default,
 * whatever the job has.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/flight/decode-flight.h"
#include "job/names.h"

/* At least so many numbers in common are no chance. */
#define ALIKE_LEAST 8
/* At most so many comparisons are made. */
#define COMPARED_MOST (UINT64_C(1) << 30)

/* True if an entry is called "BACKEND:OP" and its group's purpose is that backend. */
static bool is_its_entry(const struct flight_entry *entry)
{
	size_t len = strlen(entry->desc);

	return len && !strncmp(entry->name, entry->desc, len) && entry->name[len] == ':' &&
	       !entry->p2p_seq && entry->is_p2p == FLIGHT_NO;
}

bool flight_is_torchcomms(const struct flight_dump *dump)
{
	if (!dump->has_statuses || dump->nstatuses || dump->lost_statuses || !dump->nentries)
		return false;
	for (size_t i = 0; i < dump->nentries; i++)
		if (!is_its_entry(&dump->entries[i]))
			return false;
	return true;
}

/* True if all members of a group do it. An unknown op may be between two of them. */
static bool is_collective(const char *name)
{
	const char *op = strchr(name, ':') + 1;

	return !strncmp(op, "all_", 4) || !strncmp(op, "reduce", 6) || !strncmp(op, "gather", 6) ||
	       !strcmp(op, "broadcast") || !strcmp(op, "barrier") || !strcmp(op, "scatter") ||
	       !strcmp(op, "split") || !strcmp(op, "new_window");
}

void flight_read_torchcomms(struct flight_rank *rank, const struct flight_dump *dump)
{
	bool whole = !rank->cut;

	rank->torchcomms = true;
	rank->sends_unseen = rank->timed_out = rank->active_only = false;
	/* Entries and ops lie side by side. */
	for (size_t i = 0; i < rank->ops.nr; i++) {
		struct flight_op *op = &rank->ops.items[i];

		whole &= op->record == (int64_t)i && dump->entries[i].collective_seq == (int64_t)i;
		op->complete = false;
		/* Its buffers may have more room than is sent. */
		if (*op->parts == '*')
			op->parts = "";
		op->p2p = op->skip = !is_collective(dump->entries[i].name);
		op->p2p_seq = op->p2p ? -1 - op->record : 0;
		rank->sends_unseen |= op->p2p;
	}
	rank->overwritten = !whole;
	rank->from_start = whole && rank->ops.nr;
}

/* Numbers the ops, by their place in the group if `counted`, else by the process' counter. */
static void number(struct flight_rank *rank, bool counted)
{
	for (size_t i = 0; i < rank->seats.nr; i++)
		rank->seats.items[i].newest = counted ? 0 : -1;
	for (size_t i = 0; i < rank->ops.nr; i++) {
		struct flight_op *op = &rank->ops.items[i];
		struct flight_seat *seat = &rank->seats.items[op->seat];

		if (op->p2p)
			continue;
		op->skip = op->record < 0 || op->record >= INT64_MAX - 1;
		op->seq = counted ? seat->newest + 1 : op->skip ? 0 : op->record + 1;
		if (!op->skip)
			seat->newest = op->seq;
	}
}

/* -- what was overwritten ---------------------------------------------------------------------- */

/* The numbers of a seat's ops within bounds. */
struct numbers {
	size_t n;
	uint64_t sum; /* sum of their hashes */
};

static struct numbers numbers_of(
	const struct flight_rank *rank, uint32_t at, int64_t from, int64_t to)
{
	struct numbers all = {0};

	for (size_t i = 0; i < rank->ops.nr; i++) {
		const struct flight_op *op = &rank->ops.items[i];

		if (op->seat != at || op->p2p || op->record < from || op->record > to)
			continue;
		all.n++;
		all.sum += ((uint64_t)op->record + 1) * 0x9e3779b97f4a7c15ull ^
			   (uint64_t)op->sig.op << 56;
	}
	return all;
}

/* True if two members of a group have the same ops where both dumps reach. */
static bool are_alike(const struct flight_rank *a, const struct flight_seat *seat,
	const struct flight_rank *b)
{
	uint32_t theirs = flight_find_seat(b, seat->name, seat->desc, FLIGHT_UNKNOWN);
	const struct flight_op *first_a = a->ops.items, *first_b = b->ops.items;
	int64_t from, to;
	struct numbers one, other;

	if (theirs == UINT32_MAX || !a->ops.nr || !b->ops.nr)
		return true;
	from = first_a->record > first_b->record ? first_a->record : first_b->record;
	to = first_a[a->ops.nr - 1].record < first_b[b->ops.nr - 1].record
		     ? first_a[a->ops.nr - 1].record
		     : first_b[b->ops.nr - 1].record;
	one = numbers_of(a, (uint32_t)(seat - a->seats.items), from, to);
	other = numbers_of(b, theirs, from, to);
	return one.n >= ALIKE_LEAST && one.n == other.n && one.sum == other.sum;
}

/* True if the rank has the same ops as the first rank that is a member of that group. */
static bool is_as_first(const struct flights *flights, size_t index, const struct flight_seat *seat)
{
	const struct flight_rank *ranks = flights->ranks.items;
	size_t first = 0;

	while (first < index && flight_find_seat(&ranks[first], seat->name, seat->desc,
					FLIGHT_UNKNOWN) == UINT32_MAX)
		first++;
	return first == index || are_alike(&ranks[index], seat, &ranks[first]);
}

/* True if comparing would take too long. */
static bool is_too_much(const struct flights *flights)
{
	uint64_t seats = 0, ops = 0;

	for (size_t i = 0; i < flights->ranks.nr; i++) {
		seats += flights->ranks.items[i].seats.nr;
		ops += flights->ranks.items[i].ops.nr;
	}
	return seats && (ops > COMPARED_MOST / seats ||
				flights->ranks.nr > COMPARED_MOST / seats);
}

static bool all_alike(const struct flights *flights)
{
	if (is_too_much(flights))
		return false;
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		const struct flight_rank *rank = &flights->ranks.items[i];

		for (size_t k = 0; k < rank->seats.nr; k++)
			if (!is_as_first(flights, i, &rank->seats.items[k]))
				return false;
	}
	return true;
}

/* Drops a rank's ops: which ranks' ops are one is not known. */
static void forget_ops(struct flight_rank *rank)
{
	rank->unnumbered = true;
	for (size_t i = 0; i < rank->ops.nr; i++)
		rank->ops.items[i].skip = true;
	for (size_t i = 0; i < rank->seats.nr; i++)
		rank->seats.items[i].newest = -1;
}

void flight_number_torchcomms(struct flights *flights)
{
	bool overwritten = false, alike;
	size_t n = 0;

	for (size_t i = 0; i < flights->ranks.nr; i++) {
		n += flights->ranks.items[i].torchcomms;
		overwritten |= flights->ranks.items[i].overwritten;
	}
	alike = n && overwritten && n == flights->ranks.nr && all_alike(flights);
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];

		if (!rank->torchcomms)
			continue;
		number(rank, !overwritten);
		if (overwritten && !alike)
			forget_ops(rank);
	}
}

/* -- what is done ------------------------------------------------------------------------------ */

/* How far the members of a group have come. */
struct met {
	size_t n; /* members that are known */
	uint64_t least;
};

/* Finds how far the members of each group have come. */
static struct met *find_met(const struct flights *flights)
{
	struct met *all = alloc_zeroed(flights->groups.nr + 1, sizeof(*all));

	for (size_t i = 0; i < flights->ranks.nr; i++)
		for (size_t k = 0; k < flights->ranks.items[i].seats.nr; k++) {
			const struct flight_seat *seat = &flights->ranks.items[i].seats.items[k];
			struct met *met = &all[seat->group];

			if (!seat->told || !seat->head_known)
				continue;
			if (!met->n++ || seat->head < met->least)
				met->least = seat->head;
		}
	return all;
}

/*
 * Returns the seat's first op that is not done: its host is in it, or not all have come to it (what
 * a root has to do there may be done). NULL if none is known to be.
 */
static const struct flight_op *next_open(const struct flight_rank *rank,
	const struct flight_seat *seat, uint64_t beyond)
{
	for (size_t i = seat->from; i < seat->to; i++) {
		const struct flight_op *op = rank->collectives[i];

		if (!op->retired || (op->index > beyond && !job_op_is_rooted(op->sig.op)))
			return op;
	}
	return NULL;
}

/* Settles what is done on a seat. `met`: all members have come so far; UINT64_MAX not known. */
static void settle_seat(const struct flight_rank *rank, struct flight_seat *seat, uint64_t met)
{
	const struct flight_op *open = next_open(rank, seat, met);

	seat->done_known = seat->head_known && (open || !seat->entries);
	seat->done = open ? open->index - 1 : 0;
	for (size_t i = seat->from; i < seat->to; i++) {
		struct flight_op *op = rank->collectives[i];

		op->complete = seat->done_known && op->index <= seat->done;
		op->unsaid = !seat->done_known;
	}
}

void flight_settle_torchcomms(struct flights *flights)
{
	struct met *all = find_met(flights);

	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];

		for (size_t k = 0; rank->torchcomms && k < rank->seats.nr; k++) {
			struct flight_seat *seat = &rank->seats.items[k];
			const struct met *met = &all[seat->group];
			bool whole = met->n && met->n == flights->groups.items[seat->group].size;

			settle_seat(rank, seat, whole ? met->least : UINT64_MAX);
		}
	}
	free(all);
}
