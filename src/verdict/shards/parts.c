/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class uneven-shard, in an all-to-all in which each member may give each other one another amount:
 * what one awaits from another must be what that one gives. Where it is not, the pair is named; if
 * one rank is in all such pairs, and the others in one each, that rank: it alone sees it otherwise
 * than all others. Where only the sum of each member is known, all together must give what all
 * await; if they do not, somebody's splits are wrong, and nobody knows whose.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "job/rollcall.h"
#include "verdict/judge.h"
#include "verdict/rule.h"

#define NOT_KNOWN UINT32_MAX

/* Reads what a member gives that seat in an op, and awaits from it; false where it is not known. */
static bool part_of(
	const struct job_op *op, uint32_t seat, uint32_t *ret_gives, uint32_t *ret_awaits)
{
	const char *at = op ? op->parts : "";
	char *end;

	for (uint32_t i = 0; *at && *at != '*'; i++) {
		unsigned long gives = strtoul(at, &end, 10), awaits = 0;

		if (*end == ':')
			awaits = strtoul(end + 1, &end, 10);
		if (i == seat) {
			*ret_gives = (uint32_t)gives;
			*ret_awaits = (uint32_t)awaits;
			return gives < NOT_KNOWN && awaits < NOT_KNOWN;
		}
		at = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return false;
	}
	return false;
}

/* A pair in which one gives what the other does not await. */
struct uneven {
	uint32_t giver, taker; /* seats */
	uint32_t gives, awaits;
};

struct unevens {
	ARRAY(struct uneven) list;
};

/* Finds all such pairs of an op. */
static void find_uneven(
	const struct inquiry *q, int group, uint64_t index, struct unevens *ret_unevens)
{
	const struct job_group *g = &q->job->groups[group];

	for (uint32_t giver = 0; giver < g->size; giver++) {
		const struct job_op *op =
			rollcall_op(&q->job->members[g->first_member + (int)giver], index);

		for (uint32_t taker = 0; op && *op->parts && taker < g->size; taker++) {
			const struct job_op *other = rollcall_op(
				&q->job->members[g->first_member + (int)taker], index);
			struct uneven uneven = {.giver = giver, .taker = taker};
			uint32_t unused;

			if (part_of(op, taker, &uneven.gives, &unused) &&
				part_of(other, giver, &unused, &uneven.awaits) &&
				uneven.gives != uneven.awaits)
				*array_add(&ret_unevens->list) = uneven;
		}
	}
}

/*
 * Returns the seat that is in all pairs, if there are several and no other seat is; else
 * UINT32_MAX.
 */
static uint32_t odd_seat(const struct unevens *unevens)
{
	const struct uneven *first = &unevens->list.items[0], *pair;
	bool giver = unevens->list.nr > 1, taker = giver;

	array_for_each(&unevens->list, pair) {
		giver &= pair->giver == first->giver || pair->taker == first->giver;
		taker &= pair->giver == first->taker || pair->taker == first->taker;
	}
	if (giver == taker)
		return UINT32_MAX;
	return giver ? first->giver : first->taker;
}

static struct rank_index rank_at(const struct inquiry *q, int group, uint32_t seat)
{
	return q->job->members[q->job->groups[group].first_member + (int)seat].rank;
}

static void tell_pair(struct inquiry *q, int group, uint64_t index, const struct uneven *pair,
	struct draft *draft)
{
	const struct job_group *g = &q->job->groups[group];
	const struct job_op *op =
		rollcall_op(&q->job->members[g->first_member + (int)pair->giver], index);
	struct rank_index taker = rank_at(q, group, pair->taker);
	struct verdict_fact *fact = draft_fact(
		q, draft, FACT_UNEVEN_PARTS, rank_at(q, group, pair->giver), op->cite);

	fact->text = inquiry_op_name(op);
	fact->a = pair->gives;
	fact->b = is_rank(taker) ? job_rank(q->job, taker)->world_rank.n : JOB_UNKNOWN;
	fact->c = pair->awaits;
	draft->verdict.op = op->sig;
}

/* Adds as victims those who are still in that op, or ended there. */
static void find_held(struct inquiry *q, int group, uint64_t index, struct draft *draft)
{
	const struct job_group *g = &q->job->groups[group];

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];
		const struct job_op *op = rollcall_op(m, index);

		if (op && op->completed != JOB_YES && is_rank(m->rank) &&
			!rank_list_has(&draft->culprits, m->rank))
			rank_list_add(&draft->victims, m->rank);
	}
}

static void write_uneven(
	struct inquiry *q, int group, uint64_t index, const struct unevens *unevens)
{
	struct draft *draft = inquiry_draft(q, VERDICT_UNEVEN_SHARD);
	const struct uneven *first = &unevens->list.items[0];
	uint32_t odd = odd_seat(unevens);

	draft->verdict.confidence = VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_SAME_COUNTS;
	draft->verdict.group = group;
	draft->verdict.op_index = index;
	if (odd != UINT32_MAX) {
		rank_list_add(&draft->culprits, rank_at(q, group, odd));
	} else {
		rank_list_add(&draft->camp_a, rank_at(q, group, first->giver));
		rank_list_add(&draft->camp_b, rank_at(q, group, first->taker));
	}
	find_held(q, group, index, draft);
	for (size_t i = 0; i < unevens->list.nr && i < TOLD_CULPRITS; i++)
		tell_pair(q, group, index, &unevens->list.items[i], draft);
}

/* -- sums ----------------------------------------------------------------------------------- */

/* Adds what a member gives and awaits in all; false if that is not known. */
static bool add_sums(const struct job_op *op, uint64_t *gives, uint64_t *awaits)
{
	unsigned long long mine, theirs;
	char *end;

	if (!op || *op->parts != '*')
		return false;
	mine = strtoull(op->parts + 1, &end, 10);
	if (*end != ':')
		return false;
	theirs = strtoull(end + 1, &end, 10);
	return !*end && !__builtin_add_overflow(*gives, mine, gives) &&
	       !__builtin_add_overflow(*awaits, theirs, awaits);
}

/* Judges an op in which all give another amount, together, than they await. */
static void judge_sums(struct inquiry *q, int group, uint64_t index)
{
	const struct job_group *g = &q->job->groups[group];
	uint64_t gives = 0, awaits = 0;
	const struct job_op *op = NULL;
	struct verdict_fact *fact;
	struct draft *draft;

	if (!rollcall_lists_all(g))
		return;
	for (uint32_t seat = 0; seat < g->size; seat++) {
		op = rollcall_op(&q->job->members[g->first_member + (int)seat], index);
		if (!add_sums(op, &gives, &awaits))
			return;
	}
	if (!op || gives == awaits || gives > INT64_MAX || awaits > INT64_MAX)
		return;
	draft = inquiry_draft(q, VERDICT_UNEVEN_SHARD);
	draft->verdict.confidence = VERDICT_SUPPORTED;
	draft->verdict.outlook = VERDICT_KILL;
	draft->verdict.next = VERDICT_NEXT_SAME_SPLITS;
	draft->verdict.group = group;
	draft->verdict.op_index = index;
	draft->verdict.op = op->sig;
	find_held(q, group, index, draft);
	fact = draft_fact(q, draft, FACT_UNEVEN_SUMS, NO_RANK, g->cite);
	fact->text = inquiry_op_name(op);
	fact->a = (int64_t)gives;
	fact->b = (int64_t)awaits;
}

/* Returns the first op with parts that somebody has not completed; 0 where there is none. */
static uint64_t open_op(const struct inquiry *q, int group)
{
	const struct job_group *g = &q->job->groups[group];
	uint64_t first = 0;

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];

		for (size_t i = 0; i < m->nops; i++)
			if (*m->ops[i].parts && m->ops[i].completed == JOB_NO &&
				(!first || m->ops[i].index < first))
				first = m->ops[i].index;
	}
	return first;
}

void judge_parts(struct inquiry *q)
{
	for (size_t group = 0; group < q->job->ngroups; group++) {
		uint64_t index = q->job->groups[group].unordered ? 0 : open_op(q, (int)group);
		struct unevens unevens = {0};

		if (index)
			find_uneven(q, (int)group, index, &unevens);
		if (unevens.list.nr)
			write_uneven(q, (int)group, index, &unevens);
		else if (index)
			judge_sums(q, (int)group, index);
		array_release(&unevens.list);
	}
}
