/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs in one folder: what nobody launched by `inquest run` shares the folder of its session.
 * Where two processes made communicators as one rank, and are of different runs, the newer one's
 * run is judged; whoever is of the other run is listed and no more.
 */
#include "job/seal.h"

static bool differ(uint64_t a, uint64_t b)
{
	return a && b && a != b;
}

static bool is_of_run(const struct job_identity *a, const struct job_identity *b)
{
	return a->run == b->run && a->master == b->master;
}

/* The run of `older` is over where `newer` took its number in another run. */
static bool supersedes(const struct seal *seal, size_t newer, size_t older)
{
	const struct job_identity *a = &seal->people[newer].identity;
	const struct job_identity *b = &seal->people[older].identity;

	if (a->world_rank == JOB_NONE || a->world_rank != b->world_rank || !a->promoted ||
		!b->promoted || !(differ(a->run, b->run) || differ(a->master, b->master)))
		return false;
	if (seal->processes[newer].born != seal->processes[older].born)
		return seal->processes[newer].born > seal->processes[older].born;
	return seal->people[newer].who.start_time > seal->people[older].who.start_time;
}

void seal_runs(struct seal *seal)
{
	size_t n = seal->job->nprocesses;
	struct job_loss loss = {
		.what = "processes of an earlier run are left out", .cite = "census"};

	for (size_t i = 0; i < n; i++) {
		bool over = false;

		for (size_t k = 0; k < n && !over && !seal->people[i].stale; k++)
			over = supersedes(seal, k, i);
		for (size_t k = 0; k < n && over; k++)
			if (!seal->people[k].stale && is_of_run(&seal->people[k].identity,
							      &seal->people[i].identity)) {
				seal->people[k].stale = true;
				loss.count++;
			}
	}
	if (loss.count)
		job_add_loss(seal->b, (struct job_who){.host = ""}, &loss);
}
