/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-unprobed.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "proc/read.h"

/*
 * The first look comes once the first imports are over; later ones for ranks that are started
 * later.
 */
#define FIRST_NS  (5 * CLOCK_NS_PER_S)
#define LATEST_NS (60 * CLOCK_NS_PER_S)
/*
 * The next look comes soon while there are more ranks each time, since they do not all start at
 * once.
 */
#define SETTLE_NS (2 * CLOCK_NS_PER_S)
#define ASK_MS	  250

/* Finds them. Runs in the helper. */
static void find(const void *folder, struct evidence *into)
{
	unprobed_find(folder, ASK_MS, into);
}

static bool is_same(const struct unprobed_rank *a, const struct unprobed_rank *b)
{
	return a->here == b->here && a->start_time == b->start_time;
}

static bool is_among(const struct agent_unprobed *unprobed, const struct unprobed_rank *rank)
{
	const struct unprobed_rank *other;

	array_for_each (&unprobed->ranks, other)
		if (is_same(other, rank))
			return true;
	return false;
}

/* True if another process has that rank now. */
static bool has_successor(const struct agent_unprobed *unprobed, const struct unprobed_rank *rank)
{
	const struct unprobed_rank *other;

	array_for_each (&unprobed->ranks, other)
		if (other->rank == rank->rank)
			return true;
	return false;
}

static void add(struct agent_unprobed *unprobed, const struct exhibit *exhibit,
	const struct unprobed_rank *rank)
{
	evidence_add(&unprobed->found, exhibit, alloc_copy(exhibit->bytes, exhibit->len),
		exhibit->len);
	*array_add(&unprobed->ranks) = *rank;
}

/*
 * Takes over the ranks that are there now, and those who died before and whose rank nobody else
 * has. Returns true if there are new ones.
 */
static bool take(struct agent_unprobed *unprobed, const struct evidence *found)
{
	struct agent_unprobed before = *unprobed;
	bool others = false;

	unprobed->found = (struct evidence){0};
	memset(&unprobed->ranks, 0, sizeof(unprobed->ranks));
	for (size_t i = 0; i < found->n; i++) {
		struct unprobed_rank rank;

		if (!unprobed_read(&found->at[i], &rank))
			continue;
		others = others || !is_among(&before, &rank);
		add(unprobed, &found->at[i], &rank);
	}
	for (size_t i = 0; i < before.ranks.nr; i++) {
		const struct unprobed_rank *rank = &before.ranks.items[i];
		struct proc_id id = {rank->here, rank->start_time};

		if (!is_among(unprobed, rank) && !has_successor(unprobed, rank) &&
			!proc_is_alive(id))
			add(unprobed, &before.found.at[i], rank);
	}
	evidence_release(&before.found);
	array_release(&before.ranks);
	return others;
}

/* --- In words --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct unprobed_rank *left = a, *right = b;
	int order = strcmp(left->why, right->why);

	return order ? order : (left->rank > right->rank) - (left->rank < right->rank);
}

/* Appends ranks in their order: "0-3,7". */
static void add_ranks(struct str *into, const struct unprobed_rank *ranks, size_t nr)
{
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && ranks[end].rank <= ranks[end - 1].rank + 1; end++)
			;
		str_printf(into, "%s%d", i ? "," : "", ranks[i].rank);
		if (ranks[end - 1].rank > ranks[i].rank)
			str_printf(into, "-%d", ranks[end - 1].rank);
	}
}

/* Appends "ranks 0-3 (the environment was cleared); rank 4 (statically linked)". */
static void add_who(const struct agent_unprobed *unprobed, struct str *into)
{
	size_t nr = unprobed->ranks.nr;
	struct unprobed_rank *ranks = alloc_zeroed(nr + 1, sizeof(*ranks));

	if (nr)
		memcpy(ranks, unprobed->ranks.items, nr * sizeof(*ranks));
	qsort(ranks, nr, sizeof(*ranks), compare);
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && !strcmp(ranks[end].why, ranks[i].why); end++)
			;
		str_add(into, i ? "; rank" : "rank");
		str_add(into, end - i > 1 ? "s " : " ");
		add_ranks(into, ranks + i, end - i);
		str_printf(into, " (%s)", ranks[i].why);
	}
	free(ranks);
}

static void say(const struct agent_unprobed *unprobed)
{
	struct str who = {0};

	add_who(unprobed, &who);
	cmd_complain("without the probe: %s: judged from outside, by stacks", str_text(&who));
	str_release(&who);
}

/* --- Turns ------------------------------------------------------------------------------------ */

/* True if there are as many as the job should have, by their own word. */
static bool are_all(const struct agent_unprobed *unprobed)
{
	const struct unprobed_rank *rank;
	int world_size = 0;

	array_for_each (&unprobed->ranks, rank)
		if (rank->world_size > world_size)
			world_size = rank->world_size;
	return world_size > 0 && unprobed->ranks.nr >= (size_t)world_size;
}

/*
 * Takes what the helper found, and tells of it when that is due. Returns true if the ranks differ
 * from before.
 */
static bool turn_to_found(
	struct agent_unprobed *unprobed, const struct evidence *found, int64_t now)
{
	bool others = take(unprobed, found);

	if (others && unprobed->due > now + SETTLE_NS)
		unprobed->due = now + SETTLE_NS;
	if (!unprobed->said && unprobed->ranks.nr && (!others || are_all(unprobed))) {
		say(unprobed);
		unprobed->said = true;
	}
	return others;
}

bool agent_unprobed_turn(struct agent_unprobed *unprobed, const char *folder, int64_t now)
{
	struct evidence found = {0};
	bool others = false;

	if (gatherer_fetch(&unprobed->gatherer, &found))
		others = turn_to_found(unprobed, &found, now);
	evidence_release(&found);
	if (!unprobed->due)
		unprobed->due = now + (unprobed->pause = FIRST_NS);
	if (unprobed->gatherer.helper.pid || now < unprobed->due)
		return others;
	gatherer_begin(&unprobed->gatherer, find, folder);
	unprobed->due = now + unprobed->pause;
	unprobed->pause = 2 * unprobed->pause < LATEST_NS ? 2 * unprobed->pause : LATEST_NS;
	return others;
}

void agent_unprobed_release(struct agent_unprobed *unprobed)
{
	gatherer_end(&unprobed->gatherer);
	evidence_release(&unprobed->found);
	array_release(&unprobed->ranks);
}
