/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds processes of an earlier attempt by the places in which their launcher started others since.
 * Where a node has left an elastic job, the others start their ranks anew without counting that as
 * a restart, and these have other numbers now: nothing but the place (one launcher, one local rank)
 * tells that the dead of before have successors.
 */
#include "base/array.h"
#include "job/seal/seal.h"

/* A process with the place in which its launcher has started it. */
struct placed {
	int host, local_rank, process;
	uint32_t launcher; /* pid */
	int64_t born;
};

static int compare_placed(const void *va, const void *vb)
{
	const struct placed *a = va, *b = vb;

	SEAL_ORDER(a->host, b->host);
	SEAL_ORDER(a->launcher, b->launcher);
	SEAL_ORDER(a->local_rank, b->local_rank);
	SEAL_ORDER(a->born, b->born);
	SEAL_ORDER(a->process, b->process);
	return 0;
}

/* True if it may be a rank, and its launcher is known: a parent 1 may have adopted it. */
static bool is_placed(const struct seal *seal, size_t i)
{
	const struct job_process *process = &seal->processes[i];
	const struct job_identity *identity = &seal->people[i].identity;

	return is_world_rank(identity->world_rank) && identity->local_rank >= 0 &&
	       process->host != JOB_NONE && process->ppid > 1 && process->born != JOB_UNKNOWN &&
	       process->role != JOB_ROLE_AGENT;
}

static bool is_one_launcher(const struct placed *a, const struct placed *b)
{
	return a->host == b->host && a->launcher == b->launcher;
}

static bool is_one_place(const struct placed *a, const struct placed *b)
{
	return is_one_launcher(a, b) && a->local_rank == b->local_rank;
}

/* True if the newer one was started in the place of the older, once that had ended. */
static bool succeeds(
	const struct seal *seal, const struct placed *newer, const struct placed *older)
{
	const struct job_process *then = &seal->processes[older->process];

	return is_one_place(older, newer) && then->end > JOB_ALIVE && then->ended != JOB_UNKNOWN &&
	       then->ended <= newer->born;
}

/*
 * True if all that the launcher ran with the older one had ended when it started the newer: so it
 * starts its ranks anew. One that starts ranks with one local rank, one after the other, may start
 * some when others have died already. The n items are all of the launcher.
 */
static bool starts_anew(const struct seal *seal, const struct placed *items, size_t n,
	const struct placed *newer, const struct placed *older)
{
	int64_t ended = seal->processes[older->process].ended;

	for (size_t i = 0; i < n; i++) {
		const struct job_process *process = &seal->processes[items[i].process];

		if (items[i].born < ended &&
			(process->end <= JOB_ALIVE ||
				(process->ended != JOB_UNKNOWN && process->ended > newer->born)))
			return false;
	}
	return true;
}

static bool same_numbers(const struct seal *seal, const struct placed *a, const struct placed *b)
{
	return same_world_rank(seal->people[a->process].identity.world_rank,
		seal->people[b->process].identity.world_rank);
}

/*
 * Marks those of one launcher. Of one number it is told elsewhere who has it (settle_number()); but
 * who had it before others that are left out is of an attempt before as well.
 */
static void mark(struct seal *seal, const struct placed *items, size_t n)
{
	for (size_t i = n - 1; i-- > 0;) {
		const struct placed *older = &items[i], *newer = &items[i + 1];

		if (succeeds(seal, newer, older) &&
			(same_numbers(seal, newer, older)
					? seal->people[newer->process].stale
					: starts_anew(seal, items, n, newer, older)))
			seal->people[older->process].stale = true;
	}
}

void seal_renumbered(struct seal *seal)
{
	ARRAY(struct placed) all = {0};

	for (size_t i = 0; i < seal->job->nprocesses; i++)
		if (is_placed(seal, i))
			*array_add(&all) = (struct placed){seal->processes[i].host,
				seal->people[i].identity.local_rank, (int)i,
				seal->processes[i].ppid, seal->processes[i].born};
	array_sort(&all, compare_placed);
	for (size_t from = 0, to; from < all.nr; from = to) {
		for (to = from + 1;
			to < all.nr && is_one_launcher(&all.items[from], &all.items[to]);)
			to++;
		mark(seal, &all.items[from], to - from);
	}
	array_release(&all);
}
