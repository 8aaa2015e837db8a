/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs in one folder: what nobody launched by `inquest run` shares the folder of its session.
 * Where two processes made communicators as one rank, and are of different runs, the newer one's
 * run is judged; whoever is of the other run is listed and no more.
 */
#include <stdlib.h>

#include "base/array.h"
#include "job/seal.h"

static bool differ(uint64_t a, uint64_t b)
{
	return a && b && a != b;
}

static bool is_of_run(const struct job_identity *a, const struct job_identity *b)
{
	return a->run == b->run && a->master == b->master;
}

/* One that made communicators as a rank. */
struct claimant {
	struct world_rank world_rank;
	size_t process;
};

static int compare_claimants(const void *va, const void *vb)
{
	const struct claimant *a = va, *b = vb;

	SEAL_ORDER(a->world_rank.n, b->world_rank.n);
	SEAL_ORDER(a->process, b->process);
	return 0;
}

/* The run of `older` is over where `newer`, who has the same number, is of another run. */
static bool supersedes(const struct seal *seal, size_t newer, size_t older)
{
	const struct job_identity *a = &seal->people[newer].identity;
	const struct job_identity *b = &seal->people[older].identity;

	if (!differ(a->run, b->run) && !differ(a->master, b->master))
		return false;
	if (seal->processes[newer].born != seal->processes[older].born)
		return seal->processes[newer].born > seal->processes[older].born;
	return seal->people[newer].who.start_time > seal->people[older].who.start_time;
}

/* Leaves out all that were in the run of this process; how many there are. */
static int leave_out(struct seal *seal, size_t process)
{
	const struct job_identity *run = &seal->people[process].identity;
	int n = 0;

	for (size_t i = 0; i < seal->job->nprocesses; i++)
		if (!seal->people[i].stale && is_of_run(&seal->people[i].identity, run)) {
			seal->people[i].stale = true;
			n++;
		}
	return n;
}

void seal_runs(struct seal *seal)
{
	struct job_loss loss = {
		.what = "processes of an earlier run are left out", .cite = "census"};
	ARRAY(struct claimant) all = {0};

	for (size_t i = 0; i < seal->job->nprocesses; i++)
		if (seal->people[i].identity.promoted &&
			is_world_rank(seal->people[i].identity.world_rank))
			*array_add(&all) = (struct claimant){
				seal->people[i].identity.world_rank, i};
	array_sort(&all, compare_claimants);
	for (size_t i = 0, from = 0; i < all.nr; i++) {
		size_t process = all.items[i].process;
		bool over = false;

		if (!same_world_rank(all.items[i].world_rank, all.items[from].world_rank))
			from = i;
		for (size_t k = from; k < all.nr && !over && !seal->people[process].stale; k++) {
			if (!same_world_rank(all.items[k].world_rank, all.items[from].world_rank))
				break;
			over = supersedes(seal, all.items[k].process, process);
		}
		if (over)
			loss.count += leave_out(seal, process);
	}
	array_release(&all);
	if (loss.count)
		job_add_loss(seal->b, (struct job_who){.host = ""}, &loss);
}
