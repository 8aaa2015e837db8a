/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/joblog-inits.h"

#include <stdlib.h>

#include "base/alloc.h"

#define INITS_MOST 65536

static struct joblog_init *init_of(
	struct joblog_inits *inits, const struct joblog_library *library)
{
	struct joblog_init *init;

	for (size_t i = inits->all.nr; i-- > 0;) {
		init = &inits->all.items[i];
		if (init->pid == library->pid && init->nranks == library->nranks &&
			init->rank == library->rank)
			return init;
	}
	init = array_add(&inits->all);
	*init = (struct joblog_init){
		.pid = library->pid, .rank = library->rank, .nranks = library->nranks};
	return init;
}

void joblog_inits_take(
	struct joblog_inits *inits, const struct joblog_library *library, int64_t line)
{
	struct joblog_init *init;

	if ((!library->begins && !library->ends) || library->rank < 0 ||
		inits->all.nr >= INITS_MOST)
		return;
	init = init_of(inits, library);
	init->begun += library->begins;
	init->ended += library->ends;
	init->line = library->begins ? line : init->line;
}

/*
 * Returns the size of the largest group if each of its ranks has a process here, and none has two:
 * then its ranks are the job's. Else 0.
 */
static int largest_whole(const struct joblog_inits *inits)
{
	const struct joblog_init *init;
	int largest = 0, seen = 0;
	bool *have;

	array_for_each (&inits->all, init)
		if (init->nranks > largest)
			largest = init->nranks;
	if (largest <= 0 || largest > INITS_MOST)
		return 0;
	have = alloc_zeroed((size_t)largest, sizeof(*have));
	for (size_t i = 0; i < inits->all.nr && seen >= 0; i++) {
		init = &inits->all.items[i];
		if (init->nranks != largest || init->rank >= largest)
			continue;
		seen = have[init->rank] ? -1 : seen + 1;
		have[init->rank] = true;
	}
	free(have);
	return seen == largest ? largest : 0;
}

void joblog_inits_enrol(const struct joblog_inits *inits, struct texts *texts)
{
	int largest = largest_whole(inits);
	const struct joblog_init *init;

	array_for_each (&inits->all, init) {
		job_add_world_at_least(texts->builder, init->nranks);
		if (largest && init->nranks == largest)
			roster_add(&texts->roster,
				&(const struct roster_entry){.rank = init->rank,
					.local = JOB_NONE,
					.pid = init->pid});
	}
}

bool joblog_init_is_open(const struct joblog_init *init, int64_t past)
{
	return init->begun > init->ended && init->line > past;
}

void joblog_inits_release(struct joblog_inits *inits)
{
	array_release(&inits->all);
}
