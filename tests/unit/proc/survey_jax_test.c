/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of JAX jobs, which know their numbers in their memory alone. */
#include "tests/unit/proc/actors.h"

#define STEP "SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_LOCALID=0 SLURM_NTASKS=2 "

static const struct survey_process *of_pid(struct survey *survey, uint32_t pid)
{
	const struct survey_process *process = survey_find(survey, pid);

	assert_non_null(process);
	return process;
}

/* What jax.distributed keeps in the memory of a process. */
static void met(struct survey *survey, uint32_t pid, int number, int of, const char *coordinator)
{
	survey_add_inside(survey, survey_find(survey, pid),
		&(struct survey_inside){.environ = "",
			.place = CLAIM_UNKNOWN,
			.places = CLAIM_UNKNOWN,
			.process_id = number,
			.num_processes = of,
			.coordinator = coordinator});
}

/* Two jobs of plain loops, with a loader that was forked off and another program beside them. */
static void processes_of_jax_are_known_from_inside(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "sh", "A=b", "sh job.sh"},
		{11, 10, "python", "A=b", "python train.py 0"},
		{12, 10, "python", "A=b", "python train.py 1"},
		{13, 12, "python", "A=b", "python train.py 1"}, /* a loader of it, forked off */
		{14, 10, "python", "A=b", "python board.py"},
		{20, 1, "sh", "A=b", "sh job.sh"},
		{21, 20, "python", "A=b", "python train.py 0"},
		{22, 20, "python", "A=b", "python train.py 1"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	met(&survey, 11, 0, 2, "a:1");
	met(&survey, 12, 1, 2, "a:1");
	met(&survey, 13, 1, 2, "a:1");
	met(&survey, 21, 0, 2, "a:2");
	met(&survey, 22, 1, 2, "a:2");
	survey_settle(&survey);
	assert_ranks(&survey, "11=0/- 12=1/- 21=0/- 22=1/-");
	assert_int_equal(survey.jobs.nr, 2);
	assert_int_equal(of_pid(&survey, 12)->rank.trust, CLAIM_SUPPORTED);
	assert_int_equal(of_pid(&survey, 11)->job, of_pid(&survey, 12)->job);
	assert_int_not_equal(of_pid(&survey, 11)->job, of_pid(&survey, 21)->job);
	survey_release(&survey);
	(void)state;
}

/* A task's number is JAX's, and stays the launcher's word; a node's is none of its processes'. */
static void what_jax_knows_stands_beside_a_tasks_number(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "python", STEP, "python train.py"},
		{15, 1, "python", "PMIX_RANK=1", "python train.py"},
		{20, 1, "sh", "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2", "sh two.sh"},
		{21, 20, "python", "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2", "python a.py"},
		{22, 20, "python", "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2", "python a.py"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	met(&survey, 10, of_pid(&survey, 10)->claims.all[0].rank,
		of_pid(&survey, 10)->claims.all[0].world_size, "a:1");
	met(&survey, 15, 1, 2, "a:1");
	met(&survey, 21, 2, 4, "a:1");
	met(&survey, 22, 3, 4, "a:1");
	survey_settle(&survey);
	assert_true(of_pid(&survey, 10)->is_rank);
	assert_string_equal(of_pid(&survey, 10)->rank.launcher, "slurm");
	assert_string_equal(of_pid(&survey, 10)->claims.master, "");
	assert_string_equal(of_pid(&survey, 15)->rank.launcher, "pmix");
	assert_int_equal(of_pid(&survey, 15)->rank.world_size, 2);
	assert_false(of_pid(&survey, 20)->is_rank);
	assert_int_equal(of_pid(&survey, 21)->rank.rank, 2);
	assert_int_equal(of_pid(&survey, 22)->rank.rank, 3);
	survey_release(&survey);
	(void)state;
}

/*
 * Who was started beside those that have met has the number that they leave, if it is one; a rank
 * of unknown number where there are several. Of more than the job lacks nobody is one, nor is
 * another program, or who was adopted.
 */
static void who_has_not_met_the_others_is_one_of_them(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "sh", "A=b", "sh job.sh"},
		{11, 10, "python", "A=b", "python -u train.py 0"},
		{12, 10, "python", "A=b", "python train.py 1"},
		{13, 10, "python", "A=b", "python train.py 2"},
		{14, 10, "python", "A=b", "python board.py"},
		{20, 1, "sh", "A=b", "sh job.sh"},
		{21, 20, "python", "A=b", "python train.py 0"},
		{22, 20, "python", "A=b", "python train.py 1"},
		{23, 20, "python", "A=b", "python train.py 2"},
		{30, 1, "sh", "A=b", "sh job.sh"},
		{31, 30, "python", "A=b", "python train.py 0"},
		{32, 30, "python", "A=b", "python train.py 1"},
		{41, 1, "python", "A=b", "python train.py 0"},
		{42, 1, "python", "A=b", "python train.py 1"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	met(&survey, 11, 0, 3, "a:1");
	met(&survey, 13, 2, 3, "a:1");
	met(&survey, 22, 2, 3, "a:2");
	met(&survey, 31, 0, 1, "a:3");
	met(&survey, 41, 0, 2, "a:4");
	survey_settle(&survey);
	assert_ranks(&survey, "11=0/- 12=1/- 13=2/- 21=-1/- 22=2/- 23=-1/- 31=0/- 41=0/-");
	assert_int_equal(of_pid(&survey, 12)->rank.trust, CLAIM_SUPPORTED);
	assert_int_equal(of_pid(&survey, 12)->job, of_pid(&survey, 11)->job);
	assert_int_equal(of_pid(&survey, 21)->rank.trust, CLAIM_HYPOTHESIS);
	assert_int_equal(of_pid(&survey, 21)->job, of_pid(&survey, 22)->job);
	assert_int_equal(of_pid(&survey, 23)->job, of_pid(&survey, 22)->job);
	assert_int_equal(survey.jobs.items[of_pid(&survey, 22)->job].first_pid, 22);
	survey_release(&survey);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_of_jax_are_known_from_inside),
		cmocka_unit_test(what_jax_knows_stands_beside_a_tasks_number),
		cmocka_unit_test(who_has_not_met_the_others_is_one_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
