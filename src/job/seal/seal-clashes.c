/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits groups that ranks made in different orders. PyTorch counts groups, so a rank that makes
 * them in another order makes another group under the same name: then two ranks hold one seat, or
 * members list other ranks. Such a key is no group's. Each list of ranks becomes a group of its
 * own, and so does each member without a list, since nobody knows with whom it is. All of them keep
 * the key that they were made under (`made_as`).
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/seal/seal.h"

/* What one process says of one key. */
struct saying {
	uint64_t key;
	int process;
	struct rank_index rank;
	struct group_rank seat;
	const char *ranks;
	uint64_t as; /* its new key */
};

struct sayings {
	ARRAY(struct saying) all;
};

static int compare_sayings(const void *va, const void *vb)
{
	const struct saying *a = va, *b = vb;

	SEAL_ORDER(a->key, b->key);
	SEAL_ORDER(a->process, b->process);
	SEAL_ORDER(a->seat.n, b->seat.n);
	SEAL_ORDER_TEXT(a->ranks, b->ranks);
	return 0;
}

/* Collects what processes of ranks say of their groups' keys, in order. */
static void collect(struct seal *seal, struct sayings *sayings)
{
	const struct raw_member *member;

	array_for_each(&seal->b->members, member) {
		int process = seal_find_process(seal, member->about.who);

		if (process == JOB_NONE || !is_rank(seal->people[process].rank) ||
			seal->people[process].shared || !is_group_rank(member->fact.seat))
			continue;
		*array_add(&sayings->all) = (struct saying){.key = member->group.key,
			.process = process,
			.rank = seal->people[process].rank,
			.seat = member->fact.seat,
			.ranks = member->group.ranks};
	}
	array_sort(&sayings->all, compare_sayings);
}

/*
 * True if two processes list different ranks for one key. If there are two lists, and two processes
 * that list any, one of them contradicts another one, whoever said which.
 */
static bool lists_clash(const struct saying *list, size_t from, size_t to)
{
	const struct saying *first = NULL;
	bool lists = false, processes = false;

	for (size_t i = from; i < to; i++) {
		if (!*list[i].ranks)
			continue;
		if (!first)
			first = &list[i];
		lists |= list[i].ranks != first->ranks && strcmp(list[i].ranks, first->ranks) != 0;
		processes |= list[i].process != first->process;
	}
	return lists && processes;
}

static int compare_seats(const void *va, const void *vb)
{
	const struct saying *const *a = va, *const *b = vb;

	SEAL_ORDER((*a)->seat.n, (*b)->seat.n);
	SEAL_ORDER((*a)->rank.i, (*b)->rank.i);
	return 0;
}

/* True if two ranks say that they hold the same seat. */
static bool seats_clash(const struct saying *list, size_t from, size_t to)
{
	const struct saying **by_seat = alloc_zeroed(to - from, sizeof(const struct saying *));
	bool clash = false;

	for (size_t i = from; i < to; i++)
		by_seat[i - from] = &list[i];
	array_sort_items(by_seat, to - from, sizeof(const struct saying *), compare_seats);
	for (size_t i = 1; i < to - from && !clash; i++)
		clash = same_group_rank(by_seat[i]->seat, by_seat[i - 1]->seat) &&
			!same_rank(by_seat[i]->rank, by_seat[i - 1]->rank);
	free(by_seat);
	return clash;
}

/*
 * True if the sayings [from, to), all of one key, contradict each other. Both tests go through them
 * once: comparing pairs would take ranks squared.
 */
static bool is_clash(const struct saying *list, size_t from, size_t to)
{
	return lists_clash(list, from, to) || seats_clash(list, from, to);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/*
 * Returns the new key, which is equal for all who made the same group: those with the same list of
 * ranks.
 */
static uint64_t key_of(const struct seal *seal, const struct saying *saying)
{
	uint64_t key = mix(saying->key, 0x636c617368ull);

	for (const char *c = saying->ranks; *c; c++)
		key = mix(key, (unsigned char)*c);
	if (!*saying->ranks)
		key = mix(key, 1 + (uint64_t)(unsigned)seal->ranks[saying->rank.i].world_rank.n);
	return key ? key : 1;
}

/* Keeps the sayings whose keys clash, one for each process, with their new keys. */
static void keep_clashes(const struct seal *seal, struct sayings *sayings)
{
	struct saying *list = sayings->all.items;
	size_t n = sayings->all.nr, kept = 0;

	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && list[to].key == list[from].key; to++)
			;
		if (!is_clash(list, from, to))
			continue;
		for (size_t i = from; i < to; i++) {
			struct saying saying = list[i];

			saying.as = key_of(seal, &saying);
			if (kept && list[kept - 1].key == saying.key &&
				list[kept - 1].process == saying.process)
				continue;
			list[kept++] = saying;
		}
	}
	sayings->all.nr = kept;
}

static int compare_places(const void *va, const void *vb)
{
	const struct saying *a = va, *b = vb;

	SEAL_ORDER(a->key, b->key);
	SEAL_ORDER(a->process, b->process);
	return 0;
}

/* Gives a fact of that process the new key of its group. Returns the old key; 0: it stays. */
static uint64_t rename_key(
	struct seal *seal, const struct sayings *sayings, struct job_who who, uint64_t *key)
{
	const struct saying wanted = {.key = *key, .process = seal_find_process(seal, who)};
	const struct saying *found = bsearch(&wanted, sayings->all.items, sayings->all.nr,
		sizeof(wanted), compare_places);

	if (!found)
		return 0;
	*key = found->as;
	return found->key;
}

void seal_clashes(struct seal *seal)
{
	struct job_builder *b = seal->b;
	struct sayings sayings = {0};
	struct raw_member *member;
	struct raw_thread *thread;
	struct raw_calls *calls;
	struct raw_op *op;

	collect(seal, &sayings);
	keep_clashes(seal, &sayings);
	if (sayings.all.nr) {
		array_for_each(&b->members, member)
			member->group.made_as = rename_key(
				seal, &sayings, member->about.who, &member->group.key);
		array_for_each(&b->ops, op)
			rename_key(seal, &sayings, op->about.who, &op->seen.group_key);
		array_for_each(&b->threads, thread)
			rename_key(seal, &sayings, thread->about.who, &thread->group_key);
		array_for_each(&b->calls, calls)
			for (size_t i = 0; i < calls->nkeys; i++)
				rename_key(seal, &sayings, calls->about.who, &calls->keys[i]);
	}
	array_release(&sayings.all);
}
