/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seals calls. A diary belongs to one process, so its rank and its groups are looked up once for
 * all of its calls. Diaries of one rank are merged by sorting; most are in order already.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/seal/seal.h"

/* Returns the job's indexes of the groups that a diary numbers; to be freed. */
static int *groups_of(struct seal *seal, const struct raw_calls *raw)
{
	int *groups = alloc_zeroed(raw->nkeys + 1, sizeof(*groups));

	for (size_t i = 0; i < raw->nkeys; i++)
		groups[i] = seal_find_group(seal, raw->keys[i]);
	return groups;
}

/* Returns the rank whose own process kept the diary; NO_RANK: a child or a stranger did. */
static struct rank_index rank_of(struct seal *seal, const struct raw_calls *raw)
{
	int process = seal_find_process(seal, raw->about.who);
	struct rank_index rank = seal_rank_of(seal, process);

	return is_rank(rank) && seal->ranks[rank.i].process == process ? rank : NO_RANK;
}

/* Copies a rank's calls with rank and groups resolved; returns how many. */
static size_t take(struct seal *seal, const struct raw_calls *raw, struct job_call *into)
{
	struct rank_index rank = rank_of(seal, raw);
	int *groups;

	if (!is_rank(rank))
		return 0;
	groups = groups_of(seal, raw);
	for (size_t i = 0; i < raw->n; i++) {
		int group = raw->at[i].group;

		into[i] = raw->at[i];
		into[i].rank = rank;
		into[i].group = group >= 0 && (size_t)group < raw->nkeys ? groups[group] : JOB_NONE;
	}
	free(groups);
	return raw->n;
}

/* Returns when a call ended; an open one ends last. */
static int64_t end_of(const struct job_call *call)
{
	return call->returned == JOB_UNKNOWN ? INT64_MAX : call->returned;
}

/* Orders calls as the job keeps them: of those entered at one moment the longer first. */
static int compare_calls(const void *va, const void *vb)
{
	const struct job_call *a = va, *b = vb;

	SEAL_ORDER(a->rank.i, b->rank.i);
	SEAL_ORDER(a->entered, b->entered);
	SEAL_ORDER(end_of(b), end_of(a));
	SEAL_ORDER(a->kind, b->kind);
	SEAL_ORDER(a->tid, b->tid);
	SEAL_ORDER(a->index, b->index);
	SEAL_ORDER_TEXT(a->name, b->name);
	SEAL_ORDER_TEXT(a->cite, b->cite);
	return 0;
}

static bool in_order(const struct job_call *calls, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (compare_calls(&calls[i - 1], &calls[i]) > 0)
			return false;
	return true;
}

void seal_calls(struct seal *seal)
{
	struct job_builder *b = seal->b;
	struct job_call *calls;
	struct raw_calls *raw;
	size_t n = 0;

	array_for_each(&b->calls, raw)
		n += raw->n;
	calls = arena_new_many(seal->arena, struct job_call, n + 1);
	n = 0;
	array_for_each(&b->calls, raw) {
		n += take(seal, raw, calls + n);
		free(raw->at);
		free(raw->keys);
	}
	b->calls.nr = 0;
	if (!in_order(calls, n))
		array_sort_items(calls, n, sizeof(*calls), compare_calls);
	seal->job->calls = calls;
	seal->job->ncalls = n;
	seal->job->calls_told = b->wants_calls;
}
