/* SPDX-License-Identifier: Apache-2.0 */
/* Who is a rank of a job that has nothing of ours: what an exhibit of it becomes. */
#include "decode/decode.h"

#include "job/job.h"
#include "tests/decode/forge.h"
#include "tests/unit/process_of.h"
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

static void parent_of(struct evidence *evidence, uint32_t pid, uint32_t here, uint32_t parent)
{
	char text[400];

	snprintf(text, sizeof(text),
		"%u (trainer) S %u 1 1 0 -1 0 0 0 0 0 0 0 1000 0 20 0 3 0 %u 1000 256 "
		"1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0\n",
		here, parent, FORGE_START(pid - FORGE_PID(0)));
	forge_text(evidence, EXHIBIT_PROC_STAT, pid, text);
}

/* Who was put into a pid namespace from outside has a parent without a number there: 0. */
static void a_parent_outside_of_the_namespace_is_nobody(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	identity_of(&evidence, 0,
		"\"role\": \"rank\", \"rank\": 0, \"world_size\": 2, \"source\": \"environ\"");
	identity_of(&evidence, 1,
		"\"role\": \"rank\", \"rank\": 1, \"world_size\": 2, \"source\": \"environ\"");
	identity_of(&evidence, 2, "\"role\": \"launcher\", \"command\": \"sh\"");
	for (uint32_t r = 0; r < 3; r++)
		parent_of(&evidence, FORGE_PID(r), FORGE_PID(r), 0);
	job = decoded(&evidence);
	assert_int_equal(job->nranks, 2);
	assert_int_equal(process_of(job, FORGE_PID(0))->rank.i, 0);
	assert_int_equal(process_of(job, FORGE_PID(1))->rank.i, 1);
	assert_int_equal(process_of(job, FORGE_PID(0))->role, JOB_ROLE_RANK);
	assert_int_equal(process_of(job, FORGE_PID(2))->ppid, 0);
	assert_int_equal(process_of(job, FORGE_PID(2))->rank.i, JOB_NONE);
	job_free(job);
}

/* Ranks 0 and 1 have other numbers where they are: 101 there is nobody's parent here. */
static void a_parent_is_no_rank_of_that_number_in_another_namespace(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	identity_of(&evidence, 0,
		"\"here\": 5100, \"role\": \"rank\", \"rank\": 0, \"source\": \"environ\"");
	identity_of(&evidence, 1,
		"\"here\": 5101, \"role\": \"rank\", \"rank\": 1, \"source\": \"environ\"");
	identity_of(&evidence, 2, "\"role\": \"launcher\", \"command\": \"sh\"");
	identity_of(&evidence, 3, "\"role\": \"child\", \"command\": \"loader\"");
	parent_of(&evidence, FORGE_PID(0), 5100, FORGE_PID(2));
	parent_of(&evidence, FORGE_PID(2), FORGE_PID(2), FORGE_PID(1));
	parent_of(&evidence, FORGE_PID(3), FORGE_PID(3), 5101);
	job = decoded(&evidence);
	assert_int_equal(process_of(job, FORGE_PID(0))->ppid, FORGE_PID(2));
	assert_int_equal(process_of(job, FORGE_PID(2))->rank.i, JOB_NONE);
	assert_int_equal(process_of(job, FORGE_PID(3))->rank.i, 1);
	assert_int_equal(process_of(job, FORGE_PID(3))->ppid, FORGE_PID(1));
	job_free(job);
}

/* Where two jobs look for their stores is each one's own, and no number stands for it. */
static void where_the_store_is_belongs_to_each_rank(void **state)
{
	struct evidence evidence = {0};
	const struct job_trait *first, *second;
	struct job *job;

	identity_of(&evidence, 0,
		"\"role\": \"rank\", \"rank\": 0, \"source\": \"environ\", "
		"\"master\": \"m1:29500\"");
	identity_of(&evidence, 1,
		"\"role\": \"rank\", \"rank\": 1, \"source\": \"environ\", "
		"\"master\": \"m1:29501\"");
	identity_of(&evidence, 2,
		"\"role\": \"rank\", \"rank\": 2, \"source\": \"environ\", \"master\": 29501");
	identity_of(&evidence, 3, "\"role\": \"launcher\", \"master\": \"m1:29500\"");
	job = decoded(&evidence);
	first = trait_of(job, 0, "master");
	second = trait_of(job, 1, "master");
	assert_non_null(first);
	assert_non_null(second);
	assert_string_equal(first->text, "m1:29500");
	assert_string_equal(second->text, "m1:29501");
	assert_int_equal(first->number, JOB_UNKNOWN);
	assert_string_not_equal(first->cite, second->cite);
	assert_null(trait_of(job, 2, "master"));
	assert_null(trait_of(job, JOB_NONE, "master"));
	job_free(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_who_the_gatherer_says),
		cmocka_unit_test(who_is_asked_for_is_a_rank_by_position),
		cmocka_unit_test(nonsense_is_a_loss_or_unknown),
		cmocka_unit_test(a_parent_outside_of_the_namespace_is_nobody),
		cmocka_unit_test(a_parent_is_no_rank_of_that_number_in_another_namespace),
		cmocka_unit_test(where_the_store_is_belongs_to_each_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
