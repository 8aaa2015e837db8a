/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells two runs in one folder apart: processes that were not launched by `inquest run` share the
 * folder of their session. Where two processes made communicators as the same rank, and are of
 * different runs, the newer one's run is judged; processes of the other run are listed and no more.
 * But a job that a rank started (an evaluation, a smaller training) is none of its runs, however
 * new: the rank that waits for it is judged, and what descends from it is left out.
 */
#include <stdlib.h>

#include "base/array.h"
#include "job/seal/seal.h"

/* At most so many ancestors are followed: a longer chain is damage. */
#define CLIMB 64

static bool differ(uint64_t a, uint64_t b)
{
	return a && b && a != b;
}

static bool is_other_run(const struct job_identity *a, const struct job_identity *b)
{
	return differ(a->run, b->run) || differ(a->master, b->master);
}

static bool is_of_run(const struct job_identity *a, const struct job_identity *b)
{
	return a->run == b->run && a->master == b->master;
}

/* A process that made communicators as a rank. */
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

/*
 * True if the run of `older` is over: `newer`, who has the same number, is of another run and
 * younger.
 */
static bool supersedes(const struct seal *seal, size_t newer, size_t older)
{
	const struct job_identity *a = &seal->people[newer].identity;
	const struct job_identity *b = &seal->people[older].identity;

	if (!is_other_run(a, b))
		return false;
	if (seal->processes[newer].born != seal->processes[older].born)
		return seal->processes[newer].born > seal->processes[older].born;
	return seal->people[newer].who.start_time > seal->people[older].who.start_time;
}

/* Leaves out all processes that were in the run of this one; returns how many. */
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

/* True if among its ancestors is a living rank of another run. */
static bool is_inner(const struct seal *seal, size_t process)
{
	const struct job_identity *own = &seal->people[process].identity;
	int at = seal->people[process].parent;

	for (int steps = 0; at != JOB_NONE && steps < CLIMB; steps++) {
		const struct job_identity *outer = &seal->people[at].identity;

		if (outer->promoted && is_world_rank(outer->world_rank) &&
			seal->processes[at].end <= JOB_ALIVE && is_other_run(outer, own))
			return true;
		at = seal->people[at].parent;
	}
	return false;
}

/* Leaves out the jobs within the job; returns how many processes these were. */
static int leave_inner(struct seal *seal)
{
	int n = 0;

	for (size_t i = 0; i < seal->job->nprocesses; i++)
		if (!seal->people[i].stale && seal->people[i].identity.promoted &&
			is_world_rank(seal->people[i].identity.world_rank) && is_inner(seal, i))
			n += leave_out(seal, i);
	return n;
}

static void tell_loss(struct seal *seal, const char *what, int n)
{
	const struct job_loss loss = {.what = what, .count = n, .cite = "census"};

	if (n)
		job_add_loss(seal->b, (struct job_who){.host = ""}, &loss);
}

void seal_runs(struct seal *seal)
{
	ARRAY(struct claimant) all = {0};
	int older = 0;

	tell_loss(seal, "processes of a job that a rank started are left out", leave_inner(seal));

	for (size_t i = 0; i < seal->job->nprocesses; i++)
		if (seal->people[i].identity.promoted && !seal->people[i].stale &&
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
			older += leave_out(seal, process);
	}
	array_release(&all);
	tell_loss(seal, "processes of an earlier run are left out", older);
}
