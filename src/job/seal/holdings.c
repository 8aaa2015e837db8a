/* SPDX-License-Identifier: Apache-2.0 */
#include "job/seal/holdings.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "job/backends.h"

static int compare_holdings(const void *va, const void *vb)
{
	const struct holding *a = va, *b = vb;

	SEAL_ORDER(a->process, b->process);
	SEAL_ORDER(b->size, a->size);
	SEAL_ORDER(a->group_key, b->group_key);
	SEAL_ORDER(a->seat.n, b->seat.n);
	SEAL_ORDER(a->in_init, b->in_init);
	SEAL_ORDER(a->ready_at, b->ready_at);
	return 0;
}

/* True if all members of the group had come to its making: whoever draws an id waits for all. */
static bool has_met_all(const struct raw_member *member)
{
	return (member->fact.state == JOB_MEMBER_READY ||
		       (member->fact.state > JOB_MEMBER_READY &&
			       member->fact.ready_at != JOB_UNKNOWN)) &&
	       !member->fact.nonblocking && backend_has(member->group.maker, BACKEND_IDS);
}

/* Fills in where the holdings of each process begin: asked for each of them several times. */
static void index_processes(const struct seal *seal, struct holdings *holdings)
{
	size_t at = 0;

	holdings->first = alloc_zeroed(seal->job->nprocesses + 1, sizeof(*holdings->first));
	for (size_t i = 0; i <= seal->job->nprocesses; i++) {
		while (at < holdings->list.nr && (size_t)holdings->list.items[at].process < i)
			at++;
		holdings->first[i] = at;
	}
}

void holdings_collect(struct seal *seal, struct holdings *into)
{
	struct job_builder *b = seal->b;

	for (size_t i = 0; i < b->members.nr; i++) {
		const struct raw_member *member = &b->members.items[i];
		int process = seal_find_process(seal, member->about.who);

		if (process == JOB_NONE)
			continue;
		*array_add(&into->list) = (struct holding){.process = process,
			.group_key = member->group.key,
			.size = member->group.size,
			.seat = member->fact.seat,
			.drawn = backend_has(member->group.maker, BACKEND_IDS),
			.in_init = member->fact.state == JOB_MEMBER_IN_INIT,
			.met = has_met_all(member),
			.ready_at = member->fact.ready_at};
		seal->people[process].identity.promoted = true;
	}
	array_sort(&into->list, compare_holdings);
	index_processes(seal, into);
}

void holdings_release(struct holdings *holdings)
{
	array_release(&holdings->list);
	free(holdings->first);
}

const struct holding *holdings_of(const struct holdings *holdings, int process, size_t *ret_n)
{
	size_t from = holdings->first[process];

	*ret_n = holdings->first[process + 1] - from;
	return *ret_n ? &holdings->list.items[from] : NULL;
}

bool holdings_share_group(const struct holdings *holdings, int a, int b)
{
	size_t nones, nothers;
	const struct holding *ones = holdings_of(holdings, a, &nones);
	const struct holding *others = holdings_of(holdings, b, &nothers);

	for (size_t i = 0; i < nones; i++)
		for (size_t k = 0; k < nothers; k++)
			if (ones[i].group_key == others[k].group_key &&
				!same_group_rank(ones[i].seat, others[k].seat))
				return true;
	return false;
}

bool holdings_several(const struct holdings *holdings, int process)
{
	size_t n;
	const struct holding *at = holdings_of(holdings, process, &n);

	for (size_t i = 0; i + 1 < n; i++)
		if (at[i].group_key == at[i + 1].group_key &&
			!same_group_rank(at[i].seat, at[i + 1].seat))
			return true;
	return false;
}
