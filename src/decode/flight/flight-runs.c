/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the dumps of one run, where there are several in one place: a run writes over what an
 * earlier one has left, but not over the dumps of ranks that it does not have, or that died in it.
 *
 * Ranks of one run meet all the time. So the times from the first to the last op in their dumps
 * overlap, in chains: a STRETCH. If there is a gap between two of these, they are of two runs, or
 * of hosts whose clocks are apart. Clocks do not decide that. No run has two dumps of a rank, two
 * versions of the Flight Recorder, or two sizes of its first group; and what ranks have in common
 * tells (flight-clocks.c). If nothing does, a loss tells that it is not known: all of it is judged,
 * and no finding of that is more than a hypothesis. So it is with a gap within a stretch if it
 * cannot be that all met by one clock. Dumps that leave out what is complete have no
 * stretches.
 *
 * Only clocks tell which of several runs is the newest. It is judged, and dumps without times go
 * with it, unless the rest speaks against that.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/clock.h"
#include "base/str.h"
#include "decode/flight/decode-flight.h"

/* A gap without any op in any dump, ns. */
#define APART (3 * CLOCK_NS_PER_S)
/* A shorter one, which alone tells nothing. */
#define NEAR CLOCK_NS_PER_S
/* At most so many files are named. */
#define NAMED 4

/* One dump, and the time that its ops span. */
struct stay {
	size_t rank;      /* index into flights->ranks */
	int64_t from, to; /* first and last time; JOB_UNKNOWN */
	size_t world;     /* ranks in its first group, by its list; 0 not told */
	size_t beyond;    /* of a dump without ops: number of others' sizes that it is beyond */
	size_t like;	  /* index into kinds */
	bool kept, unsure;
};

/*
 * A kind: stays that agree with the same others. Nearly all dumps of a job are of one or two kinds.
 */
struct kind {
	struct stay stay; /* one of them */
	size_t n;     /* number of stays asked */
	size_t agree; /* stays asked that agree with this kind */
	bool kept;    /* some of its stays are kept */
};

/* All stays. Those kept are counted by kind too: comparing all with all is ranks squared. */
struct stays {
	ARRAY(struct stay) list;
	ARRAY(struct kind) kinds;
	bool *kept;	   /* for each of flights->ranks */
	size_t least, most; /* sizes told by those kept; 0 none */
};

/* Orders by time; those without come last, and equal ones by rank. */
static int compare_stays(const void *va, const void *vb)
{
	const struct stay *a = va, *b = vb;

	if ((a->from == JOB_UNKNOWN) != (b->from == JOB_UNKNOWN))
		return a->from == JOB_UNKNOWN ? 1 : -1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Returns the stay of a dump. */
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
			stay.world = flight_list_size(rank->seats.items[i].list);
	return stay;
}

/*
 * Returns the index behind the stretch that begins at `from`; stays without times are one stretch.
 */
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

/* -- kinds of stays ---------------------------------------------------------------------------- */

static int compare_sizes(const void *va, const void *vb)
{
	const size_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* Counts, for each dump without ops, the sizes told by dumps with ops that it is beyond. */
static void find_beyond(const struct flights *flights, struct stays *stays)
{
	ARRAY(size_t) sizes = {0};
	struct stay *stay;
	size_t n = 0;

	for (size_t i = 0; i < flights->ranks.nr; i++)
		if (flights->ranks.items[i].ops.nr && flights->ranks.items[i].last_size)
			*array_add(&sizes) = flights->ranks.items[i].last_size;
	array_sort(&sizes, compare_sizes);
	for (size_t i = 0; i < sizes.nr; i++)
		if (!n || sizes.items[n - 1] != sizes.items[i])
			sizes.items[n++] = sizes.items[i];
	array_for_each(&stays->list, stay) {
		const struct flight_rank *rank = &flights->ranks.items[stay->rank];

		stay->beyond = bisect(0, rank->ops.nr || !rank->last_size ? 0 : n, i,
			sizes.items[i] <= (size_t)rank->rank);
	}
	array_release(&sizes);
}

/* Orders by all that agree() looks at; 0 if the two are of one kind. */
static int compare_kinds(const struct flights *flights, const struct stay *a, const struct stay *b)
{
	const struct flight_rank *first = &flights->ranks.items[a->rank];
	const struct flight_rank *second = &flights->ranks.items[b->rank];
	const size_t these[] = {(size_t)(unsigned)first->release, a->world, first->ops.nr > 0,
		first->last_size, a->beyond};
	const size_t those[] = {(size_t)(unsigned)second->release, b->world, second->ops.nr > 0,
		second->last_size, b->beyond};

	for (size_t i = 0; i < sizeof(these) / sizeof(*these); i++)
		if (these[i] != those[i])
			return these[i] < those[i] ? -1 : 1;
	return 0;
}

/*
 * Returns the place of a stay's kind among those found so far, which are sorted, or where it
 * belongs.
 */
static size_t kind_place(
	const struct flights *flights, const struct stays *stays, const struct stay *stay)
{
	return bisect(0, stays->kinds.nr, i,
		compare_kinds(flights, &stays->kinds.items[i].stay, stay) < 0);
}

/* Finds the kinds of all stays. */
static void find_kinds(const struct flights *flights, struct stays *stays)
{
	struct stay *stay;

	find_beyond(flights, stays);
	array_for_each(&stays->list, stay) {
		size_t at = kind_place(flights, stays, stay);
		struct kind *kind;

		if (at == stays->kinds.nr ||
			compare_kinds(flights, &stays->kinds.items[at].stay, stay) != 0) {
			(void)array_add(&stays->kinds);
			kind = &stays->kinds.items[at];
			memmove(kind + 1, kind, (stays->kinds.nr - 1 - at) * sizeof(*kind));
			*kind = (struct kind){.stay = *stay};
		}
	}
	array_for_each(&stays->list, stay)
		stay->like = kind_place(flights, stays, stay);
	stays->kept = alloc_zeroed(flights->ranks.nr + 1, sizeof(*stays->kept));
}

/* Returns how large the only group with ops is, by a list without a name; 0 not known. */
static size_t only_size(const struct flight_rank *rank)
{
	for (size_t i = 0; i < rank->seats.nr; i++)
		if (strcmp(rank->seats.items[i].name, "0") != 0)
			return 0;
	return rank->nstatuses <= 1 ? rank->last_size : 0;
}

/* Keeps a stay, and counts it by kind, rank and size. */
static void keep(const struct flights *flights, struct stays *stays, struct stay *stay)
{
	size_t size = only_size(&flights->ranks.items[stay->rank]);

	stay->kept = true;
	stays->kinds.items[stay->like].kept = true;
	stays->kept[stay->rank] = true;
	if (size && (!stays->least || size < stays->least))
		stays->least = size;
	if (size > stays->most)
		stays->most = size;
}

/* Counts the stays from there on that agree with each kind. */
static void count_agreeing(const struct flights *flights, struct stays *stays, size_t from)
{
	struct kind *one, *other;

	for (size_t i = from; i < stays->list.nr; i++)
		stays->kinds.items[stays->list.items[i].like].n++;
	array_for_each(&stays->kinds, one)
		array_for_each(&stays->kinds, other)
			if (agree(flights, &one->stay, &other->stay))
				one->agree += other->n;
}

/*
 * Keeps, of the stays from there on, the most that agree with one another; of as many the newest.
 */
static void keep_agreeing(const struct flights *flights, struct stays *stays, size_t from)
{
	struct stay *list = stays->list.items;
	size_t best = from, most = 0;

	/* A dump that lists no size agrees with several sizes, and speaks for none. */
	count_agreeing(flights, stays, from);
	for (size_t i = from; i < stays->list.nr; i++) {
		size_t n = stays->kinds.items[list[i].like].agree;

		if (n > most || (n == most && list[i].to > list[best].to)) {
			most = n;
			best = i;
		}
	}
	for (size_t i = from; i < stays->list.nr; i++)
		if (agree(flights, &list[best], &list[i]))
			keep(flights, stays, &list[i]);
}

/*
 * True if the dump seems to be of a world of another size than what is kept so far. By itself that
 * is no proof, since only a list may tell of a group without ops.
 */
static bool differs_in_size(const struct stays *stays, const struct flight_rank *rank)
{
	size_t size = only_size(rank);

	return size && stays->most && (stays->least != size || stays->most != size);
}

/* True if another dump of the rank is kept. All dumps of a rank are beside each other. */
static bool is_second(const struct flights *flights, const struct stays *stays, size_t at)
{
	const struct flight_rank *ranks = flights->ranks.items;
	size_t from = at, to = at;

	while (from && ranks[from - 1].rank == ranks[at].rank)
		from--;
	while (to < flights->ranks.nr && ranks[to].rank == ranks[at].rank)
		to++;
	for (size_t i = from; i < to; i++)
		if (stays->kept[i])
			return true;
	return false;
}

/* True if the run that is kept so far may have this one, too. */
static bool fits(const struct flights *flights, const struct stays *stays, const struct stay *stay)
{
	const struct kind *kind;

	array_for_each(&stays->kinds, kind)
		if (kind->kept && !agree(flights, &kind->stay, stay))
			return false;
	return !is_second(flights, stays, stay->rank) &&
	       !differs_in_size(stays, &flights->ranks.items[stay->rank]);
}

static bool is_told(enum flight_kin kin)
{
	return kin == FLIGHT_KIN_ONE || kin == FLIGHT_KIN_APART;
}

/* So many of a stretch are compared with so many of the run, which have all met each other. */
#define HELD 8

/*
 * Tells whether a stretch is of the run that is kept so far, by those of it that stand from
 * `behind` on.
 */
static enum flight_kin kin_of(const struct flights *flights, const struct stays *stays, size_t from,
	size_t to, size_t behind)
{
	enum flight_kin kin = FLIGHT_KIN_UNKNOWN;
	const struct stay *list = stays->list.items;

	for (size_t i = behind, held = 0; i < stays->list.nr && held < HELD && !is_told(kin);
		i++) {
		struct flight_yardstick *yardstick;
		int64_t ahead;

		if (!list[i].kept || !flights->ranks.items[list[i].rank].ops.nr)
			continue;
		yardstick = flight_yardstick_new(&flights->ranks.items[list[i].rank]);
		for (size_t k = from; k < to && k - from < HELD && !is_told(kin); k++) {
			enum flight_kin one = flight_kin(
				yardstick, &flights->ranks.items[list[k].rank], &ahead);

			kin = one ? one : kin;
		}
		flight_yardstick_free(yardstick);
		held++;
	}
	return kin;
}

/*
 * Keeps a stretch that is of the run, or may be. If a single one of its dumps does not fit, it is
 * of another run.
 */
static void join_stretch(const struct flights *flights, struct stays *stays, size_t from, size_t to)
{
	struct stay *list = stays->list.items;
	enum flight_kin kin = FLIGHT_KIN_APART;
	bool all = true;

	for (size_t i = from; i < to; i++)
		all &= fits(flights, stays, &list[i]);
	if (all)
		kin = kin_of(flights, stays, from, to, 0);
	for (size_t i = from; i < to && kin != FLIGHT_KIN_APART; i++) {
		keep(flights, stays, &list[i]);
		list[i].unsure = kin != FLIGHT_KIN_ONE;
	}
}

/*
 * Doubts dumps that were over before all later ones began, though they are of one stretch, if their
 * collectives were complete before the others came to these: they are of an attempt that was begun
 * anew at once, or of a clock that is apart.
 */
static void doubt_earlier(const struct flights *flights, struct stays *stays, size_t dated)
{
	struct stay *list = stays->list.items;
	int64_t over = JOB_UNKNOWN;

	for (size_t i = 0, from = 0; i < dated; i++) {
		if (i && list[i].from > over && list[i].from - over > NEAR) {
			if (kin_of(flights, stays, from, i, i) == FLIGHT_KIN_OFF)
				for (size_t k = from; k < i; k++)
					list[k].unsure |= list[k].kept;
			from = i;
		}
		over = list[i].to > over ? list[i].to : over;
	}
}

/* Keeps the newest stretch, with what has no times; then, from the newest back, those that fit. */
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
	doubt_earlier(flights, stays, dated);
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

/* Tells that second dumps of ranks are left aside: the first are read. */
static void tell_second(const struct flights *flights, const struct stays *stays,
	struct decode_context *context, struct job_builder *b)
{
	struct str names = {0};
	size_t n = 0;
	int last = -1;

	for (size_t i = 0; i < flights->ranks.nr; i++) {
		const struct flight_rank *rank = &flights->ranks.items[i];

		if (!stays->list.items[i].kept)
			continue;
		if (rank->rank == last && n++ < NAMED)
			str_printf(&names, "%s%s", n > 1 ? ", " : "", rank->exhibit->label);
		last = rank->rank;
	}
	if (n)
		flight_lose(b, flight_nobody, "flight", false,
			arena_printf(&context->arena, "%s left aside: %s%s",
				n == 1 ? "a second dump of a rank" : arena_printf(&context->arena,
					"%zu second dumps of ranks", n),
				str_text(&names), n > NAMED ? ", ..." : ""));
	str_release(&names);
}

void flight_keep_run(struct flights *flights, struct decode_context *context, struct job_builder *b)
{
	struct stays stays = {0};
	size_t n = 0;

	for (size_t i = 0; i < flights->ranks.nr; i++)
		*array_add(&stays.list) = stay_of(&flights->ranks.items[i], i);
	array_sort(&stays.list, compare_stays);
	find_kinds(flights, &stays);
	choose_stretches(flights, &stays);
	array_sort(&stays.list, compare_by_rank);
	tell_left(flights, &stays, context, b);
	tell_second(flights, &stays, context, b);
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];
		bool second = n && flights->ranks.items[n - 1].rank == rank->rank;

		rank->unsure = stays.list.items[i].unsure;
		if (stays.list.items[i].kept && !second)
			flights->ranks.items[n++] = *rank;
		else
			flight_release_rank(rank);
	}
	flights->ranks.nr = n;
	free(stays.kept);
	array_release(&stays.kinds);
	array_release(&stays.list);
}
