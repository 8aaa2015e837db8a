/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of ranks, as they grow in a finding and as verdicts carry them. */
#include <string.h>

#include "base/bisect.h"
#include "verdict/inquiry.h"

void rank_list_add(struct rank_list *list, struct rank_index rank)
{
	size_t n = list->list.nr;

	if (!is_rank(rank))
		return;
	if (list->ascending > n)
		list->ascending = n;
	if (list->ascending == n && (!n || list->list.items[n - 1].i < rank.i))
		list->ascending = n + 1;
	*array_add(&list->list) = rank;
}

/* Returns how many of the first ranks are known to be in order. */
static size_t in_order(const struct rank_list *list)
{
	return list->ascending < list->list.nr ? list->ascending : list->list.nr;
}

bool rank_list_has(const struct rank_list *list, struct rank_index rank)
{
	size_t ordered = in_order(list);

	if (ranks_have((struct verdict_ranks){list->list.items, ordered}, rank))
		return true;
	for (size_t i = ordered; i < list->list.nr; i++)
		if (same_rank(list->list.items[i], rank))
			return true;
	return false;
}

void rank_list_leave_out(struct rank_list *list, const bool *marked)
{
	struct rank_list kept = {0};

	for (size_t i = 0; i < list->list.nr; i++)
		if (!marked[list->list.items[i].i])
			rank_list_add(&kept, list->list.items[i]);
	array_release(&list->list);
	*list = kept;
}

static int compare_ranks(const void *va, const void *vb)
{
	const struct rank_index *a = va, *b = vb;

	return a->i < b->i ? -1 : a->i > b->i;
}

void rank_list_settle(struct rank_list *list)
{
	size_t n = 0;

	if (in_order(list) == list->list.nr)
		return;
	array_sort(&list->list, compare_ranks);
	for (size_t i = 0; i < list->list.nr; i++)
		if (!n || !same_rank(list->list.items[n - 1], list->list.items[i]))
			list->list.items[n++] = list->list.items[i];
	list->list.nr = list->ascending = n;
}

struct verdict_ranks rank_list_seal(struct inquiry *q, const struct rank_list *list)
{
	struct rank_index *at = arena_new_many(q->arena, struct rank_index, list->list.nr + 1);

	if (list->list.nr)
		memcpy(at, list->list.items, list->list.nr * sizeof(*at));
	return (struct verdict_ranks){at, list->list.nr};
}

bool ranks_have(struct verdict_ranks ranks, struct rank_index rank)
{
	size_t place = bisect(0, ranks.n, i, ranks.at[i].i < rank.i);

	return place < ranks.n && same_rank(ranks.at[place], rank);
}
