/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in the program the sides of a fork are: whoever mends it has to compare two lines of the
 * program. The recorder of the op may know where it was called; else stacks tell where the ranks of
 * each camp stand now.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "verdict/rule.h"

#define TOLD_CAMPS 4
#define TOLD_SITES 2 /* sites of one camp that are told */

static bool has_site(const struct inquiry *q, struct rank_index rank)
{
	const struct profile *p = is_rank(rank) ? &q->profiles[rank.i] : NULL;

	return p && p->posture.stack && p->posture.program >= 0 && !p->ended;
}

static void tell_site(struct inquiry *q, struct rank_index first, const struct rank_list *ranks,
	int64_t stands, struct draft *draft)
{
	const struct posture *p = &q->profiles[first.i].posture;
	struct verdict_fact *fact = draft_fact_of(q, draft,
		activities_waits(p->activity) ? FACT_WAITS_AT : FACT_AT, ranks, p->stack->cite);

	if (activities_waits(p->activity))
		stacks_tell_call(q, p, fact);
	else
		fact->thing = draft_frame(q, p->stack, p->program);
	if (stands > 0)
		fact->a = stands;
}

/* Adds where ranks of one camp stand, those at one line of the program in one fact. */
static void tell_camp(struct inquiry *q, const struct fork_camp *camp, struct draft *draft)
{
	bool *told = alloc_zeroed(camp->n + 1, sizeof(*told));

	for (size_t i = 0, sites = 0; i < camp->n && sites < TOLD_SITES; i++) {
		struct rank_index first = q->job->members[camp->members[i]].rank;
		struct rank_list ranks = {0};
		int64_t stands = JOB_UNKNOWN;

		if (told[i] || !has_site(q, first))
			continue;
		for (size_t k = i; k < camp->n; k++) {
			struct rank_index rank = q->job->members[camp->members[k]].rank;

			if (told[k] || !has_site(q, rank) || !stacks_same_site(q, first, rank))
				continue;
			told[k] = true;
			rank_list_add(&ranks, rank);
			if (q->profiles[rank.i].posture.stands > stands)
				stands = q->profiles[rank.i].posture.stands;
		}
		rank_list_settle(&ranks);
		tell_site(q, first, &ranks, stands, draft);
		array_release(&ranks.list);
		sites++;
	}
	free(told);
}

static bool is_told(const struct draft *draft, const char *place)
{
	const struct verdict_fact *fact;

	array_for_each (&draft->facts, fact)
		if (fact->kind == FACT_CALLED_AT && !strcmp(fact->text, place))
			return true;
	return false;
}

/*
 * Adds where the camp called its op, by the op's record, which tells it best; victims have that
 * from tell_victims(). False: it is not recorded.
 */
static bool tell_call(struct inquiry *q, const struct fork_camp *camp, struct draft *draft)
{
	struct rank_list ranks = {0};

	if (!camp->op || !*camp->op->place)
		return false;
	for (size_t i = 0; i < camp->n; i++) {
		struct rank_index rank = q->job->members[camp->members[i]].rank;

		if (!rank_list_has(&draft->victims, rank))
			rank_list_add(&ranks, rank);
	}
	rank_list_settle(&ranks);
	if (ranks.list.nr && !is_told(draft, camp->op->place))
		draft_fact_of(q, draft, FACT_CALLED_AT, &ranks, camp->op->cite)->text =
			camp->op->place;
	array_release(&ranks.list);
	return true;
}

/* Returns the first rank of a camp whose place is known; NO_RANK. */
static struct rank_index first_of(const struct inquiry *q, const struct fork_camp *camp)
{
	for (size_t i = 0; i < camp->n; i++)
		if (has_site(q, q->job->members[camp->members[i]].rank))
			return q->job->members[camp->members[i]].rank;
	return NO_RANK;
}

/*
 * True if some stand elsewhere than others: where all wait for the GPU at one line, it tells
 * nothing.
 */
static bool sites_differ(const struct inquiry *q, const struct fork *fork)
{
	struct rank_index one = first_of(q, &fork->camps[0]);

	for (size_t c = 0; c < fork->ncamps && is_rank(one); c++)
		for (size_t i = 0; i < fork->camps[c].n; i++) {
			struct rank_index rank = q->job->members[fork->camps[c].members[i]].rank;

			if (has_site(q, rank) && !stacks_same_site(q, one, rank))
				return true;
		}
	return false;
}

/* True if the two stand in calls that wait, and these are not one call at one line. */
static bool stand_apart(const struct inquiry *q, struct rank_index a, struct rank_index b)
{
	return has_site(q, a) && has_site(q, b) &&
	       activities_waits(q->profiles[a.i].posture.activity) &&
	       activities_waits(q->profiles[b.i].posture.activity) && !stacks_same_site(q, a, b);
}

/* True if each rank of the one camp stands apart from each of the other. */
static bool camps_stand_apart(
	const struct inquiry *q, const struct fork_camp *one, const struct fork_camp *other)
{
	for (size_t i = 0; i < one->n; i++)
		for (size_t k = 0; k < other->n; k++)
			if (!stand_apart(q, q->job->members[one->members[i]].rank,
				    q->job->members[other->members[k]].rank))
				return false;
	return one->n && other->n;
}

/* True if all ranks of the camp stand where that rank does. */
static bool stands_with(
	const struct inquiry *q, struct rank_index rank, const struct fork_camp *camp)
{
	for (size_t i = 0; i < camp->n; i++) {
		struct rank_index other = q->job->members[camp->members[i]].rank;

		if (!has_site(q, other) || !stacks_same_site(q, rank, other))
			return false;
	}
	return true;
}

enum job_known fork_calls_differ(const struct inquiry *q, const struct fork *fork, size_t camp)
{
	const struct fork_camp *mine = &fork->camps[camp], *most = &fork->camps[0];
	struct rank_index first;

	if (mine->op && most->op && *mine->op->place && *most->op->place)
		return strcmp(mine->op->place, most->op->place) != 0 ? JOB_YES : JOB_NO;
	if (camps_stand_apart(q, mine, most))
		return JOB_YES;
	first = first_of(q, most);
	return is_rank(first) && stands_with(q, first, mine) && stands_with(q, first, most)
		       ? JOB_NO
		       : JOB_MAYBE;
}

void fork_tell_sites(struct inquiry *q, const struct fork *fork, struct draft *draft)
{
	bool differ = sites_differ(q, fork);

	for (size_t i = fork->ncamps < TOLD_CAMPS ? fork->ncamps : TOLD_CAMPS; i--;)
		if (!tell_call(q, &fork->camps[i], draft) && differ)
			tell_camp(q, &fork->camps[i], draft);
}
