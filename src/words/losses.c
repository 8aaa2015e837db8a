/* SPDX-License-Identifier: Apache-2.0 */
#include "words/losses.h"

#include <inttypes.h>
#include <string.h>

/* By what is lost, so that ranks that lost the same are side by side. */
static int compare_losses(const void *va, const void *vb)
{
	const struct job_loss *a = *(const struct job_loss *const *)va;
	const struct job_loss *b = *(const struct job_loss *const *)vb;
	int order = strcmp(a->what, b->what);

	if (!order && a->count != b->count)
		order = a->count < b->count ? -1 : 1;
	if (!order && a->rank != b->rank)
		order = a->rank < b->rank ? -1 : 1;
	if (order)
		return order;
	return a < b ? -1 : a > b;
}

/* Of another rank, or of the same once more; what is of no rank stands alone. */
static bool is_alike(const struct job_loss *a, const struct job_loss *b)
{
	return a->rank != JOB_NONE && b->rank != JOB_NONE && a->count == b->count &&
	       !strcmp(a->what, b->what);
}

static void add_rank(struct losses_alike *alike, int rank)
{
	if (rank == JOB_NONE)
		return;
	if (!alike->ranks.nr || alike->ranks.items[alike->ranks.nr - 1] != rank)
		*array_add(&alike->ranks) = rank;
}

struct losses losses_of(const struct job *job)
{
	ARRAY(const struct job_loss *) list = {0};
	struct losses losses = {0};

	for (size_t i = 0; i < job->nlosses; i++)
		*array_add(&list) = &job->losses[i];
	array_sort(&list, compare_losses);
	for (size_t from = 0, to; from < list.nr; from = to) {
		const struct job_loss *first = list.items[from];
		struct losses_alike *alike = array_add(&losses.all);

		*alike = (struct losses_alike){.what = first->what,
			.cite = first->cite,
			.count = first->count,
			.of_ops = first->of_ops};
		add_rank(alike, first->rank);
		for (to = from + 1; to < list.nr && is_alike(first, list.items[to]); to++) {
			alike->of_ops |= list.items[to]->of_ops;
			add_rank(alike, list.items[to]->rank);
		}
	}
	array_release(&list);
	return losses;
}

void losses_release(struct losses *losses)
{
	struct losses_alike *alike;

	array_for_each (&losses->all, alike)
		array_release(&alike->ranks);
	array_release(&losses->all);
}

void losses_add(struct str *into, const struct losses_alike *alike)
{
	str_add(into, alike->what);
	if (alike->count != JOB_UNKNOWN && alike->count > 1)
		str_printf(into, " (%" PRId64 ")", alike->count);
}
