/* SPDX-License-Identifier: Apache-2.0 */
#include "job/seal/anew.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"

struct anew {
	const struct seal *seal;
	const struct holdings *holdings;
	/* By group, the latest to leave its init last, and behind those who are in it. */
	ARRAY(struct holding) by_group;
	int *newest; /* by process: the newest of its number; itself where it has none */
};

static int64_t left_at(const struct holding *holding)
{
	return holding->in_init || holding->ready_at == JOB_UNKNOWN ? INT64_MAX
								    : holding->ready_at;
}

static int compare_by_group(const void *va, const void *vb)
{
	const struct holding *a = va, *b = vb;

	SEAL_ORDER(a->group_key, b->group_key);
	SEAL_ORDER(a->in_init, b->in_init);
	SEAL_ORDER(left_at(a), left_at(b));
	SEAL_ORDER(a->process, b->process);
	SEAL_ORDER(a->seat.n, b->seat.n);
	return 0;
}

/* One process that says it has a number. */
struct numbered {
	int number, process;
	int64_t born;
};

static int compare_numbered(const void *va, const void *vb)
{
	const struct numbered *a = va, *b = vb;

	SEAL_ORDER(a->number, b->number);
	SEAL_ORDER(a->born, b->born);
	SEAL_ORDER(a->process, b->process);
	return 0;
}

/* Finds the newest process of each number. A child has its parent's number, and is none. */
static void find_newest(struct anew *anew)
{
	const struct seal *seal = anew->seal;
	ARRAY(struct numbered) all = {0};
	int newest = JOB_NONE;

	for (size_t i = 0; i < seal->job->nprocesses; i++) {
		const struct seal_person *person = &seal->people[i];
		struct world_rank number = person->identity.world_rank;
		int parent = person->parent;

		anew->newest[i] = (int)i;
		if (!is_world_rank(number) || person->stale ||
			(parent != JOB_NONE &&
				same_world_rank(
					seal->people[parent].identity.world_rank, number)))
			continue;
		*array_add(&all) = (struct numbered){
			.number = number.n, .process = (int)i, .born = seal->processes[i].born};
	}
	array_sort(&all, compare_numbered);
	for (size_t i = all.nr; i-- > 0;) {
		if (i + 1 == all.nr || all.items[i].number != all.items[i + 1].number)
			newest = all.items[i].process;
		anew->newest[all.items[i].process] = newest;
	}
	array_release(&all);
}

struct anew *anew_new(const struct seal *seal, const struct holdings *holdings)
{
	struct anew *anew = alloc_zeroed(1, sizeof(*anew));
	const struct holding *holding;

	anew->seal = seal;
	anew->holdings = holdings;
	anew->newest = alloc_zeroed(seal->job->nprocesses + 1, sizeof(*anew->newest));
	find_newest(anew);
	array_for_each(&holdings->list, holding)
		*array_add(&anew->by_group) = *holding;
	array_sort(&anew->by_group, compare_by_group);
	return anew;
}

void anew_free(struct anew *anew)
{
	if (!anew)
		return;
	array_release(&anew->by_group);
	free(anew->newest);
	free(anew);
}

/* Returns where holdings of a key above that one begin in the order by group. */
static size_t behind_group(const struct anew *anew, uint64_t key)
{
	return bisect(0, anew->by_group.nr, i, anew->by_group.items[i].group_key <= key);
}

/* True if the process was there when the other one was born, and had not been started anew. */
static bool outlives(const struct anew *anew, int process, const struct job_process *newer)
{
	const struct job_process *it = &anew->seal->processes[process];

	if (anew->newest[process] != process || anew->seal->people[process].stale ||
		it->born > newer->born)
		return false;
	return it->end <= JOB_ALIVE ||
	       (it->host == newer->host && it->ended != JOB_UNKNOWN && it->ended > newer->born);
}

/* Where so many of a group were not there, no more are looked at. */
#define LOOKED_AT 4096

/* True if one who shares that group with `older` has outlived it. */
static bool has_survivor(const struct anew *anew, uint64_t key, int newer, int older)
{
	const struct job_process *born = &anew->seal->processes[newer];
	size_t end = behind_group(anew, key);

	for (size_t i = end; i-- > 0 && end - i <= LOOKED_AT;) {
		const struct holding *it = &anew->by_group.items[i];

		if (it->group_key != key)
			break;
		if (it->process != newer && it->process != older &&
			outlives(anew, it->process, born))
			return true;
	}
	return false;
}

/* True if the newer process may have met another one in that group, which it holds. */
static bool may_have_met(const struct anew *anew, const struct holding *own)
{
	const struct job_process *newer = &anew->seal->processes[own->process];

	for (size_t i = behind_group(anew, own->group_key); i-- > 0;) {
		const struct holding *it = &anew->by_group.items[i];

		if (it->group_key != own->group_key)
			break;
		if (anew->newest[it->process] == anew->newest[own->process])
			continue; /* of the same rank, before or after */
		if (own->in_init)
			return it->in_init; /* the last of all others: then no other is, either */
		if (it->in_init || it->ready_at == JOB_UNKNOWN || newer->born == JOB_UNKNOWN ||
			anew->seal->processes[it->process].host != newer->host ||
			it->ready_at >= newer->born)
			return true;
	}
	return false;
}

bool anew_is_alone(const struct anew *anew, int newer, int older)
{
	const struct job_process *now = &anew->seal->processes[newer];
	const struct job_process *then = &anew->seal->processes[older];
	size_t nown, nolder;
	const struct holding *own = holdings_of(anew->holdings, newer, &nown);
	const struct holding *its = holdings_of(anew->holdings, older, &nolder);
	bool survivor = false;

	/* Of who made a group that nobody has seen, nobody knows whom it met there. */
	if (!nown || anew->seal->people[newer].identity.lost_records > 0)
		return false;
	if (now->restart != then->restart || then->end <= JOB_ALIVE)
		return false;
	for (size_t i = 0; i < nown; i++)
		if (may_have_met(anew, &own[i]))
			return false;
	for (size_t i = 0; i < nolder && !survivor; i++)
		survivor = has_survivor(anew, its[i].group_key, newer, older);
	return survivor;
}
