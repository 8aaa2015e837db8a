/* SPDX-License-Identifier: Apache-2.0 */
#include "job/seal/seal.h"

#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "base/alloc.h"

/*
 * A job with the memory it lies in. The job comes first, so that job_free() finds the arena by it.
 */
struct sealed {
	struct job job;
	struct arena arena;
};

static void seal_identity(struct seal *seal)
{
	struct job_builder *b = seal->b;
	struct job *job = seal->job;

	job->id = b->id;
	job->name = b->name;
	job->world_at_least = b->world_at_least > b->ranks.n;
	job->world_size = job->world_at_least ? b->world_at_least : b->ranks.n;
	job->launched = b->launched;
	job->deadline = b->deadline;
	job->deadline_cite = b->deadline_cite;
	job->ended = b->ended ? JOB_YES : JOB_MAYBE;
	job->exit_status = b->exit_status;
	job->told_to_end = b->told_to_end;
	job->has_census = job->census_whole = b->census;
}

/* True if some group has seats on several hosts. */
static bool hosts_share_a_group(const struct job *job)
{
	for (size_t i = 0; i < job->ngroups; i++) {
		int host = JOB_NONE;

		for (uint32_t seat = 0; seat < job->groups[i].size; seat++) {
			struct rank_index rank =
				job->members[job->groups[i].first_member + (int)seat].rank;
			int here = is_rank(rank) ? job_rank(job, rank)->host : JOB_NONE;

			if (here != JOB_NONE && host != JOB_NONE && here != host)
				return true;
			host = here == JOB_NONE ? host : here;
		}
	}
	return false;
}

/* True for a step of a Slurm job, "8841.0". */
static bool is_step(const char *text)
{
	return strchr(text, '.') != NULL;
}

/* True for where a store is to be found, unless each host would look for one of its own. */
static bool is_shared_address(const char *text)
{
	return address_is_wide(text) && *text != ':';
}

/* True if all ranks have a trait of that key, with one text that tells of one job. */
static bool share_a_trait(
	struct seal *seal, const char *key, bool (*tells)(const char *text))
{
	const struct job *job = seal->job;
	bool *has = alloc_zeroed(job->nranks + 1, sizeof(*has));
	const char *common = NULL;
	const struct raw_trait *trait;
	bool share = true;

	array_for_each(&seal->b->traits, trait) {
		struct rank_index rank =
			seal_rank_of(seal, seal_find_process(seal, trait->about.who));

		if (!is_rank(rank) || strcmp(trait->fact.key, key) != 0)
			continue;
		common = common ? common : trait->fact.text;
		share &= tells(trait->fact.text) && !strcmp(trait->fact.text, common);
		has[rank.i] = true;
	}
	job_for_each_rank(job, rank)
		share &= has[rank.i];
	free(has);
	return share && common;
}

/*
 * Notes a loss if exhibits of different jobs were mixed. Each node's agent has an id of its own, so
 * different ids are no proof: a group that spans hosts makes them one job, and so do one step of
 * Slurm and one store.
 */
static void complain_of_mixture(struct seal *seal)
{
	if (seal->b->ids_differ && !hosts_share_a_group(seal->job) &&
		!share_a_trait(seal, "slurm", is_step) &&
		!share_a_trait(seal, "master", is_shared_address))
		job_add_loss(seal->b, (struct job_who){.host = ""},
			&(struct job_loss){.what = "exhibits of different jobs were mixed",
				.count = JOB_UNKNOWN,
				.cite = "job"});
}

struct job *job_seal(struct job_builder *b)
{
	struct sealed *sealed = alloc_zeroed(1, sizeof(*sealed));
	struct seal seal = {
		.b = b, .job = &sealed->job, .arena = &b->arena, .last_process = JOB_NONE};

	seal_identity(&seal);
	seal_aliases(&seal);
	seal_people(&seal);
	seal_ranks(&seal);
	seal_seats(&seal);
	seal_clashes(&seal);
	seal_creations(&seal);
	seal_groups(&seal);
	seal_ops(&seal);
	seal_calls(&seal);
	complain_of_mixture(&seal);
	seal_stacks(&seal);
	seal_facts(&seal);
	seal_launches(&seal);
	seal_coverage(&seal);
	array_release(&seal.seat_ranks);
	free(seal.people);
	free(seal.by_key);
	sealed->arena = b->arena;
	b->arena = (struct arena){0};
	job_builder_free(b);
	return &sealed->job;
}

void job_free(struct job *job)
{
	struct sealed *sealed = (struct sealed *)job;

	if (!sealed)
		return;
	arena_release(&sealed->arena);
	free(sealed);
}
