/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seals what was launched: each launch once, the earliest first. A receipt that was gathered twice
 * is one launch.
 */
#include <string.h>

#include "job/seal/seal.h"

static int compare(const void *va, const void *vb)
{
	const struct job_launch *a = va, *b = vb;

	SEAL_ORDER(a->launched, b->launched);
	SEAL_ORDER_TEXT(a->host, b->host);
	SEAL_ORDER_TEXT(a->job, b->job);
	SEAL_ORDER(a->nenv, b->nenv);
	SEAL_ORDER_TEXT(a->cite, b->cite);
	return 0;
}

static bool is_same(const struct job_launch *a, const struct job_launch *b)
{
	return a->launched == b->launched && !strcmp(a->host, b->host) && !strcmp(a->job, b->job);
}

void seal_launches(struct seal *seal)
{
	const struct job_launch *all = seal->b->launches.items;
	size_t nr = seal->b->launches.nr, n = 0;
	struct job_launch *kept = arena_new_many(seal->arena, struct job_launch, nr + 1);

	array_sort(&seal->b->launches, compare);
	for (size_t i = 0; i < nr; i++)
		if (!n || !is_same(&kept[n - 1], &all[i]))
			kept[n++] = all[i];
	seal->job->launches = kept;
	seal->job->nlaunches = n;
}
