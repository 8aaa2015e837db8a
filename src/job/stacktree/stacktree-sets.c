/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the set of members at each node. Members come in ascending order, so a set is filled by
 * appending, and none is ever sorted. All nodes of a chain have the same set: only where paths end
 * or fork is one collected (`heads`).
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/stacktree/stacktree-make.h"

/* True if the node has one child and no path ends in it: all who are here are there, too. */
static bool is_link(const struct planting *p, int node)
{
	const struct stacktree_node *this = &p->nodes[node];

	return this->child != JOB_NONE && p->nodes[this->child].next == JOB_NONE && !this->ends;
}

/*
 * Finds the node that stands for each chain, its innermost. Children have higher numbers than their
 * parents.
 */
static void find_heads(struct planting *p)
{
	p->heads = alloc_zeroed(p->tree.nnodes + 1, sizeof(*p->heads));
	for (size_t i = p->tree.nnodes; i--;)
		p->heads[i] = is_link(p, (int)i) ? p->heads[p->nodes[i].child] : (int)i;
}

/* Returns the next head on the way to the root; JOB_NONE. */
static int outward(const struct planting *p, int head)
{
	int at = p->nodes[head].parent;

	while (at != JOB_NONE && p->heads[at] == head)
		at = p->nodes[at].parent;
	return at == JOB_NONE ? JOB_NONE : p->heads[at];
}

/* Who passes a head, or who ends in a node. */
struct gathered {
	struct rank_index *members;
	size_t nr;
	struct rank_index last;
};

/* Counts a member, unless it was the last one counted; keeps it in the second turn. */
static void gather_one(struct gathered *at, struct rank_index member, bool keep)
{
	if (same_rank(at->last, member))
		return;
	at->last = member;
	if (keep)
		at->members[at->nr] = member;
	at->nr++;
}

/*
 * Finds who passes every head, at[0..n), and who ends in every node, at[n..2n): counts them in the
 * first turn, and keeps them in the second (`keep`), when the room is known.
 */
static void walk_stacks(struct planting *p, struct gathered *at, const int *outer, bool keep)
{
	size_t n = p->tree.nnodes;

	for (size_t i = 0; i < 2 * n; i++) {
		at[i].last = NO_RANK;
		if (keep && at[i].nr)
			at[i].members = arena_new_many(&p->arena, struct rank_index, at[i].nr);
		at[i].nr = 0;
	}
	for (size_t i = 0; i < p->stacks.nr; i++) {
		int end = p->paths.items[p->ways.items[i]].node;

		gather_one(&at[n + (size_t)end], p->members.items[i], keep);
		for (int node = end; node != JOB_NONE; node = outer[node]) {
			gather_one(&at[node], p->members.items[i], keep);
			p->nodes[node].threads += !keep;
		}
	}
}

static uint64_t hash_set(const struct gathered *set)
{
	uint64_t hash = set->nr;

	for (size_t i = 0; i < set->nr; i++)
		hash = ((hash ^ (uint64_t)set->members[i].i) * 0x9e3779b97f4a7c15ull) ^ hash >> 29;
	return hash ^ hash >> 32;
}

/* All sets, equal ones once, found by their hash. */
struct naming {
	struct stacktree_set *sets;
	size_t nr;
	uint32_t *slots; /* 1 + number, 0 free; open addressing */
	size_t nslots;
};

/* Returns the number of a set; adds it if it is new. */
static uint32_t name_set(struct naming *naming, const struct gathered *set)
{
	size_t at = hash_set(set) & (naming->nslots - 1);

	for (; naming->slots[at]; at = (at + 1) & (naming->nslots - 1)) {
		const struct stacktree_set *known = &naming->sets[naming->slots[at] - 1];

		if (known->n == set->nr && (!set->nr || !memcmp(known->at, set->members,
								set->nr * sizeof(*set->members))))
			return naming->slots[at] - 1;
	}
	naming->sets[naming->nr++] = (struct stacktree_set){set->members, set->nr};
	naming->slots[at] = (uint32_t)naming->nr;
	return (uint32_t)naming->nr - 1;
}

static void name_sets(struct planting *p, const struct gathered *at)
{
	size_t n = p->tree.nnodes;
	struct naming naming = {.nslots = 16};

	while (naming.nslots < n * 4)
		naming.nslots *= 2;
	naming.slots = alloc_zeroed(naming.nslots, sizeof(*naming.slots));
	naming.sets = arena_new_many(&p->arena, struct stacktree_set, 2 * n);
	for (size_t i = 0; i < n; i++) {
		if (p->heads[i] == (int)i)
			p->nodes[i].set = name_set(&naming, &at[i]);
		if (p->nodes[i].ends)
			p->nodes[i].end_set = name_set(&naming, &at[n + i]);
	}
	p->tree.sets = naming.sets;
	p->tree.nsets = naming.nr;
	free(naming.slots);
}

void stacktree_gather_sets(struct planting *p)
{
	size_t n = p->tree.nnodes;
	struct gathered *at = alloc_zeroed(2 * n, sizeof(*at));
	int *outer = alloc_zeroed(n, sizeof(*outer));

	for (size_t i = 0; i < p->stacks.nr; i++)
		p->nodes[p->paths.items[p->ways.items[i]].node].ends++;
	find_heads(p);
	for (size_t i = 0; i < n; i++)
		outer[i] = p->heads[i] == (int)i ? outward(p, (int)i) : JOB_NONE;
	walk_stacks(p, at, outer, false);
	walk_stacks(p, at, outer, true);
	name_sets(p, at);
	for (size_t i = 0; i < n; i++) {
		p->nodes[i].set = p->nodes[p->heads[i]].set;
		p->nodes[i].threads = p->nodes[p->heads[i]].threads;
	}
	free(outer);
	free(at);
}
