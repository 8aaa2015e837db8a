/* SPDX-License-Identifier: Apache-2.0 */
#include "job/seal.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* The job and the memory that it stands in: job_free() finds the one by the other. */
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
	job->world_size = b->world_size;
	job->launched = b->launched;
	job->deadline = b->deadline;
	job->deadline_cite = b->deadline_cite;
	job->ended = b->ended ? JOB_YES : JOB_MAYBE;
	job->exit_status = b->exit_status;
	job->has_census = b->census;
	if (b->ids_differ)
		job_add_loss(b, (struct job_who){.host = ""},
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
	seal_people(&seal);
	seal_ranks(&seal);
	seal_groups(&seal);
	seal_facts(&seal);
	array_release(&seal.seat_ranks);
	free(seal.people);
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
