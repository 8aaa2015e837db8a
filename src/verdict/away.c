/* SPDX-License-Identifier: Apache-2.0 */
/* Why a rank is away: the table of reasons, in the order in which they are asked. */
#include "verdict/rule.h"

static const struct away aways[] = {
#define AWAY(class, explains, tell, traits)                                                        \
	{VERDICT_##class, explains_##explains, tell_##tell, traits},
#include "lists/class.def"
};
#define NAWAYS (sizeof(aways) / sizeof(*aways))

const struct away *away_of(const struct inquiry *q, struct rank_index rank, struct reason *why)
{
	for (size_t i = 0; i < NAWAYS; i++) {
		*why = (struct reason){.class = aways[i].class};
		if (aways[i].explains(q, rank, why))
			return &aways[i];
	}
	return NULL;
}

/*
 * True if the reason explains all of these ranks; it is as sure as of the rank of which it is least
 * sure.
 */
static bool explains_all(const struct away *away, const struct inquiry *q,
	const struct rank_list *ranks, struct reason *why)
{
	enum verdict_confidence weakest = VERDICT_ESTABLISHED;

	for (size_t i = 0; i < ranks->list.nr; i++) {
		*why = (struct reason){.class = away->class};
		if (!away->explains(q, ranks->list.items[i], why))
			return false;
		weakest = why->confidence < weakest ? why->confidence : weakest;
	}
	why->confidence = weakest;
	return ranks->list.nr > 0;
}

const struct away *away_that_turns(
	const struct inquiry *q, const struct rank_list *ranks, struct reason *why)
{
	for (size_t i = 0; i < NAWAYS; i++)
		if ((aways[i].traits & AWAY_TURNS) && explains_all(&aways[i], q, ranks, why))
			return &aways[i];
	return NULL;
}

void away_take(struct inquiry *q, const struct away *away, const struct reason *why,
	struct draft *draft)
{
	draft->verdict.class = away->class;
	draft->verdict.cause = why->cause;
	draft_at_most(draft, why->confidence);
	draft->verdict.next = why->next;
	for (size_t i = 0; i < draft->culprits.list.nr && i < TOLD_CULPRITS; i++)
		away->tell(q, draft->culprits.list.items[i], draft);
}
