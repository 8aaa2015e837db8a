/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class order-inversion, cause group-creation: groups made in different orders; and class
 * not-started, cause world-size: ranks that count other ranks as all. Members of what
 * should be one group say that other ranks are in it, or two ranks hold one seat
 * (job_group.made_as). Nothing else that is seen of such groups means what it seems to, so this
 * comes before all rules. Ranks that list what others do not are to blame if they, with all ranks
 * of which nothing is known, are fewer than the largest camp.
 *
 * Once one rank is out of step, all groups that come after are made in different orders, too. So
 * the first one of which that is clear is told, whichever of them somebody waits in.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "verdict/judge.h"

#define MADE "group-made:" /* trait in which a rank tells of a group that others make */
#define FIRST_GROUP "0"	   /* PyTorch's first group: a rank that makes it anew counts anew */

/* Ranks that say the same of a group. */
struct camp {
	const char *ranks; /* the ranks as they list them; "": they list none */
	int group;
	struct rank_list list;
};

struct camps {
	ARRAY(struct camp) all; /* the largest first */
	const char *name;  /* the group's name in the program's library */
	const char *shown; /* the group's name for people */
	uint64_t key;
	bool told; /* all members list their ranks */
};

/*
 * Returns the camp with that list of ranks, or of that group if it lists none; makes it if need be.
 */
static struct camp *camp_of(struct camps *camps, const char *ranks, int group)
{
	struct camp *camp;

	array_for_each(&camps->all, camp)
		if (*ranks ? !strcmp(camp->ranks, ranks) : camp->group == group)
			return camp;
	camp = array_add(&camps->all);
	*camp = (struct camp){.ranks = ranks, .group = group};
	return camp;
}

static int compare_camps(const void *va, const void *vb)
{
	const struct camp *a = va, *b = vb;

	if (a->list.list.nr != b->list.list.nr)
		return a->list.list.nr > b->list.list.nr ? -1 : 1;
	return a->list.list.items[0].i - b->list.list.items[0].i;
}

/* Adds the members of a group that have come to it. */
static void add_members(const struct job *job, int group, struct camps *camps)
{
	const struct job_group *g = &job->groups[group];
	struct camp *camp = camp_of(camps, g->ranks, group);

	camps->told &= *g->ranks != '\0';
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *member = &job->members[g->first_member + (int)seat];

		if ((member->state == JOB_MEMBER_IN_INIT || member->state == JOB_MEMBER_READY) &&
			is_rank(member->rank))
			rank_list_add(&camp->list, member->rank);
	}
}

/*
 * True if a rank said that before it made its first group for the last time: it was about other
 * groups.
 */
static bool is_outdated(const struct job *job, const struct job_trait *trait)
{
	for (size_t i = 0; i < job->nmembers && trait->when != JOB_UNKNOWN; i++)
		if (same_rank(job->members[i].rank, trait->rank) &&
			!strcmp(job->groups[job->members[i].group].made_name, FIRST_GROUP) &&
			job->members[i].init_since > trait->when)
			return true;
	return false;
}

/* Adds ranks that are in no group of that name: they, too, told what they took it for. */
static void add_witnesses(const struct job *job, struct camps *camps)
{
	size_t prefix = strlen(MADE);

	for (size_t i = 0; camps->told && i < job->ntraits; i++) {
		const struct job_trait *trait = &job->traits[i];

		if (strncmp(trait->key, MADE, prefix) != 0 || !*trait->text ||
			strcmp(trait->key + prefix, camps->name) != 0 || !is_rank(trait->rank) ||
			is_outdated(job, trait))
			continue;
		rank_list_add(&camp_of(camps, trait->text, JOB_NONE)->list, trait->rank);
	}
}

static void find_camps(const struct job *job, int first, struct camps *camps)
{
	struct camp *camp;

	*camps = (struct camps){.name = job->groups[first].made_name,
		.shown = job->groups[first].name,
		.key = job->groups[first].made_as,
		.told = true};
	for (size_t i = (size_t)first; i < job->ngroups; i++)
		if (job->groups[i].made_as == camps->key)
			add_members(job, (int)i, camps);
	add_witnesses(job, camps);
	array_for_each(&camps->all, camp)
		rank_list_settle(&camp->list);
	array_sort(&camps->all, compare_camps);
}

/* True if this is the first of the groups that were made as one. */
static bool is_first(const struct job *job, int group)
{
	for (int i = 0; i < group; i++)
		if (job->groups[i].made_as == job->groups[group].made_as)
			return false;
	return true;
}

/* True if the rank has long been about to make a group. */
static bool makes_group(const struct inquiry *q, struct rank_index rank)
{
	for (size_t i = q->waits->first[rank.i]; i < q->waits->first[rank.i + 1]; i++) {
		const struct wait *wait = &q->waits->at[i];

		if ((wait->kind == WAIT_INIT || wait->kind == WAIT_STORE) &&
			waitfor_stands(q->job, wait, &q->given))
			return true;
	}
	return false;
}

/*
 * True if some rank has long been about to make a group, while no list tells who is in these
 * groups: it may be one of them.
 */
static bool somebody_makes_a_group(const struct inquiry *q, uint64_t key)
{
	bool found = false;

	for (size_t i = 0; i < q->job->ngroups; i++)
		if (q->job->groups[i].made_as == key && *q->job->groups[i].ranks)
			return false;
	for (struct rank_index rank = {0}; job_has_rank(q->job, rank) && !found; rank.i++)
		found = makes_group(q, rank);
	return found;
}

/*
 * True if somebody waits in one of these groups for longer than is usual, or to make the next one.
 */
static bool stands(const struct inquiry *q, uint64_t key)
{
	if (somebody_makes_a_group(q, key))
		return true;
	for (size_t i = 0; i < q->job->nmembers; i++) {
		const struct job_member *member = &q->job->members[i];

		if (q->job->groups[member->group].made_as == key && is_rank(member->rank) &&
			makes_group(q, member->rank))
			return true;
	}
	for (size_t i = 0; i < q->graph->nnodes; i++) {
		const struct waitfor_node *node = &q->graph->nodes[i];

		if (node->kind != WAITFOR_RANK && node->group != JOB_NONE &&
			q->job->groups[node->group].made_as == key &&
			node->reached != JOB_UNKNOWN)
			return true;
	}
	return false;
}

/* Returns how many ranks have said nothing of this group. */
static size_t count_silent(const struct inquiry *q, const struct camps *camps)
{
	const struct camp *camp;
	size_t heard = 0;

	array_for_each(&camps->all, camp)
		heard += camp->list.list.nr;
	return heard < q->job->nranks ? q->job->nranks - heard : 0;
}

static void add_ranks(struct rank_list *into, const struct rank_list *from)
{
	for (size_t i = 0; i < from->list.nr; i++)
		rank_list_add(into, from->list.items[i]);
}

/* True if all camps but the largest are few enough to be to blame. */
static bool is_clear(const struct inquiry *q, const struct camps *camps)
{
	size_t others = 0;

	for (size_t i = 1; i < camps->all.nr; i++)
		others += camps->all.items[i].list.list.nr;
	return camps->told && others + count_silent(q, camps) < camps->all.items[0].list.list.nr;
}

/* Blames all camps but the largest, if they are few enough; else nobody. */
static void share_out(const struct inquiry *q, const struct camps *camps, struct draft *draft)
{
	bool guilty = is_clear(q, camps);

	for (size_t i = 0; i < camps->all.nr; i++)
		add_ranks(guilty ? (i ? &draft->culprits : &draft->victims)
				 : (i ? &draft->camp_b : &draft->camp_a),
			&camps->all.items[i].list);
	draft->verdict.confidence = guilty	  ? VERDICT_ESTABLISHED
				    : camps->told ? VERDICT_SUPPORTED
						  : VERDICT_HYPOTHESIS;
	draft->victims.list.nr = 0;
}

/* Adds who waits, in these groups or for a rank that does. */
static void find_waiting(struct inquiry *q, struct draft *draft)
{
	job_for_each_rank(q->job, rank)
		if (inquiry_longest_wait(q, rank) && !rank_list_has(&draft->culprits, rank))
			rank_list_add(&draft->victims, rank);
}

static void tell(struct inquiry *q, const struct camps *camps, struct draft *draft)
{
	for (size_t i = camps->all.nr; i-- > 0;) {
		const struct camp *camp = &camps->all.items[i];
		const char *cite = camp->group == JOB_NONE ? inquiry_cite_all(q)
							   : q->job->groups[camp->group].cite;
		struct verdict_fact *fact =
			draft_fact_of(q, draft, FACT_MADE_GROUP, &camp->list, cite);

		fact->text = camp->ranks;
		fact->text2 = camps->shown;
	}
}

/* True if a list has all ranks from 0 on, in order: "0-3", or "0". */
static bool is_whole_world(const char *ranks)
{
	size_t digits = *ranks == '0' && ranks[1] == '-' ? strspn(ranks + 2, "0123456789") : 0;

	return !strcmp(ranks, "0") || (digits && !ranks[2 + digits]);
}

/*
 * True if they made PyTorch's first group, of all ranks that each counts: no order of calls makes
 * such lists differ, but the number of ranks that each was given.
 */
static bool are_worlds(const struct camps *camps)
{
	const struct camp *camp;

	if (!camps->told || strcmp(camps->name, FIRST_GROUP) != 0)
		return false;
	array_for_each(&camps->all, camp)
		if (!is_whole_world(camp->ranks))
			return false;
	return true;
}

static void write_finding(struct inquiry *q, const struct camps *camps)
{
	bool worlds = are_worlds(camps);
	struct draft *draft = inquiry_draft(
		q, worlds ? VERDICT_NOT_STARTED : VERDICT_ORDER_INVERSION);

	draft->verdict.cause = worlds ? VERDICT_BY_WORLD_SIZE : VERDICT_BY_GROUP_CREATION;
	draft->verdict.outlook = camps->told ? VERDICT_KILL : VERDICT_OUTLOOK_UNKNOWN;
	draft->verdict.next = worlds ? VERDICT_NEXT_SAME_SIZE : VERDICT_NEXT_SAME_GROUPS;
	draft->verdict.group = camps->all.items[0].group;
	share_out(q, camps, draft);
	find_waiting(q, draft);
	tell(q, camps, draft);
}

static void release(struct camps *camps)
{
	struct camp *camp;

	array_for_each(&camps->all, camp)
		array_release(&camp->list.list);
	array_release(&camps->all);
}

/* Returns the place of a group in the order of making; a group without a number comes last. */
static unsigned long number_of(const struct job *job, int group)
{
	const char *name = job->groups[group].made_name;

	return *name && !name[strspn(name, "0123456789")] ? strtoul(name, NULL, 10) : ULONG_MAX;
}

/* Returns the first group of each name, in the order of making; to be freed. */
static int *list_names(const struct job *job, size_t *ret_n)
{
	int *list = alloc_zeroed(job->ngroups + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < job->ngroups; i++) {
		size_t at = n;

		if (!job->groups[i].made_as || !is_first(job, (int)i))
			continue;
		for (; at && number_of(job, list[at - 1]) > number_of(job, (int)i); at--)
			list[at] = list[at - 1];
		list[at] = (int)i;
		n++;
	}
	*ret_n = n;
	return list;
}

/*
 * Writes a finding of the first group that is clear, or else of the first that has several camps.
 */
static bool write_first(struct inquiry *q, const int *list, size_t n, bool clear)
{
	bool found = false;

	for (size_t i = 0; i < n && !found; i++) {
		struct camps camps;

		find_camps(q->job, list[i], &camps);
		found = camps.all.nr > 1 && (!clear || is_clear(q, &camps));
		if (found)
			write_finding(q, &camps);
		release(&camps);
	}
	return found;
}

void judge_creations(struct inquiry *q)
{
	size_t n;
	int *list = list_names(q->job, &n);
	bool found = false;

	for (size_t i = 0; i < n && !found; i++)
		found = stands(q, q->job->groups[list[i]].made_as);
	q->groups_clash =
		found && (write_first(q, list, n, true) || write_first(q, list, n, false));
	free(list);
}
