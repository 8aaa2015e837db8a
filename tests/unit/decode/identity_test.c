/* SPDX-License-Identifier: Apache-2.0 */
/* Who is a rank of a job that has nothing of ours: what an exhibit of it becomes. */
#include "decode/decode.h"

#include "job/job.h"
#include "tests/decode/forge.h"
#include "tests/unit/unit.h"

static struct job *decoded(struct evidence *evidence)
{
	struct job *job = decode_job(evidence);

	evidence_release(evidence);
	return job;
}

static void identity_of(struct evidence *evidence, uint32_t r, const char *fields)
{
	char text[512];

	snprintf(text, sizeof(text), "{\"schema\": \"inquest-identity/1\", \"here\": %u, %s}",
		FORGE_PID(r), fields);
	forge_text(evidence, EXHIBIT_IDENTITY, FORGE_PID(r), text);
}

static const struct job_trait *trait_of(const struct job *job, int rank, const char *key)
{
	for (size_t i = 0; i < job->ntraits; i++)
		if (job->traits[i].rank.i == rank && !strcmp(job->traits[i].key, key))
			return &job->traits[i];
	return NULL;
}

static void ranks_are_who_the_gatherer_says(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	identity_of(&evidence, 0,
		"\"role\": \"rank\", \"rank\": 2, \"local_rank\": 0, \"world_size\": 4, "
		"\"job\": \"sft-41\", \"source\": \"environ: RANK\", "
		"\"confidence\": \"established\", \"conflict\": \"SLURM_PROCID says 0\"");
	identity_of(&evidence, 1,
		"\"role\": \"rank\", \"rank\": 3, \"local_rank\": 1, \"world_size\": 4, "
		"\"source\": \"environ: RANK\"");
	identity_of(&evidence, 2, "\"role\": \"launcher\", \"command\": \"torchrun train.py\"");
	job = decoded(&evidence);
	assert_string_equal(job->id, "sft-41");
	assert_int_equal(job->world_size, 4);
	assert_int_equal(job->nranks, 4);
	assert_int_equal(job->ranks[0].process, JOB_NONE);
	assert_int_equal(job->ranks[2].world_rank.n, 2);
	assert_int_equal(job->processes[job->ranks[2].process].pid, FORGE_PID(0));
	assert_false(job->ranks[2].candidate_only);
	assert_int_equal(job->ranks[2].knows & (JOB_KNOWS_RING | JOB_KNOWS_CENSUS), 0);
	assert_false(job->has_census);
	assert_string_equal(
		trait_of(job, 2, "rank-source")->text, "environ: RANK (established)");
	assert_string_equal(trait_of(job, 2, "rank-conflict")->text, "SLURM_PROCID says 0");
	assert_string_equal(trait_of(job, 3, "rank-source")->text, "environ: RANK");
	assert_null(trait_of(job, 3, "rank-conflict"));
	job_free(job);
}

/* Nobody knows which rank it is: it was asked for by its pid. */
static void who_is_asked_for_is_a_rank_by_position(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	identity_of(&evidence, 4, "\"role\": \"rank\", \"source\": \"asked for\"");
	identity_of(&evidence, 5,
		"\"role\": \"child\", \"command\": \"python -m multiprocessing.spawn\"");
	job = decoded(&evidence);
	assert_int_equal(job->nranks, 1);
	assert_int_equal(job->ranks[0].world_rank.n, 0);
	assert_false(job->ranks[0].named_by_env);
	assert_int_equal(job->processes[0].pid, FORGE_PID(4));
	assert_int_equal(job->processes[1].role, JOB_ROLE_CHILD);
	assert_string_equal(job->processes[1].what, "multiprocessing worker");
	job_free(job);
}

/* Forged, or damaged behind the checksum: no number is taken that makes no sense. */
static void nonsense_is_a_loss_or_unknown(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_text(&evidence, EXHIBIT_IDENTITY, FORGE_PID(0), "{\"role\": \"ra");
	forge_text(&evidence, EXHIBIT_IDENTITY, FORGE_PID(1), "{\"rank\": 1}");
	identity_of(&evidence, 2,
		"\"role\": \"rank\", \"rank\": -7, \"local_rank\": 99999999999, "
		"\"world_size\": \"many\", \"restart\": -1");
	job = decoded(&evidence);
	assert_int_equal(job->nlosses, 2);
	assert_int_equal(job->nranks, 1);
	assert_int_equal(job->world_size, JOB_NONE);
	assert_int_equal(job->ranks[0].world_rank.n, 0);
	job_free(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_who_the_gatherer_says),
		cmocka_unit_test(who_is_asked_for_is_a_rank_by_position),
		cmocka_unit_test(nonsense_is_a_loss_or_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
