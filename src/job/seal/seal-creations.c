/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds groups of one name that cannot be one group. PyTorch names a group by its number, and asks
 * all ranks to make all groups in one order, also those that they are not in. So a rank that others
 * list in a group, and that itself took this group's name for another list, makes its groups in
 * another order; from there on nobody knows who meets whom. Lists that have no such rank in common
 * do not contradict each other: all parts of a split have one name.
 *
 * (Lists of different lengths give different keys, so that no clash of keys tells of these.)
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "job/ranks.h"
#include "job/seal/seal.h"

#define MADE "group-made:" /* key of the trait in which a rank tells of a group that it is not in */

/* The name of PyTorch's first group: a rank that makes it anew counts its groups anew. */
#define FIRST_GROUP "0"

#define SAYS_NONE (-1)
#define SAYS_MANY (-2)

/* Which ranks a group of that name has, by the word of one rank. */
struct claim {
	const char *name;
	const char *ranks;
	struct rank_index rank;
};

struct claims {
	ARRAY(struct claim) all; /* by name, list, rank */
	int64_t *begun; /* per rank: when it made its first group for the last time */
};

static int compare_claims(const void *va, const void *vb)
{
	const struct claim *a = va, *b = vb;

	SEAL_ORDER_TEXT(a->name, b->name);
	SEAL_ORDER_TEXT(a->ranks, b->ranks);
	SEAL_ORDER(a->rank.i, b->rank.i);
	return 0;
}

/* Returns the rank whose word this is; NO_RANK where its number is not known. */
static struct rank_index rank_of(struct seal *seal, struct job_who who)
{
	int process = seal_find_process(seal, who);
	struct rank_index rank;

	if (process == JOB_NONE || seal->people[process].shared)
		return NO_RANK;
	rank = seal->people[process].rank;
	return !is_rank(rank) || seal->ranks[rank.i].numberless ? NO_RANK : rank;
}

/* Finds when each rank began to count its groups for the last time. */
static void find_begins(struct seal *seal, struct claims *claims)
{
	const struct raw_member *member;

	claims->begun = alloc_zeroed(seal->job->nranks + 1, sizeof(*claims->begun));
	job_for_each_rank(seal->job, rank)
		claims->begun[rank.i] = JOB_UNKNOWN;
	array_for_each(&seal->b->members, member) {
		struct rank_index rank = rank_of(seal, member->about.who);

		if (is_rank(rank) && !strcmp(member->group.name, FIRST_GROUP))
			SEAL_KEEP_MAX(claims->begun[rank.i], member->fact.init_since);
	}
}

/* Adds a claim. What a rank said before it counted anew is of other groups, and left out. */
static void add_claim(struct claims *claims, const char *name, const char *ranks,
	struct rank_index rank, int64_t when)
{
	if (is_rank(rank) && *name && *ranks &&
		(when == JOB_UNKNOWN || when >= claims->begun[rank.i]))
		*array_add(&claims->all) = (struct claim){name, ranks, rank};
}

/* Collects all claims: of members, and of ranks that are not in the group. */
static void collect(struct seal *seal, struct claims *claims)
{
	const struct raw_member *member;
	const struct raw_trait *trait;

	find_begins(seal, claims);
	array_for_each(&seal->b->members, member)
		if (member->fact.state < JOB_MEMBER_CLOSING)
			add_claim(claims, member->group.name, member->group.ranks,
				rank_of(seal, member->about.who), member->fact.init_since);
	array_for_each(&seal->b->traits, trait)
		if (!strncmp(trait->fact.key, MADE, strlen(MADE)))
			add_claim(claims, trait->fact.key + strlen(MADE), trait->fact.text,
				rank_of(seal, trait->about.who), trait->fact.when);
	array_sort(&claims->all, compare_claims);
}

/*
 * Notes which list each rank gave in [from, to), claims of one name: the index of the list's first
 * claim, or SAYS_MANY.
 */
static void note_lists(const struct claim *list, size_t from, size_t to, int64_t *says)
{
	size_t first = from;

	for (size_t i = from; i < to; i++) {
		int64_t *said = &says[list[i].rank.i];

		if (strcmp(list[i].ranks, list[first].ranks) != 0)
			first = i;
		*said = *said == SAYS_NONE || *said == (int64_t)first ? (int64_t)first : SAYS_MANY;
	}
}

/* True if some rank of this list gives another list for the same name. */
static bool is_denied(const struct seal *seal, const char *ranks, size_t first, const int64_t *says)
{
	const struct job *job = seal->job;
	unsigned long from, to, last;

	if (!job->nranks || !is_world_rank(job->ranks[job->nranks - 1].world_rank))
		return false;
	last = (unsigned long)job->ranks[job->nranks - 1].world_rank.n;
	while (ranks_next(&ranks, &from, &to))
		for (to = to < last ? to : last; from <= to; from++) {
			struct rank_index rank = ranks_find(job, world_rank((int)from));

			if (is_rank(rank) && says[rank.i] >= 0 && says[rank.i] != (int64_t)first)
				return true;
		}
	return false;
}

/*
 * True if the claims [from, to), all of one name, contradict each other. `says`: SAYS_NONE per
 * rank, as it is left.
 */
static bool contradict(
	const struct seal *seal, const struct claim *list, size_t from, size_t to, int64_t *says)
{
	bool found = false;

	if (!strcmp(list[from].ranks, list[to - 1].ranks))
		return false;
	note_lists(list, from, to, says);
	for (size_t i = from; i < to && !found; i++)
		if (i == from || strcmp(list[i].ranks, list[i - 1].ranks) != 0)
			found = is_denied(seal, list[i].ranks, i, says);
	for (size_t i = from; i < to; i++)
		says[list[i].rank.i] = SAYS_NONE;
	return found;
}

/* Returns the made_as of groups that were made under a name: the same for all of them. */
static uint64_t known_as(const char *name)
{
	uint64_t hash = hash_text(0x6d616465ull, name);

	return hash ? hash : 1;
}

/* Marks all members that made a group of that name since they counted anew. */
static void mark_name(struct seal *seal, const struct claims *claims, const char *name)
{
	struct raw_member *member;

	array_for_each(&seal->b->members, member) {
		struct rank_index rank;

		if (strcmp(member->group.name, name) != 0 ||
			member->fact.state >= JOB_MEMBER_CLOSING)
			continue;
		rank = rank_of(seal, member->about.who);
		if (is_rank(rank) && (member->fact.init_since == JOB_UNKNOWN ||
						member->fact.init_since >= claims->begun[rank.i]))
			member->group.made_as = known_as(name);
	}
}

void seal_creations(struct seal *seal)
{
	struct claims claims = {0};
	int64_t *says = alloc_zeroed(seal->job->nranks + 1, sizeof(*says));
	const struct claim *list;

	job_for_each_rank(seal->job, rank)
		says[rank.i] = SAYS_NONE;
	collect(seal, &claims);
	list = claims.all.items;
	for (size_t from = 0, to; from < claims.all.nr; from = to) {
		for (to = from; to < claims.all.nr && !strcmp(list[to].name, list[from].name); to++)
			;
		if (contradict(seal, list, from, to, says))
			mark_name(seal, &claims, list[from].name);
	}
	array_release(&claims.all);
	free(claims.begun);
	free(says);
}
