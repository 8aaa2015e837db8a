/* SPDX-License-Identifier: Apache-2.0 */
/* What inherits the number of a rank and is none: inquest itself, and who looks around. */
#include <stdio.h>

#include "tests/unit/proc/actors.h"
#include "tests/unit/unit.h"

#define STEP "SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_LOCALID=0 SLURM_NTASKS=2 "
#define STEP2 "SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_PROCID=2 SLURM_LOCALID=0 SLURM_NTASKS=3 "

/*
 * An agent for each rank, as srun starts them: what it has forked inherits the number, also where
 * the file that it is goes by another name; and what it runs may have cleared its environment.
 */
static void nothing_of_inquest_is_a_rank(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "slurmstepd", "", "slurmstepd: [7.0]"},
		{11, 10, "inquest", STEP, "inquest run -- python train.py"},
		{12, 11, "inquest-agent", STEP, "inquest run -- python train.py"},
		{13, 11, "inquest-witness", STEP, "inquest run -- python train.py"},
		{14, 11, "python", STEP, "python train.py"},
		{15, 1, "inquest", STEP, "inquest attach"},
		{20, 1, "bash", STEP2, "bash -c inq-2.1"},
		{21, 20, "inq-2.1", STEP2, "inq-2.1 run -- env -i python train.py"},
		{22, 21, "inquest-witness", STEP2, "inq-2.1 run -- env -i python train.py"},
		{23, 21, "python", "", "python train.py"},
		{30, 1, "inquest", NULL, "inquest run -- python train.py"},
		{31, 30, "inquest-witness", NULL, "inquest run -- python train.py"},
		{32, 30, "python", NULL, "python train.py"},
	};
	const struct rank_claim told = {.rank = 3, .local_rank = 3, .launcher = "slurm",
		.source = "scontrol listpids", .trust = CLAIM_ESTABLISHED, .of_task = true};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_add_word(&survey, 30, &told);
	survey_settle(&survey);
	assert_ranks(&survey, "14=1/0 32=3/3");
	survey_release(&survey);
}

/* Somebody looks around in a step: his shell has a number, and so has what runs below it. */
static void the_shell_of_a_session_is_no_rank(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "bash", STEP, "-bash"},
		{20, 1, "bash", STEP, "bash -il"},
		{30, 1, "sh", STEP2, "sh -c wait"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "30=2/0");
	survey_release(&survey);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_of_inquest_is_a_rank),
		cmocka_unit_test(the_shell_of_a_session_is_no_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
