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
	survey_add_word(&survey, 30, &told, 0);
	survey_settle(&survey);
	assert_ranks(&survey, "14=1/0 32=3/3");
	survey_release(&survey);
}

/* Anybody may keep a table in which processes of others are tasks: he speaks for his own. */
static void a_launcher_speaks_for_its_own_user(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "train", NULL, "train"},
		{11, 1, "train", NULL, "train"},
		{12, 1, "sh", NULL, "sh -c train"},
		{13, 12, "train", NULL, "train"},
	};
	const struct rank_claim told = {.rank = 3, .local_rank = 3, .launcher = "mpirun",
		.source = "MPIR_proctable", .trust = CLAIM_ESTABLISHED, .of_task = true};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_find(&survey, 10)->uid = survey_find(&survey, 13)->uid = 1000;
	survey_find(&survey, 11)->uid = survey_find(&survey, 12)->uid = 1001;
	for (uint32_t pid = 10; pid <= 12; pid++)
		survey_add_word(&survey, pid, &told, 1001);
	survey_settle(&survey);
	assert_int_equal(survey_find(&survey, 10)->claims.nr, 0);
	assert_int_equal(survey_find(&survey, 11)->claims.nr, 1);
	assert_int_equal(survey_find(&survey, 12)->claims.nr, 1);
	assert_int_equal(survey_find(&survey, 13)->claims.nr, 0);
	survey_add_word(&survey, 10, &told, 0);
	assert_int_equal(survey_find(&survey, 10)->claims.nr, 1);
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

#define OF(rank) "MASTER_ADDR=a MASTER_PORT=1 WORLD_SIZE=3 LOCAL_RANK=" rank " RANK=" rank

/* A shell's loop gives a rank's number to all of a pipe: what reads the rank's output is none. */
static void the_other_end_of_a_pipe_is_no_rank(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "bash", "", "bash loop.sh"},
		{20, 10, "bash", "", "bash loop.sh"},
		{21, 20, "python3", OF("0"), "python3 train.py"},
		{22, 20, "tee", OF("0"), "tee log.0"},
		{30, 10, "bash", "", "bash loop.sh"},
		{31, 30, "timeout", OF("1"), "timeout 600 python3 train.py"},
		{32, 31, "python3", OF("1"), "python3 train.py"},
		{33, 30, "sleep", OF("1"), "sleep 1000"},
		{40, 10, "bash", "", "bash loop.sh"},
		{41, 40, "train", OF("2"), "./train"},
		{42, 40, "cat", OF("2"), "cat"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "21=0/0 32=1/1 41=2/2");
	assert_int_equal(survey.jobs.nr, 1);
	survey_release(&survey);
}

/* A rank that is no Python, and alone in its shell, is one. */
static void who_has_its_number_alone_is_a_rank(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "bash", "", "bash loop.sh"},
		{11, 10, "sleep", OF("0"), "sleep 1000"},
		{12, 10, "python3", OF("1"), "python3 train.py"},
		{13, 10, "cat", OF("2"), "cat"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "11=0/0 12=1/1 13=2/2");
	survey_release(&survey);
}

#define PLACE(place) "MASTER_ADDR=a MASTER_PORT=1 WORLD_SIZE=3 NODE_RANK=0 LOCAL_RANK=" place

/*
 * Lightning's way: a script sets LOCAL_RANK, NODE_RANK and WORLD_SIZE and starts itself again, once
 * for each other rank. It is the first one, and what it and they start besides is none.
 */
static void who_starts_its_own_script_again_is_the_first_rank(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "bash", "", "bash"},
		{11, 10, "python3", "A=b", "python3 -u train.py --steps 9"},
		{12, 11, "python3", PLACE("1"), "/opt/bin/python3 /home/u/train.py --steps 9"},
		{13, 11, "python3", PLACE("2"), "/opt/bin/python3 /home/u/train.py --steps 9"},
		{14, 11, "python3", PLACE("0"), "/opt/bin/python3 compile_worker/__main__.py"},
		{15, 11, "python3", PLACE("0"),
			"python3 -c from multiprocessing.resource_tracker import main"},
		{16, 12, "python3", PLACE("1"),
			"/opt/bin/python3 /home/u/train.py --steps 9"}, /* its loader, forked off */
		{17, 12, "python3", PLACE("1"), "/opt/bin/python3 compile_worker/__main__.py"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "11=0/0 12=1/1 13=2/2");
	assert_int_equal(survey.jobs.nr, 1);
	assert_int_equal(survey.jobs.items[0].world_size, 3);
	assert_int_equal(survey.jobs.items[0].ranks, 3);
	assert_true(survey_find(&survey, 11)->rank.trust == CLAIM_SUPPORTED);
	survey_release(&survey);
}

/* The second of two nodes: its first rank is the one behind those of the first. */
static void a_later_node_counts_on(void **state)
{
	static const struct actor actors[] = {
		{11, 1, "python3", "", "python3 train.py"},
		{12, 11, "python3", "WORLD_SIZE=4 NODE_RANK=1 LOCAL_RANK=1",
			"python3 /home/u/train.py"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "11=2/0 12=3/1");
	survey_release(&survey);
}

/* A number that is inherited makes no rank: without all of its siblings, or of another's script. */
static void a_place_alone_makes_no_rank(void **state)
{
	static const struct actor actors[] = {
		/* one is gone */
		{10, 1, "python3", "", "python3 train.py"},
		{11, 10, "python3", PLACE("2"), "python3 /home/u/train.py"},
		/* all were started by what is none of them */
		{20, 1, "python3", "", "python3 launch.py"},
		{21, 20, "python3", PLACE("1"), "python3 train.py"},
		{22, 20, "python3", PLACE("2"), "python3 train.py"},
		/* by their own script, which is none of them, either */
		{30, 1, "python3", "", "python3 train.py"},
		{31, 30, "python3", PLACE("0"), "python3 train.py"},
		{32, 30, "python3", PLACE("1"), "python3 train.py"},
		{33, 30, "python3", PLACE("2"), "python3 train.py"},
		/* one place twice */
		{40, 1, "python3", "", "python3 train.py"},
		{41, 40, "python3", PLACE("1"), "python3 train.py"},
		{42, 40, "python3", PLACE("1"), "python3 train.py"},
		/* of a world that does not divide by so many */
		{50, 1, "python3", "", "python3 train.py"},
		{51, 50, "python3", PLACE("1"), "python3 train.py"},
		/* a session from which a rank was started, whose name ends alike */
		{60, 1, "python3", "", "python3 retrain.py"},
		{61, 60, "python3", PLACE("1"), "python3 train.py"},
		{62, 60, "python3", PLACE("2"), "python3 train.py"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "");
	survey_release(&survey);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_of_inquest_is_a_rank),
		cmocka_unit_test(the_shell_of_a_session_is_no_rank),
		cmocka_unit_test(a_launcher_speaks_for_its_own_user),
		cmocka_unit_test(the_other_end_of_a_pipe_is_no_rank),
		cmocka_unit_test(who_has_its_number_alone_is_a_rank),
		cmocka_unit_test(who_starts_its_own_script_again_is_the_first_rank),
		cmocka_unit_test(a_later_node_counts_on),
		cmocka_unit_test(a_place_alone_makes_no_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
