/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps of several runs in one place: a run writes over what an earlier one has left, but not over
 * the dumps of ranks that it does not have, or that died in it.
 *
 * Ranks of one run meet all the time. So the times from the first to the last op in their dumps
 * overlap, in chains: a STRETCH. Where there is a gap between two of these, they are of two runs,
 * or of hosts whose clocks are apart. Clocks do not decide that. No run has two dumps of a rank,
 * two versions of the Flight Recorder, or two sizes of its first group; and what ranks have in
 * common tells (flight-clocks.c). Where nothing does, it is said that nobody knows: all of it is
 * judged, and no finding of that is more than a hypothesis. Of dumps that leave out what is
 * complete there are no stretches.
 *
 * Which of several runs is the newest, only clocks can say. It is judged, and what has no times
 * goes with it, unless the rest speaks against that.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "decode/flight/decode-flight.h"

/* So long without any op in any dump. */
#define APART (3 * CLOCK_NS_PER_S)
/* So many files are named. */
#define NAMED 4

struct stay {
	size_t rank;      /* index into flights->ranks */
	int64_t from, to; /* JOB_UNKNOWN */
	size_t world;     /* ranks in its first group, as it lists them; 0 it does not */
	bool kept, unsure;
};

struct stays {
	ARRAY(struct stay) list;
};

/* By time; those without come last, and of equal ones by rank. */
static int compare_stays(const void *va, const void *vb)
{
	const struct stay *a = va, *b = vb;

	if ((a->from == JOB_UNKNOWN) != (b->from == JOB_UNKNOWN))
		return a->from == JOB_UNKNOWN ? 1 : -1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static struct stay stay_of(const struct flight_rank *rank, size_t index)
{
	struct stay stay = {.rank = index, .from = JOB_UNKNOWN, .to = rank->newest};
	bool whole = !rank->active_only || rank->from_start;

	for (size_t i = 0; i < rank->ops.nr && whole; i++)
		if (rank->ops.items[i].created != JOB_UNKNOWN &&
			(stay.from == JOB_UNKNOWN || rank->ops.items[i].created < stay.from))
			stay.from = rank->ops.items[i].created;
	for (size_t i = 0; i < rank->seats.nr; i++)
		if (!strcmp(rank->seats.items[i].desc, "default_pg") &&
			!strcmp(rank->seats.items[i].name, "0"))
			stay.world = rank->seats.items[i].nranks;
	return stay;
}

/* Behind the last of the stretch that begins there; those without times are one. */
static size_t stretch_end(const struct stays *stays, size_t from)
{
	const struct stay *list = stays->list.items;
	int64_t to = list[from].to;
	size_t i = from + 1;

	for (; i < stays->list.nr; i++) {
		if ((list[i].from == JOB_UNKNOWN) != (list[from].from == JOB_UNKNOWN))
			break;
		if (list[i].from != JOB_UNKNOWN && list[i].from > to && list[i].from - to > APART)
			break;
		to = list[i].to > to ? list[i].to : to;
	}
	return i;
}

/* True if a dump without any op is of a rank that the other one's run seems not to have. */
static bool is_beyond(const struct flight_rank *empty, const struct flight_rank *other)
{
	return !empty->ops.nr && other->ops.nr && empty->last_size && other->last_size &&
	       empty->last_size != other->last_size && (size_t)empty->rank >= other->last_size;
}

/* True if both may be of one run, by version and size. */
static bool agree(const struct flights *flights, const struct stay *a, const struct stay *b)
{
	const struct flight_rank *first = &flights->ranks.items[a->rank];
	const struct flight_rank *second = &flights->ranks.items[b->rank];

	return first->release == second->release &&
	       (!a->world || !b->world || a->world == b->world) && !is_beyond(first, second) &&
	       !is_beyond(second, first);
}

/* Keeps, of those from there on, the most that agree with one another; of as many the newest. */
static void keep_agreeing(const struct flights *flights, struct stays *stays, size_t from)
{
	size_t best = from, most = 0;

	for (size_t i = from; i < stays->list.nr; i++) {
		size_t n = 0;

		/* What lists no size agrees with several sizes, and speaks for none. */
		for (size_t k = from; k < stays->list.nr; k++)
			n += agree(flights, &stays->list.items[i], &stays->list.items[k]);
		if (n > most ||
			(n == most && stays->list.items[i].to > stays->list.items[best].to)) {
			most = n;
			best = i;
		}
	}
	for (size_t i = from; i < stays->list.nr; i++)
		stays->list.items[i].kept =
			agree(flights, &stays->list.items[best], &stays->list.items[i]);
}

/* How large the only group with ops is, by a list without a name; 0 not known. */
static size_t only_size(const struct flight_rank *rank)
{
	for (size_t i = 0; i < rank->seats.nr; i++)
		if (strcmp(rank->seats.items[i].name, "0") != 0)
			return 0;
	return rank->nstatuses <= 1 ? rank->last_size : 0;
}

/*
 * Whether the two seem to be of worlds of two sizes. By itself that is no proof, since of a group
 * without ops nothing but its list may tell.
 */
static bool differ_in_size(const struct flight_rank *a, const struct flight_rank *b)
{
	return only_size(a) && only_size(b) && only_size(a) != only_size(b);
}

/* Whether the run that is kept so far may have this one, too. */
static bool fits(const struct flights *flights, const struct stays *stays, const struct stay *stay)
{
	const struct stay *other;

	const struct flight_rank *rank = &flights->ranks.items[stay->rank];

	array_for_each(&stays->list, other) {
		const struct flight_rank *kept = &flights->ranks.items[other->rank];

		if (other->kept && (!agree(flights, other, stay) || kept->rank == rank->rank ||
					   differ_in_size(kept, rank)))
			return false;
	}
	return true;
}

/* So many of a stretch are held against so many of the run: they have met each other. */
#define HELD 8

/* Whether a stretch is of the run that is kept so far. */
static enum flight_kin kin_of(
	const struct flights *flights, const struct stays *stays, size_t from, size_t to)
{
	enum flight_kin kin = FLIGHT_KIN_UNKNOWN;
	const struct stay *list = stays->list.items;

	for (size_t i = 0, held = 0; i < stays->list.nr && held < HELD && !kin; i++) {
		struct flight_yardstick *yardstick;
		int64_t ahead;

		if (!list[i].kept || !flights->ranks.items[list[i].rank].ops.nr)
			continue;
		yardstick = flight_yardstick_new(&flights->ranks.items[list[i].rank]);
		for (size_t k = from; k < to && k - from < HELD && !kin; k++)
			kin = flight_kin(yardstick, &flights->ranks.items[list[k].rank], &ahead);
		flight_yardstick_free(yardstick);
		held++;
	}
	return kin;
}

/* Keeps a stretch that is of the run, or may be. One whole rank in both, and it is of another. */
static void join_stretch(const struct flights *flights, struct stays *stays, size_t from, size_t to)
{
	struct stay *list = stays->list.items;
	enum flight_kin kin = FLIGHT_KIN_APART;
	bool all = true;

	for (size_t i = from; i < to; i++)
		all &= fits(flights, stays, &list[i]);
	if (all)
		kin = kin_of(flights, stays, from, to);
	for (size_t i = from; i < to && kin != FLIGHT_KIN_APART; i++) {
		list[i].kept = true;
		list[i].unsure = kin == FLIGHT_KIN_UNKNOWN;
	}
}

/* The newest stretch, with what has no times; then, from the newest back, those that fit. */
static void choose_stretches(const struct flights *flights, struct stays *stays)
{
	ARRAY(size_t) begins = {0};
	size_t dated = 0;

	while (dated < stays->list.nr && stays->list.items[dated].from != JOB_UNKNOWN)
		dated++;
	for (size_t from = 0; from < dated; from = stretch_end(stays, from))
		*array_add(&begins) = from;
	if (stays->list.nr)
		keep_agreeing(flights, stays,
			begins.nr ? begins.items[begins.nr - 1] : 0);
	for (size_t i = begins.nr; i-- > 1;)
		join_stretch(flights, stays, begins.items[i - 1], begins.items[i]);
	array_release(&begins);
}

static void tell_left(const struct flights *flights, const struct stays *stays,
	struct decode_context *context, struct job_builder *b)
{
	struct str names = {0};
	size_t left = 0;

	for (size_t i = 0; i < flights->ranks.nr; i++) {
		if (stays->list.items[i].kept)
			continue;
		if (left++ < NAMED)
			str_printf(&names, "%s%s", left > 1 ? ", " : "",
				flights->ranks.items[i].exhibit->label);
	}
	if (left)
		flight_lose(b, flight_nobody, "flight", false,
			arena_printf(&context->arena,
				"%zu dump%s of another run left aside: %s%s",
				left, left == 1 ? "" : "s", str_text(&names),
				left > NAMED ? ", ..." : ""));
	str_release(&names);
}

static int compare_by_rank(const void *va, const void *vb)
{
	const struct stay *a = va, *b = vb;

	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Of one rank, two dumps that are left of it are one too many: the first is read. */
static void tell_second(
	const struct flight_rank *rank, struct decode_context *context, struct job_builder *b)
{
	flight_lose(b, flight_nobody, arena_printf(&context->arena, "flight:%d", rank->rank), false,
		arena_printf(&context->arena, "a second dump of rank %d left aside: %s", rank->rank,
			rank->exhibit->label));
}

void flight_keep_run(struct flights *flights, struct decode_context *context, struct job_builder *b)
{
	struct stays stays = {0};
	size_t n = 0;

	for (size_t i = 0; i < flights->ranks.nr; i++)
		*array_add(&stays.list) = stay_of(&flights->ranks.items[i], i);
	array_sort(&stays.list, compare_stays);
	choose_stretches(flights, &stays);
	array_sort(&stays.list, compare_by_rank);
	tell_left(flights, &stays, context, b);
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];
		bool second = n && flights->ranks.items[n - 1].rank == rank->rank;

		rank->unsure = stays.list.items[i].unsure;
		if (stays.list.items[i].kept && second)
			tell_second(rank, context, b);
		if (stays.list.items[i].kept && !second)
			flights->ranks.items[n++] = *rank;
		else
			flight_release_rank(rank);
	}
	flights->ranks.nr = n;
	array_release(&stays.list);
}
