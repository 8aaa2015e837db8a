/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins groups across ranks. A group is its name, what it is for, and its ranks: each process
 * counts names up by itself, so that groups of different ranks may have the same name.
 *
 * WHICH GROUP A STATUS IS OF. The status of a group is kept by a number that the process counts for
 * itself. Entries tell the group of a number. A rank without entries (it stands still, and all
 * before was overwritten or left out) is the one that matters, so other ways are tried:
 *
 *	- process and groups count upwards together: if there are as many statuses as groups,
 *	  and names are numbers, the k-th is the k-th, as long as no entry here says otherwise;
 *	- else a peer whose numbers are the same says what the group is for, if all such peers
 *	  say the same, and only one group here is for that;
 *	- and a last one on either side belongs together.
 *
 * HOW MANY ARE IN IT. As many as its list has. If no list has its name (see decode-flight.h, of
 * gloo), an op tells that has the amounts of one and of all. Else the list without a name does,
 * which is of the group that a process made last: of those that it used that is the one with the
 * highest number, unless there is a later one that it never used. That is a guess, and is marked as
 * one.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/hash.h"
#include "base/str.h"
#include "decode/flight/decode-flight.h"
#include "job/names.h"

/* Ranks are below that: no job has so many. */
#define MOST_RANKS (1 << 18)

struct flight_rank *flight_of(const struct flights *flights, int64_t rank)
{
	struct flight_rank *ranks = flights->ranks.items;
	size_t place = bisect(0, flights->ranks.nr, i, ranks[i].rank < rank);

	return place < flights->ranks.nr && ranks[place].rank == rank ? &ranks[place] : NULL;
}

/* -- groups of all ranks ----------------------------------------------------------------------- */

/* Returns a group's key, whatever the order in which its ranks are listed; never 0. */
static uint64_t key_of(const struct flight_seat *seat)
{
	uint64_t hash = HASH_START, sum = seat->list ? seat->list->sum : 0;

	hash = hash_bytes(hash, seat->name, strlen(seat->name) + 1);
	hash = hash_bytes(hash, seat->desc, strlen(seat->desc) + 1);
	hash = hash_bytes(hash, &sum, sizeof(sum));
	if (seat->life)
		hash = hash_bytes(hash, &seat->life, sizeof(seat->life));
	return hash ? hash : 1;
}

/* Doubles the table of groups. */
static void rehash(struct flights *flights)
{
	free(flights->slots);
	flights->nslots = flights->nslots ? flights->nslots * 2 : 256;
	flights->slots = alloc_zeroed(flights->nslots, sizeof(*flights->slots));
	for (size_t i = 0; i < flights->groups.nr; i++) {
		size_t at = flights->groups.items[i].key & (flights->nslots - 1);

		while (flights->slots[at])
			at = (at + 1) & (flights->nslots - 1);
		flights->slots[at] = 1 + i;
	}
}

/* Returns a list in words: "0-3,8" of [0, 1, 2, 3, 8]. */
static const char *list_ranks(struct arena *arena, const struct flight_list *list)
{
	const int64_t *ranks = list ? list->ranks : NULL;
	size_t n = flight_list_size(list);
	struct str text = {0};
	const char *result;

	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && ranks[to] == ranks[to - 1] + 1; to++)
			;
		str_printf(&text, "%s%lld", from ? "," : "", (long long)ranks[from]);
		if (to - from > 1)
			str_printf(&text, "-%lld", (long long)ranks[to - 1]);
	}
	result = arena_text(arena, str_text(&text));
	str_release(&text);
	return result;
}

/* True for PyTorch's first group, by the names that PyTorch gives it. */
static bool is_world(const struct flight_seat *seat)
{
	return !strcmp(seat->name, "0") && !strcmp(seat->desc, "default_pg");
}

/* Returns the group of a seat; adds it if it is new. */
static uint32_t find_group(struct flights *flights, const struct flight_seat *seat)
{
	uint64_t key = key_of(seat);
	struct flight_union *group;
	size_t at;

	if (flights->groups.nr * 2 >= flights->nslots)
		rehash(flights);
	for (at = key & (flights->nslots - 1); flights->slots[at];
		at = (at + 1) & (flights->nslots - 1))
		if (flights->groups.items[flights->slots[at] - 1].key == key)
			return (uint32_t)(flights->slots[at] - 1);
	flights->slots[at] = 1 + flights->groups.nr;
	group = array_add(&flights->groups);
	*group = (struct flight_union){.key = key,
		.name = arena_text(&flights->arena, seat->name),
		.desc = arena_text(&flights->arena, seat->desc),
		.list = seat->list,
		.size = flight_list_size(seat->list),
		.sized = seat->list ? JOB_SIZE_SAID : JOB_SIZE_UNKNOWN,
		.world = is_world(seat),
		.maker = "",
		.listed = list_ranks(&flights->arena, seat->list)};
	return (uint32_t)flights->groups.nr - 1;
}

/* Returns the first seat of a rank in a list, which may be NULL; NO_GROUP_RANK if it has none. */
static struct group_rank list_place(const struct flight_list *list, int64_t rank)
{
	size_t n = flight_list_size(list), place;

	if (list && !list->ascending) {
		for (size_t i = 0; i < n; i++)
			if (list->ranks[i] == rank)
				return group_rank((uint32_t)i);
		return NO_GROUP_RANK;
	}
	place = bisect(0, n, i, list->ranks[i] < rank);
	return place < n && list->ranks[place] == rank ? group_rank((uint32_t)place)
						       : NO_GROUP_RANK;
}

/* Drops a seat's list that no group can have, or that lacks the rank itself. */
static void check_ranks(struct flight_seat *seat, int64_t me)
{
	if (!seat->list || seat->list->nr > MOST_RANKS || seat->list->most >= MOST_RANKS ||
		!is_group_rank(list_place(seat->list, me)))
		seat->list = NULL;
}

/*
 * Gives its group to each seat that has a list, or then to those that have none: lists by members
 * come first.
 */
static void place_seats(struct flights *flights, bool listed)
{
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];

		for (size_t k = 0; k < rank->seats.nr; k++) {
			struct flight_seat *seat = &rank->seats.items[k];

			if (listed)
				check_ranks(seat, rank->rank);
			if ((seat->list != NULL) != listed)
				continue;
			seat->group = find_group(flights, seat);
			seat->seat = list_place(
				flights->groups.items[seat->group].list, rank->rank);
		}
	}
}

/* Returns the group of that name that has the rank; NULL if there is none, or several. */
static const struct flight_union *group_of_name(
	const struct flights *flights, const struct flight_seat *seat, int64_t rank)
{
	const struct flight_union *found = NULL;

	for (size_t i = 0; i < flights->groups.nr; i++) {
		const struct flight_union *group = &flights->groups.items[i];

		if (strcmp(group->name, seat->name) || strcmp(group->desc, seat->desc) ||
			!is_group_rank(list_place(group->list, rank)))
			continue;
		if (found)
			return NULL;
		found = group;
	}
	return found;
}

/* Lends peers' lists to seats whose dump does not list the group's ranks. */
static void borrow_lists(struct flights *flights)
{
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];

		for (size_t k = 0; k < rank->seats.nr; k++) {
			struct flight_seat *seat = &rank->seats.items[k];
			const struct flight_union *group =
				seat->list ? NULL : group_of_name(flights, seat, rank->rank);

			if (!group)
				continue;
			seat->list = group->list;
			seat->group = (uint32_t)(group - flights->groups.items);
			seat->seat = list_place(group->list, rank->rank);
		}
	}
}

/* -- how many are in a group without a list ---------------------------------------------------- */

static const struct flight_seat *seat_in(const struct flight_rank *rank, uint32_t group)
{
	for (size_t i = 0; i < rank->seats.nr; i++)
		if (rank->seats.items[i].told && rank->seats.items[i].group == group)
			return &rank->seats.items[i];
	return NULL;
}

/* True if the process used no group that it made later; groups that it never used are not seen. */
static bool is_last_used(const struct flight_rank *rank, const struct flight_seat *seat)
{
	for (size_t i = 0; i < rank->seats.nr; i++)
		if (rank->seats.items[i].told && rank->seats.items[i].pg > seat->pg)
			return false;
	for (size_t i = 0; i < rank->nstatuses; i++)
		if (rank->statuses[i].pg > seat->pg)
			return false;
	return seat->pg != FLIGHT_UNKNOWN;
}

/* What ranks tell of the number of a group's members. */
struct members {
	size_t seen;            /* members by their own word */
	uint64_t told, guessed; /* 0 unknown */
	bool told_differ, guessed_differ;
};

/* Takes a size, and notes if it differs from one before. */
static void hear(uint64_t *into, bool *ret_differ, uint64_t size)
{
	*ret_differ |= size && *into && size != *into;
	if (size)
		*into = size;
}

/* Asks one rank how many are in the group; in the first group all ranks are. */
static void ask_rank(const struct flight_rank *rank, uint32_t group, bool world, struct members *m)
{
	const struct flight_seat *seat = seat_in(rank, group);

	m->seen += world || seat;
	if (seat) {
		hear(&m->told, &m->told_differ, seat->members);
		m->told_differ |= seat->members_differ;
	}
	if (seat ? is_last_used(rank, seat) : world && !rank->seats.nr && !rank->nstatuses)
		hear(&m->guessed, &m->guessed_differ, rank->last_size);
}

/* Sizes a group without a list: no smaller than its seen members, and only if ranks agree. */
static void size_group(const struct flights *flights, uint32_t at, struct flight_union *group)
{
	struct members m = {0};

	for (size_t i = 0; i < flights->ranks.nr; i++)
		ask_rank(&flights->ranks.items[i], at, group->world, &m);
	if (group->world && flights->ranks.nr &&
		m.seen <= (size_t)flights->ranks.items[flights->ranks.nr - 1].rank)
		m.seen = (size_t)flights->ranks.items[flights->ranks.nr - 1].rank + 1;
	if (m.told >= m.seen && m.told <= MOST_RANKS && m.told && !m.told_differ) {
		group->size = m.told;
		group->sized = JOB_SIZE_SAID;
	} else if (m.guessed >= m.seen && m.guessed <= MOST_RANKS && m.guessed &&
		   !m.guessed_differ && !m.told) {
		group->size = m.guessed;
		group->sized = JOB_SIZE_GUESSED;
	}
}

/*
 * Sets ranks' seats in the first group, where each one's seat is its number. In other groups
 * without a list no dump tells the seats.
 */
static void seat_by_number(struct flights *flights, uint32_t group)
{
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];
		uint32_t at = 0;

		while (at < rank->seats.nr && rank->seats.items[at].group != group)
			at++;
		if (at == rank->seats.nr) {
			const struct flight_seat unseen = {
				.name = flights->groups.items[group].name,
				.desc = flights->groups.items[group].desc,
				.pg = FLIGHT_UNKNOWN,
				.group = group,
				.newest = -1};

			at = flight_add_seat(rank, &unseen);
		}
		rank->seats.items[at].seat = group_rank((uint32_t)rank->rank);
	}
}

static void size_groups(struct flights *flights)
{
	for (size_t i = 0; i < flights->groups.nr; i++) {
		struct flight_union *group = &flights->groups.items[i];

		if (group->list)
			continue;
		size_group(flights, (uint32_t)i, group);
		if (group->world)
			seat_by_number(flights, (uint32_t)i);
	}
}

/* A rank (its index) that has a seat in a group. */
struct holder {
	uint32_t group;
	size_t rank;
};

struct holders {
	ARRAY(struct holder) list; /* by group */
};

static int compare_holders(const void *va, const void *vb)
{
	const struct holder *a = va, *b = vb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void find_holders(const struct flights *flights, struct holders *holders)
{
	for (size_t i = 0; i < flights->ranks.nr; i++)
		for (size_t k = 0; k < flights->ranks.items[i].seats.nr; k++)
			*array_add(&holders->list) = (struct holder){
				flights->ranks.items[i].seats.items[k].group, i};
	array_sort(&holders->list, compare_holders);
}

/*
 * Adds a seat of this group for each rank that its list names, and that is not marked with `mark`
 * yet: by rank (index), the last group, from 1, in which it has a seat.
 */
static void add_listed(struct flights *flights, uint32_t group, size_t *mark)
{
	const struct flight_union *g = &flights->groups.items[group];

	for (size_t k = 0; k < flight_list_size(g->list); k++) {
		struct flight_rank *rank = flight_of(flights, g->list->ranks[k]);
		size_t *at = rank ? &mark[rank - flights->ranks.items] : NULL;

		if (!rank || *at == (size_t)group + 1)
			continue;
		*at = (size_t)group + 1;
		flight_add_seat(rank,
			&(const struct flight_seat){.name = g->name,
				.desc = g->desc,
				.list = g->list,
				.pg = FLIGHT_UNKNOWN,
				.group = group,
				.seat = group_rank((uint32_t)k),
				.newest = -1});
	}
}

/* Adds seats for ranks that others list in a group, and whose own dumps say nothing of it. */
static void add_untold(struct flights *flights)
{
	struct holders holders = {0};
	size_t *mark = alloc_zeroed(flights->ranks.nr + 1, sizeof(*mark)), at = 0;

	find_holders(flights, &holders);
	for (uint32_t i = 0; i < flights->groups.nr; i++) {
		for (; at < holders.list.nr && holders.list.items[at].group == i; at++)
			mark[holders.list.items[at].rank] = (size_t)i + 1;
		add_listed(flights, i, mark);
	}
	array_release(&holders.list);
	free(mark);
}

/* -- which status is whose --------------------------------------------------------------------- */

/* Returns the rank's status of that number; NULL none. */
static const struct flight_status *status_of(const struct flight_rank *rank, int64_t pg)
{
	for (size_t i = 0; pg != FLIGHT_UNKNOWN && i < rank->nstatuses; i++)
		if (rank->statuses[i].pg == pg)
			return &rank->statuses[i];
	return NULL;
}

/* Returns the rank's seat of that number; NULL none. */
static struct flight_seat *seat_of_pg(struct flight_rank *rank, int64_t pg)
{
	for (size_t i = 0; i < rank->seats.nr; i++)
		if (rank->seats.items[i].pg == pg)
			return &rank->seats.items[i];
	return NULL;
}

static bool is_number(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isdigit((unsigned char)name[i]))
			return false;
	return len > 0 && len < 18;
}

static int compare_names(const void *va, const void *vb)
{
	const struct flight_seat *const *a = va, *const *b = vb;
	long long x = atoll((*a)->name), y = atoll((*b)->name);

	return x < y ? -1 : x > y;
}

static int compare_statuses(const void *va, const void *vb)
{
	const struct flight_status *a = va, *b = vb;

	return a->pg < b->pg ? -1 : a->pg > b->pg;
}

/* Takes the k-th status as the k-th group's, unless anything speaks against it. */
static void match_in_order(struct flight_rank *rank)
{
	struct flight_seat **own = alloc_zeroed(rank->seats.nr + 1, sizeof(struct flight_seat *));
	bool fits = true;
	size_t n = 0;

	for (size_t i = 0; i < rank->seats.nr; i++) {
		if (!rank->seats.items[i].told)
			continue;
		fits &= is_number(rank->seats.items[i].name);
		own[n++] = &rank->seats.items[i];
	}
	fits &= n == rank->nstatuses;
	array_sort_items(own, n, sizeof(struct flight_seat *), compare_names);
	for (size_t i = 0; i < n && fits; i++)
		fits = (own[i]->pg == FLIGHT_UNKNOWN || own[i]->pg == rank->statuses[i].pg) &&
		       (!i || (strcmp(own[i]->name, own[i - 1]->name) &&
				      rank->statuses[i].pg != rank->statuses[i - 1].pg));
	for (size_t i = 0; i < n && fits; i++)
		own[i]->pg = rank->statuses[i].pg;
	free(own);
}

static bool same_numbers(const struct flight_rank *a, const struct flight_rank *b)
{
	if (a->nstatuses != b->nstatuses)
		return false;
	for (size_t i = 0; i < a->nstatuses; i++)
		if (a->statuses[i].pg != b->statuses[i].pg)
			return false;
	return true;
}

/* Returns what peers with the same numbers say that this one is for; NULL if they do not agree. */
static const char *desc_by_peers(
	const struct flights *flights, const struct flight_rank *rank, int64_t pg)
{
	const char *desc = NULL;

	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *peer = &flights->ranks.items[i];
		const struct flight_seat *seat =
			peer == rank || !same_numbers(peer, rank) ? NULL : seat_of_pg(peer, pg);

		if (!seat)
			continue;
		if (desc && strcmp(desc, seat->desc))
			return NULL;
		desc = seat->desc;
	}
	return desc;
}

/* Returns the only group here that is for this and has no number yet; NULL. */
static struct flight_seat *free_seat_for(struct flight_rank *rank, const char *desc)
{
	struct flight_seat *found = NULL;

	for (size_t i = 0; i < rank->seats.nr; i++) {
		struct flight_seat *seat = &rank->seats.items[i];

		if (!seat->told || seat->pg != FLIGHT_UNKNOWN ||
			(desc && strcmp(seat->desc, desc)))
			continue;
		if (found)
			return NULL;
		found = seat;
	}
	return found;
}

/* Finds the groups of the other statuses by peers; a last one on either side belongs together. */
static void match_by_peers(const struct flights *flights, struct flight_rank *rank)
{
	int64_t last = FLIGHT_UNKNOWN;
	size_t left = 0;

	for (size_t i = 0; i < rank->nstatuses; i++) {
		int64_t pg = rank->statuses[i].pg;
		const char *desc = seat_of_pg(rank, pg) ? NULL : desc_by_peers(flights, rank, pg);
		struct flight_seat *seat = desc ? free_seat_for(rank, desc) : NULL;

		if (seat)
			seat->pg = pg;
		if (!seat_of_pg(rank, pg)) {
			last = pg;
			left++;
		}
	}
	if (left == 1) {
		struct flight_seat *seat = free_seat_for(rank, NULL);

		left = !seat;
		if (seat)
			seat->pg = last;
	}
	rank->unplaced = left > 0;
}

static void match_statuses(struct flights *flights)
{
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];

		array_sort_items(rank->statuses, rank->nstatuses, sizeof(*rank->statuses),
			compare_statuses);
		match_in_order(rank);
	}
	for (size_t i = 0; i < flights->ranks.nr; i++)
		match_by_peers(flights, &flights->ranks.items[i]);
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		struct flight_rank *rank = &flights->ranks.items[i];

		for (size_t k = 0; k < rank->seats.nr; k++)
			rank->seats.items[k].status =
				status_of(rank, rank->seats.items[k].pg);
	}
}

/* -- all of it --------------------------------------------------------------------------------- */

/* Finds what ops tell of their groups: their maker, and whether there is P2P among them. */
static void look_at_ops(struct flights *flights)
{
	for (size_t i = 0; i < flights->ranks.nr; i++) {
		const struct flight_rank *rank = &flights->ranks.items[i];

		for (size_t k = 0; k < rank->seats.nr; k++) {
			const char *maker = rank->seats.items[k].maker;
			struct flight_union *group =
				&flights->groups.items[rank->seats.items[k].group];

			if (maker && (!*group->maker || strcmp(maker, group->maker) < 0))
				group->maker = maker;
		}
		for (size_t k = 0; k < rank->ops.nr; k++) {
			const struct flight_op *op = &rank->ops.items[k];
			struct flight_union *group =
				&flights->groups.items[rank->seats.items[op->seat].group];

			group->has_p2p |= op->p2p || op->p2p_seq > 0;
			group->has_collectives |= !op->p2p;
		}
	}
}

/*
 * Numbers seats in groups without a list. A rank's own messages tell its seat, and seats in others'
 * messages are theirs. If no message was sent, no op names a seat, and seats are numbered in the
 * order of ranks.
 */
static void number_seats(struct flights *flights)
{
	uint32_t *next = alloc_zeroed(flights->groups.nr + 1, sizeof(*next));

	for (size_t i = 0; i < flights->ranks.nr; i++)
		for (size_t k = 0; k < flights->ranks.items[i].seats.nr; k++) {
			struct flight_seat *seat = &flights->ranks.items[i].seats.items[k];
			const struct flight_union *group = &flights->groups.items[seat->group];

			if (group->list || group->world || !seat->entries)
				continue;
			if (seat->mine && seat->mine <= MOST_RANKS)
				seat->seat = group_rank(seat->mine - 1);
			else if (!group->has_p2p)
				seat->seat = group_rank(next[seat->group]++);
		}
	free(next);
}

void flight_join_groups(struct flights *flights)
{
	place_seats(flights, true);
	borrow_lists(flights);
	place_seats(flights, false);
	size_groups(flights);
	add_untold(flights);
	match_statuses(flights);
	look_at_ops(flights);
	number_seats(flights);
}
