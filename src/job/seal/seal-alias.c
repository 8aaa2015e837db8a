/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins groups that two routes have seen. A route that knows the unique id makes the group's key of
 * it; one that only hears NCCL's own hash makes the key of that. The hash is the alias of both. So
 * groups of one maker with equal aliases, and no sizes that contradict it, are one group: the
 * smallest of their keys stands for all.
 *
 * Also numbers seats that nobody knew. NCCL tells the route that only listens which communicator a
 * split has made, but not its size and ranks. Where no member of a group knows its seat, seats are
 * numbered by the ranks that hold them: as NCCL does it for keys that rise with the rank. Who is in
 * the group is right in any case.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/seal/seal.h"

/* -- keys -------------------------------------------------------------------------------------- */

/* A group as one member tells it: its alias, and what else decides whether two are one. */
struct alias {
	uint64_t alias;
	const char *maker;
	uint64_t key;
	uint32_t size;
};

/* A key that gives way to another one. */
struct renaming {
	uint64_t from, to;
};

static int compare_aliases(const void *va, const void *vb)
{
	const struct alias *a = va, *b = vb;

	SEAL_ORDER(a->alias, b->alias);
	SEAL_ORDER_TEXT(a->maker, b->maker);
	SEAL_ORDER(a->key, b->key);
	SEAL_ORDER(a->size, b->size);
	return 0;
}

static int compare_renamings(const void *va, const void *vb)
{
	const struct renaming *a = va, *b = vb;

	SEAL_ORDER(a->from, b->from);
	return 0;
}

static void rename_key(const struct renaming *names, size_t n, uint64_t *key)
{
	const struct renaming *found =
		bsearch(&(const struct renaming){.from = *key}, names, n, sizeof(*names),
			compare_renamings);

	if (found)
		*key = found->to;
}

static void rename_all(struct job_builder *b, const struct renaming *names, size_t n)
{
	struct raw_member *member;
	struct raw_op *op;
	struct raw_thread *thread;
	struct raw_calls *calls;

	array_for_each(&b->members, member) {
		rename_key(names, n, &member->group.key);
		rename_key(names, n, &member->group.parent);
	}
	array_for_each(&b->ops, op)
		rename_key(names, n, &op->seen.group_key);
	array_for_each(&b->threads, thread)
		rename_key(names, n, &thread->group_key);
	array_for_each(&b->calls, calls)
		for (size_t i = 0; i < calls->nkeys; i++)
			rename_key(names, n, &calls->keys[i]);
}

/*
 * Adds the renamings that make one group of these n aliases, which are equal; returns how many.
 * Keys whose size contradicts the first one's stay.
 */
static size_t join_run(const struct alias *run, size_t n, struct renaming *names)
{
	size_t named = 0;

	for (size_t i = 1; i < n; i++) {
		bool fits = !run[i].size || !run[0].size || run[i].size == run[0].size;

		if (run[i].key != run[0].key && run[i].key != run[i - 1].key && fits)
			names[named++] = (struct renaming){run[i].key, run[0].key};
	}
	return named;
}

void seal_aliases(struct seal *seal)
{
	struct job_builder *b = seal->b;
	struct alias *aliases = alloc_zeroed(b->members.nr + 1, sizeof(*aliases));
	struct renaming *names = alloc_zeroed(b->members.nr + 1, sizeof(*names));
	size_t n = 0, named = 0;

	for (size_t i = 0; i < b->members.nr; i++) {
		const struct job_group *group = &b->members.items[i].group;

		if (group->alias)
			aliases[n++] = (struct alias){
				group->alias, group->maker, group->key, group->size};
	}
	array_sort_items(aliases, n, sizeof(*aliases), compare_aliases);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && aliases[to].alias == aliases[from].alias &&
				    strcmp(aliases[to].maker, aliases[from].maker) == 0;
			to++)
			;
		named += join_run(aliases + from, to - from, names + named);
	}
	array_sort_items(names, named, sizeof(*names), compare_renamings);
	if (named)
		rename_all(b, names, named);
	free(names);
	free(aliases);
}

/* -- seats ------------------------------------------------------------------------------------- */

/* A member without a known seat. */
struct seatless {
	uint64_t key;
	struct rank_index rank;
	int process;
	struct group_rank seat;
};

static int compare_seatless(const void *va, const void *vb)
{
	const struct seatless *a = va, *b = vb;

	SEAL_ORDER(a->key, b->key);
	SEAL_ORDER(a->rank.i, b->rank.i);
	SEAL_ORDER(a->process, b->process);
	return 0;
}

static int compare_holders(const void *va, const void *vb)
{
	const struct seatless *a = va, *b = vb;

	SEAL_ORDER(a->key, b->key);
	SEAL_ORDER(a->process, b->process);
	return 0;
}

/* True if a member that has come through its init knows neither its seat nor the group's size. */
static bool is_seatless(const struct raw_member *member)
{
	return !is_group_rank(member->fact.seat) && !member->group.size &&
	       member->fact.state > JOB_MEMBER_IN_INIT;
}

/*
 * Numbers the seats of each group by rank; a process that says it twice has one seat. Returns how
 * many members are left, ordered for seat_of().
 */
static size_t number_seats(struct seatless *list, size_t nr)
{
	size_t n = 0;

	array_sort_items(list, nr, sizeof(*list), compare_seatless);
	for (size_t i = 0; i < nr; i++) {
		if (n && compare_seatless(&list[n - 1], &list[i]) == 0)
			continue;
		list[n] = list[i];
		list[n].seat = group_rank(
			n && list[n - 1].key == list[n].key ? list[n - 1].seat.n + 1 : 0);
		n++;
	}
	array_sort_items(list, n, sizeof(*list), compare_holders);
	return n;
}

/* Returns the seat that a process got in a group; NO_GROUP_RANK: none. */
static struct group_rank seat_of(
	struct seal *seal, const struct seatless *list, size_t n, uint64_t key, struct job_who who)
{
	struct seatless wanted = {.key = key, .process = seal_find_process(seal, who)};
	const struct seatless *found = bsearch(&wanted, list, n, sizeof(*list), compare_holders);

	return found ? found->seat : NO_GROUP_RANK;
}

void seal_seats(struct seal *seal)
{
	struct job_builder *b = seal->b;
	struct seatless *list = alloc_zeroed(b->members.nr + 1, sizeof(*list));
	struct raw_member *member;
	struct raw_op *op;
	size_t n = 0;

	array_for_each(&b->members, member) {
		int process = seal_find_process(seal, member->about.who);

		if (is_seatless(member) && process != JOB_NONE &&
			is_rank(seal->people[process].rank))
			list[n++] = (struct seatless){
				member->group.key, seal->people[process].rank, process,
				NO_GROUP_RANK};
	}
	n = number_seats(list, n);
	if (n) {
		array_for_each(&b->members, member)
			if (is_seatless(member))
				member->fact.seat = seat_of(seal, list, n, member->group.key,
					member->about.who);
		array_for_each(&b->ops, op)
			if (!is_group_rank(op->seen.seat))
				op->seen.seat = seat_of(
					seal, list, n, op->seen.group_key, op->about.who);
	}
	free(list);
}
