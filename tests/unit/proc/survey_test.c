/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is a rank, on machines made up here: a line per process, of its environment what launchers
 * put there. Each story is one that has led somebody astray.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "proc/survey/slurm.h"
#include "proc/survey/survey.h"
#include "tests/unit/proc/actors.h"
#include "tests/unit/unit.h"

static const struct survey_process *of_pid(struct survey *survey, uint32_t pid)
{
	const struct survey_process *process = survey_find(survey, pid);

	assert_non_null(process);
	return process;
}

/* --- One process ----------------------------------------------------------------------------- */

static void each_launcher_is_understood(void **state)
{
	static const struct {
		const char *environ, *cmdline;
		const char *launcher;
		int rank, local, world, node;
	} cases[] = {
		{"RANK=5 LOCAL_RANK=1 WORLD_SIZE=8 GROUP_RANK=1 LOCAL_WORLD_SIZE=4 "
		 "TORCHELASTIC_RUN_ID=x", "python", "torchrun", 5, 1, 8, 1},
		/* --virtual-local-rank: 0 for all. */
		{"RANK=5 LOCAL_RANK=0 WORLD_SIZE=8 GROUP_RANK=1 LOCAL_WORLD_SIZE=4 "
		 "TORCHELASTIC_RUN_ID=x CUDA_VISIBLE_DEVICES=1", "python", "torchrun", 5, 1, 8, 1},
		{"RANK=4 LOCAL_RANK=0 WORLD_SIZE=8 GROUP_RANK=1 LOCAL_WORLD_SIZE=4 "
		 "TORCHELASTIC_RUN_ID=x", "python", "torchrun", 4, 0, 8, 1},
		{"RANK=3 LOCAL_RANK=3 WORLD_SIZE=8 CROSS_RANK=0", "python", "env", 3, 3, 8, -1},
		/* NODE_RANK of Open MPI is a place on the node. */
		{"OMPI_COMM_WORLD_RANK=6 OMPI_COMM_WORLD_LOCAL_RANK=2 OMPI_COMM_WORLD_SIZE=8 "
		 "OMPI_COMM_WORLD_NODE_RANK=2 PMIX_RANK=6", "a.out", "openmpi", 6, 2, 8, -1},
		{"PMIX_RANK=2 PMIX_NAMESPACE=ns", "a.out", "pmix", 2, -1, -1, -1},
		{"PMI_RANK=2 PMI_SIZE=4 MPI_LOCALRANKID=1", "a.out", "hydra", 2, 1, 4, -1},
		{"MV2_COMM_WORLD_RANK=2 MV2_COMM_WORLD_SIZE=4 MV2_COMM_WORLD_LOCAL_RANK=0",
			"a.out", "mvapich", 2, 0, 4, -1},
		{"PALS_RANKID=9 PALS_NODEID=2", "a.out", "pals", 9, -1, -1, 2},
		{"FLUX_TASK_RANK=1 FLUX_TASK_LOCAL_ID=1", "a.out", "flux", 1, 1, -1, -1},
		{"SLURM_JOB_ID=88410077 SLURM_STEP_ID=0 SLURM_PROCID=3 SLURM_LOCALID=1 "
		 "SLURM_STEP_NUM_TASKS=8 SLURM_NODEID=1", "python", "slurm", 3, 1, 8, 1},
		/* The batch script's own number is nobody's rank. */
		{"SLURM_JOB_ID=8841 SLURM_STEP_ID=batch SLURM_PROCID=0", "python", NULL, 0, 0, 0,
			0},
		{"SLURM_JOB_ID=8841 SLURM_PROCID=0", "python", NULL, 0, 0, 0, 0},
		{"JAX_PROCESS_ID=1 JAX_NUM_PROCESSES=3 JAX_COORDINATOR_ADDRESS=a:1",
			"python train.py", "jax", 1, -1, 3, -1},
		{"JAX_PROCESS_ID=1", "python train.py", NULL, 0, 0, 0, 0},
		{"", "python train.py --process_id=2 --num_processes 3", "jax", 2, -1, 3, -1},
		{"", "python train.py --process-id=3 --num-processes=3", NULL, 0, 0, 0, 0},
		{"", "python train.py --process_id=2", NULL, 0, 0, 0, 0},
		{"", "python train.py --local_rank=2", "arguments", 2, 2, -1, -1},
		{"", "python train.py --local-rank 2", "arguments", 2, 2, -1, -1},
		{"RANK=6 WORLD_SIZE=8", "python train.py --local_rank=2", "arguments", 6, 2, 8,
			-1},
		{"RANK=x LOCAL_RANK=1", "python", NULL, 0, 0, 0, 0},
		{"RANK=-1 LOCAL_RANK=1", "python", NULL, 0, 0, 0, 0},
		{"RANK=99999999999999 LOCAL_RANK=1", "python", NULL, 0, 0, 0, 0},
		{"XRANK=1 LOCAL_RANKS=1", "python", NULL, 0, 0, 0, 0},
		{"", "python train.py --local_ranks=2 --local_rank", NULL, 0, 0, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct actor actor = {20, 1, "python", cases[i].environ, cases[i].cmdline};
		struct survey survey = {0};
		const struct survey_process *process;

		add_actor(&survey, &actor);
		survey_sort(&survey);
		survey_settle(&survey);
		process = of_pid(&survey, 20);
		print_message("%s | %s\n", cases[i].environ, cases[i].cmdline);
		assert_int_equal(process->is_rank, cases[i].launcher != NULL);
		if (process->is_rank) {
			assert_string_equal(process->rank.launcher, cases[i].launcher);
			assert_int_equal(process->rank.rank, cases[i].rank);
			assert_int_equal(process->rank.local_rank, cases[i].local);
			assert_int_equal(process->rank.world_size, cases[i].world);
			assert_int_equal(process->rank.node_rank, cases[i].node);
			assert_string_equal(process->conflict, "");
		}
		survey_release(&survey);
	}
}

static void a_cut_environment_is_believed_up_to_the_cut(void **state)
{
	static const char block[] = "LOCAL_RANK=1\0RANK=12";
	struct claims claims;

	claims_read(&claims, block, sizeof(block), "", 0);
	assert_int_equal(claims.all[0].rank, 12);
	claims_read(&claims, block, sizeof(block) - 2, "", 0);
	assert_int_equal(claims.nr, 0);
	claims_read(&claims, "", 0, "--local_rank", sizeof("--local_rank"));
	assert_int_equal(claims.nr, 0);
}

static void who_says_otherwise_is_kept(void **state)
{
	static const struct actor actors[] = {
		{20, 1, "python", "RANK=3 LOCAL_RANK=3 WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=1", NULL}};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "20=3/3");
	assert_string_equal(
		of_pid(&survey, 20)->conflict, "environ: OMPI_COMM_WORLD_RANK says 1");
	survey_release(&survey);
}

/* --- Trees ----------------------------------------------------------------------------------- */

#define TORCH(rank, local)                                                                         \
	"TORCHELASTIC_RUN_ID=none RANK=" rank " LOCAL_RANK=" local                                 \
	" WORLD_SIZE=4 LOCAL_WORLD_SIZE=2 GROUP_RANK=1 MASTER_ADDR=n0 MASTER_PORT=29500"

static void whoever_inherits_is_no_rank(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "torchrun", "PET_NNODES=2", "/usr/bin/python3 /usr/bin/torchrun train.py"},
		{11, 10, "python3", TORCH("2", "0"), "python3 train.py"},
		{12, 10, "python3", TORCH("3", "1"), "python3 train.py"},
		{13, 11, "pt_data_worker", TORCH("2", "0"), "python3 train.py"},
		{14, 11, "python3", TORCH("2", "0"),
			"python3 torch/_inductor/compile_worker/__main__.py"},
		{15, 14, "python3", TORCH("2", "0"), "python3"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "11=2/0 12=3/1");
	assert_int_equal(survey.jobs.nr, 1);
	assert_string_equal(survey.jobs.items[0].id, "torchrun-10");
	assert_int_equal(survey.jobs.items[0].world_size, 4);
	for (uint32_t pid = 10; pid <= 15; pid++)
		assert_int_equal(survey_job_of(&survey, pid), 0);
	assert_int_equal(survey_job_of(&survey, 999), SURVEY_NONE);
	survey_release(&survey);
}

/* srun starts a shell per task, the shell torchrun, torchrun the ranks. */
static void torchs_word_beats_the_tasks(void **state)
{
#define STEP "SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_LOCALID=0 SLURM_NTASKS=2 "
	static const struct actor actors[] = {
		{9, 1, "slurmstepd", "", "slurmstepd: [7.0]"},
		{10, 9, "bash", STEP, "bash run.sh"},
		{11, 10, "torchrun", STEP, "python /usr/bin/torchrun train.py"},
		{12, 11, "python", STEP TORCH("2", "0"), "python train.py"},
		{13, 11, "python", STEP TORCH("3", "1"), "python train.py"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "12=2/0 13=3/1");
	assert_string_equal(of_pid(&survey, 13)->conflict, "");
	survey_release(&survey);
}

/* The same with a launcher that nobody has heard of. */
static void a_task_whose_children_differ_is_a_launcher(void **state)
{
	static const struct actor actors[] = {
		{10, 9, "python", STEP, "python my_launcher.py"},
		{12, 10, "python", STEP TORCH("2", "0"), "python train.py"},
		{13, 10, "python", STEP TORCH("3", "1"), "python train.py"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "12=2/0 13=3/1");
	survey_release(&survey);
}

/* Under srun a script took RANK from SLURM_PROCID; its compile worker is the first to show it. */
static void a_tasks_helpers_do_not_make_it_a_launcher(void **state)
{
	static const struct actor actors[] = {
		{10, 9, "python", STEP, "python train.py"},
		{12, 10, "python", STEP "RANK=1 LOCAL_RANK=0 WORLD_SIZE=2",
			"python x/_inductor/compile_worker/__main__.py"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "10=1/0");
	survey_release(&survey);
}

/* Set by os.environ, as Ray does: the rank shows nothing, what it spawned does. */
static void helpers_tell_what_their_parent_set(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "ray::worker", "RAY_JOB_ID=1", "ray::worker"},
		{11, 10, "python", "RANK=1 LOCAL_RANK=1 WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=1",
			"python -c from multiprocessing.spawn import spawn_main"},
		{12, 10, "python", "RANK=1 LOCAL_RANK=1 WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=1",
			"python -c from multiprocessing.resource_tracker import main"},
		/* Started with one each: these are the ranks. */
		{20, 1, "python", "", "python hand_made.py"},
		{21, 20, "python", "RANK=0 LOCAL_RANK=0 WORLD_SIZE=2",
			"python -c from multiprocessing.spawn import spawn_main"},
		{22, 20, "python", "RANK=1 LOCAL_RANK=1 WORLD_SIZE=2",
			"python -c from multiprocessing.spawn import spawn_main"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "10=1/1 21=0/0 22=1/1");
	assert_int_equal(of_pid(&survey, 10)->rank.trust, CLAIM_SUPPORTED);
	assert_non_null(strstr(of_pid(&survey, 10)->rank.source, "of its child 11"));
	survey_release(&survey);
}

/* What the memory of a process says, with blanks for NULs. */
static void inside(struct survey *survey, uint32_t pid, const char *environ, int place, int places)
{
	struct str block = {0};

	str_printf(&block, "%s ", environ);
	for (size_t i = 0; i < block.len; i++)
		block.text[i] = block.text[i] == ' ' ? '\0' : block.text[i];
	survey_add_inside(survey, survey_find(survey, pid),
		&(struct survey_inside){.environ = str_text(&block),
			.len = block.len,
			.place = place,
			.places = places,
			.process_id = CLAIM_UNKNOWN,
			.num_processes = CLAIM_UNKNOWN,
			.coordinator = ""});
	str_release(&block);
}

/* Finding 22: torch.multiprocessing.spawn's ranks, and Ray's, have nothing in their files. */
static void who_says_nothing_is_known_from_inside(void **state)
{
	static const char spawned[] = "python -c from multiprocessing.spawn import spawn_main";
	static const struct actor actors[] = {
		{10, 1, "python", "A=b", "python train.py"},
		{11, 10, "python", "A=b", spawned},
		{12, 10, "python", "A=b", spawned},
		{13, 12, "python", "A=b", spawned}, /* a loader of rank 1, forked off */
		{20, 1, "python", "A=b", "python other.py"},
		{21, 20, "python", "A=b", spawned},
		{22, 20, "python", "A=b", spawned},
		{30, 1, "ray::RayTrainWo", "A=b", "ray::RayTrainWorker"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	inside(&survey, 11, "A=b", 0, 2);
	inside(&survey, 12, "A=b", 1, 2);
	inside(&survey, 13, "A=b", 1, 2);
	inside(&survey, 21, "RANK=3 LOCAL_RANK=1 WORLD_SIZE=4 MASTER_ADDR=a MASTER_PORT=1", 1, 2);
	inside(&survey, 22, "RANK=2 LOCAL_RANK=0 WORLD_SIZE=4 MASTER_ADDR=a MASTER_PORT=1", 0, 2);
	inside(&survey, 30, "RANK=0 LOCAL_RANK=0 WORLD_SIZE=1 MASTER_ADDR=r MASTER_PORT=9", -1, -1);
	survey_settle(&survey);
	assert_ranks(&survey, "11=0/0 12=1/1 21=3/1 22=2/0 30=0/0");
	assert_int_equal(of_pid(&survey, 11)->rank.world_size, 2);
	assert_int_equal(survey.jobs.nr, 3);
	assert_int_equal(of_pid(&survey, 21)->job, of_pid(&survey, 22)->job);
	assert_int_not_equal(of_pid(&survey, 11)->job, of_pid(&survey, 21)->job);
	survey_release(&survey);
	(void)state;
}

static void wrappers_are_no_ranks_but_for_want_of_better(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "bash", TORCH("0", "0"), "bash -c python"},
		{11, 10, "nsys", TORCH("0", "0"), "nsys profile"},
		{12, 11, "python", TORCH("0", "0"), "python train.py"},
		{13, 12, "bash", TORCH("0", "0"), "bash -c nvidia-smi"},
		{20, 1, "bash", TORCH("1", "1"), "bash worker.sh"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "12=0/0 20=1/1");
	assert_int_equal(survey_job_of(&survey, 10), survey_job_of(&survey, 12));
	survey_release(&survey);
}

/* --- RANK alone ------------------------------------------------------------------------------ */

/* PyTorchJob: RANK=1 is the pod, whatever runs in it. */
static void rank_alone_is_a_nodes(void **state)
{
#define POD "RANK=1 WORLD_SIZE=2 MASTER_ADDR=job-master-0 MASTER_PORT=23456 "
	static const struct actor actors[] = {
		{1, 0, "bash", POD, "bash -c torchrun"},
		{10, 1, "torchrun", POD, "python /usr/bin/torchrun train.py"},
		{11, 10, "python", POD "TORCHELASTIC_RUN_ID=x LOCAL_RANK=0", "python train.py"},
		{50, 0, "bash", POD, "bash"},
		{51, 50, "python", POD, "python -m http.server"},
	};
	static const struct actor worker = {
		12, 10, "python", "TORCHELASTIC_RUN_ID=x RANK=9 LOCAL_RANK=1 WORLD_SIZE=16",
		"python train.py"};
	struct survey survey = {0};

	add_actor(&survey, &worker);
	SET_UP(&survey, actors);
	survey_settle(&survey);
	/* 51 might be one: it says so itself, and nothing but RANK speaks for it. */
	assert_ranks(&survey, "11=1/0 12=9/1 51=1/-");
	assert_int_equal(of_pid(&survey, 51)->rank.trust, CLAIM_HYPOTHESIS);
	assert_int_not_equal(survey_job_of(&survey, 51), survey_job_of(&survey, 12));
	survey_release(&survey);
}

static void rank_alone_that_differs_here_is_a_rank(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "python", "RANK=0 WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=1", "python t.py"},
		{11, 1, "python", "RANK=1 WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=1", "python t.py"},
		{12, 11, "python", "RANK=1 WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=1", "python"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "10=0/- 11=1/-");
	assert_int_equal(of_pid(&survey, 11)->rank.trust, CLAIM_SUPPORTED);
	assert_int_equal(survey.jobs.nr, 1);
	survey_release(&survey);
}

/* --- Launchers' word ------------------------------------------------------------------------- */

static void a_silent_worker_has_its_place(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "torchrun", "", "python /usr/bin/torchrun --nproc_per_node=2 t.py"},
		{11, 10, "python", TORCH("2", "0"), "python t.py"},
		{12, 10, "python", NULL, "python t.py"},
		{13, 10, "python", "PATH=/bin", "python -c tracker"},
		/* Nobody speaks here, but two were to be started on the only node. */
		{20, 1, "torchrun", "", "python -m torch.distributed.run --nproc-per-node 2 t.py"},
		{21, 20, "python", NULL, "python t.py"},
		{22, 20, "python", NULL, "python t.py"},
		/* And here one is missing already: no place is certain. */
		{30, 1, "torchrun", "", "python -m torch.distributed.run --nproc-per-node 3 t.py"},
		{31, 30, "python", NULL, "python t.py"},
		{32, 30, "python", NULL, "python t.py"},
		/* Of the second node. */
		{40, 1, "torchrun", "", "python -m torch.distributed.run --nnodes=2 --node_rank=1 "
					"--nproc-per-node 1 t.py"},
		{41, 40, "python", NULL, "python t.py"},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "11=2/0 12=3/1 21=0/0 22=1/1 41=1/0");
	assert_int_equal(of_pid(&survey, 12)->rank.trust, CLAIM_SUPPORTED);
	assert_string_equal(of_pid(&survey, 12)->rank.source,
		"its place among the children of torchrun 10");
	survey_release(&survey);
}

/* Slurm knows the shell that it started; the task is what that runs. */
static void slurm_speaks_for_those_who_do_not(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "slurmstepd", "", "slurmstepd: [7.0]"},
		{11, 10, "bash", NULL, "bash -c train"},
		{12, 11, "python", NULL, "python train.py"},
		{13, 12, "python", NULL, "python train.py"},
	};
	struct slurm_pids pids = {0};
	struct survey survey = {0};

	slurm_parse_pids("PID      JOBID    STEPID   LOCALID GLOBALID\n"
			 "11       7        0        1       5\n"
			 "12       7        0        -       -\n"
			 "50       7        batch    0       0\n"
			 "99 nonsense\n\n",
		&pids);
	assert_int_equal(pids.all.nr, 1);
	assert_int_equal(pids.all.items[0].pid, 11);
	assert_string_equal(pids.all.items[0].step, "7.0");
	SET_UP(&survey, actors);
	survey_add_word(&survey, 11,
		&(const struct rank_claim){.rank = pids.all.items[0].global_id,
			.local_rank = pids.all.items[0].local_id,
			.world_size = -1, .node_rank = -1, .restart = -1,
			.launcher = "slurm", .source = "scontrol listpids",
			.trust = CLAIM_ESTABLISHED, .of_task = true},
		0);
	survey_settle(&survey);
	assert_ranks(&survey, "12=5/1");
	slurm_pids_release(&pids);
	survey_release(&survey);
}

/* In a step that collects, SLURM_PROCID is the collector's. */
static void our_own_step_is_no_job(void **state)
{
	static const struct actor actors[] = {
		{10, 1, "python", "SLURM_JOB_ID=7 SLURM_STEP_ID=1 SLURM_PROCID=0", "python agent"},
		{11, 1, "python", "SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_PROCID=3", "python t.py"},
		{12, 1, "python", TORCH("1", "1") " SLURM_JOB_ID=7 SLURM_STEP_ID=1 SLURM_PROCID=0",
			"python t.py"},
	};
	struct survey survey = {.step = "7.1"};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_ranks(&survey, "11=3/- 12=1/1");
	survey_release(&survey);
}

/* --- Jobs ------------------------------------------------------------------------------------ */

static void two_jobs_are_told_apart(void **state)
{
#define PLAIN(rank) "RANK=" rank " LOCAL_RANK=" rank " WORLD_SIZE=2"
	static const struct actor actors[] = {
		/* By their masters. */
		{10, 1, "python", PLAIN("0") " MASTER_ADDR=a MASTER_PORT=1", NULL},
		{11, 1, "python", PLAIN("1") " MASTER_ADDR=a MASTER_PORT=1", NULL},
		{12, 1, "python", PLAIN("0") " MASTER_ADDR=a MASTER_PORT=2", NULL},
		/* Equal masters in two containers: by their launchers. */
		{20, 1, "torchrun", "", "python /bin/torchrun"},
		{21, 20, "python", TORCH("0", "0"), NULL},
		{22, 20, "python", TORCH("1", "1"), NULL},
		{30, 1, "torchrun", "", "python /bin/torchrun"},
		{31, 30, "python", TORCH("0", "0"), NULL},
		{32, 30, "python", TORCH("1", "1"), NULL},
		/* No name, and one shell started both: by birth. */
		{40, 1, "bash", "", "bash"},
		{41, 40, "python", PLAIN("0"), NULL},
		{42, 40, "python", PLAIN("1"), NULL},
		{43, 40, "python", PLAIN("0"), NULL},
		{44, 40, "python", PLAIN("1"), NULL},
	};
	static const uint32_t jobs[][3] = {{10, 11}, {12}, {21, 22, 20}, {31, 32, 30}, {41, 42},
		{43, 44}};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_int_equal(survey.jobs.nr, 6);
	for (size_t i = 0; i < 6; i++)
		for (size_t k = 0; k < 3; k++)
			for (size_t j = 0; j < 6; j++)
				if (jobs[i][k])
					assert_int_equal(
						survey_job_of(&survey, jobs[i][k]) ==
							survey_job_of(&survey, jobs[j][0]),
						i == j);
	/* The shell has started both. */
	assert_int_equal(survey_job_of(&survey, 40), SURVEY_NONE);
	survey_release(&survey);
}

/* One rank was told another port: it is of the job all the same, and can be asked why. */
static void who_looks_elsewhere_is_of_the_job(void **state)
{
#define AT(rank, world, port)                                                                      \
	"RANK=" rank " LOCAL_RANK=" rank " WORLD_SIZE=" world " MASTER_ADDR=a MASTER_PORT=" port
	static const struct actor actors[] = {
		{40, 1, "bash", "", "bash"},
		{41, 40, "python", AT("0", "3", "1"), NULL},
		{42, 40, "python", AT("1", "3", "2"), NULL},
		{43, 40, "python", AT("2", "3", "1"), NULL},
		/* Two jobs, half of each is here. */
		{50, 1, "bash", "", "bash"},
		{51, 50, "python", AT("0", "4", "1"), NULL},
		{52, 50, "python", AT("1", "4", "1"), NULL},
		{53, 50, "python", AT("2", "4", "2"), NULL},
		{54, 50, "python", AT("3", "4", "2"), NULL},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_int_equal(of_pid(&survey, 41)->job, of_pid(&survey, 42)->job);
	assert_int_equal(of_pid(&survey, 41)->job, of_pid(&survey, 43)->job);
	assert_int_not_equal(of_pid(&survey, 51)->job, of_pid(&survey, 53)->job);
	survey_release(&survey);
	(void)state;
}

/* Two agents on one machine play two nodes of one job. */
/* Of one agent are those that have its folder, whoever started them. */
static void the_folder_of_an_agent_is_a_job(void **state)
{
	static const struct actor actors[] = {
		{20, 1, "sh", "", "sh"},
		{21, 20, "python", PLAIN("0") " INQUEST_JOB_DIR=/dev/shm/a", NULL},
		{22, 1, "python", PLAIN("1") " INQUEST_JOB_DIR=/dev/shm/a", NULL},
		{31, 20, "python", PLAIN("0") " INQUEST_JOB_DIR=/dev/shm/b", NULL},
		{32, 20, "python", PLAIN("1"), NULL},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_int_equal(survey.jobs.nr, 3);
	assert_int_equal(survey_job_of(&survey, 21), survey_job_of(&survey, 22));
	assert_string_equal(
		survey.jobs.items[survey_job_of(&survey, 21)].folder, "/dev/shm/a");
	assert_int_not_equal(survey_job_of(&survey, 31), survey_job_of(&survey, 32));
	survey_release(&survey);
}

static void two_launchers_may_be_one_job(void **state)
{
	static const struct actor actors[] = {
		{20, 1, "torchrun", "", "python /bin/torchrun"},
		{21, 20, "python", TORCH("0", "0"), NULL},
		{30, 1, "torchrun", "", "python /bin/torchrun"},
		{31, 30, "python", TORCH("1", "0"), NULL},
	};
	struct survey survey = {0};

	SET_UP(&survey, actors);
	survey_settle(&survey);
	assert_int_equal(survey.jobs.nr, 1);
	assert_int_equal(survey.jobs.items[0].ranks, 2);
	survey_release(&survey);
}

/* --- The real scontrol, and no such ---------------------------------------------------------- */

static void with_path(const char *script, void (*then)(const char *dir))
{
	char dir[] = "/tmp/survey-test-XXXXXX", path[64];
	char *old = strdup(getenv("PATH"));
	FILE *file;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/scontrol", dir);
	if (script) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(script, file);
		assert_int_equal(fclose(file), 0);
		assert_int_equal(chmod(path, 0755), 0);
	}
	setenv("PATH", dir, 1);
	then(dir);
	setenv("PATH", old, 1);
	free(old);
	unlink(path);
	rmdir(dir);
}

static void expect_two(const char *dir)
{
	struct slurm_pids pids = {0};

	assert_int_equal(slurm_list_pids("8841", 20000, &pids), 0);
	assert_int_equal(pids.all.nr, 2);
	assert_int_equal(pids.all.items[1].global_id, 1);
	slurm_pids_release(&pids);
}

static void expect_none(const char *dir)
{
	struct slurm_pids pids = {0};

	assert_int_equal(slurm_list_pids("8841", 20000, &pids), -ENOENT);
	assert_int_equal(slurm_list_pids("; rm", 20000, &pids), -EINVAL);
	slurm_pids_release(&pids);
}

static void expect_timeout(const char *dir)
{
	struct slurm_pids pids = {0};

	assert_int_equal(slurm_list_pids("8841", 100, &pids), -ETIMEDOUT);
	assert_int_equal(pids.all.nr, 0);
	slurm_pids_release(&pids);
}

static void expect_failure(const char *dir)
{
	struct slurm_pids pids = {0};

	assert_int_equal(slurm_list_pids("8841", 20000, &pids), -EIO);
	assert_int_equal(pids.all.nr, 0);
	slurm_pids_release(&pids);
}

static void scontrol_is_run_with_a_deadline(void **state)
{
	with_path("#!/bin/sh\n[ \"$1 $2\" = 'listpids 8841' ] || exit 1\n"
		  "echo PID JOBID STEPID LOCALID GLOBALID\necho 1 8841 0 0 0; echo 2 8841 0 1 1\n",
		expect_two);
	with_path(NULL, expect_none);
	with_path("#!/bin/sh\necho 1 8841 0 0 0\nexec /bin/sleep 1000\n", expect_timeout);
	with_path("#!/bin/sh\necho 1 8841 0 0 0\nexit 1\n", expect_failure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_launcher_is_understood),
		cmocka_unit_test(a_cut_environment_is_believed_up_to_the_cut),
		cmocka_unit_test(who_says_otherwise_is_kept),
		cmocka_unit_test(whoever_inherits_is_no_rank),
		cmocka_unit_test(torchs_word_beats_the_tasks),
		cmocka_unit_test(a_task_whose_children_differ_is_a_launcher),
		cmocka_unit_test(a_tasks_helpers_do_not_make_it_a_launcher),
		cmocka_unit_test(helpers_tell_what_their_parent_set),
		cmocka_unit_test(who_says_nothing_is_known_from_inside),
		cmocka_unit_test(who_looks_elsewhere_is_of_the_job),
		cmocka_unit_test(wrappers_are_no_ranks_but_for_want_of_better),
		cmocka_unit_test(rank_alone_is_a_nodes),
		cmocka_unit_test(rank_alone_that_differs_here_is_a_rank),
		cmocka_unit_test(a_silent_worker_has_its_place),
		cmocka_unit_test(slurm_speaks_for_those_who_do_not),
		cmocka_unit_test(our_own_step_is_no_job),
		cmocka_unit_test(two_jobs_are_told_apart),
		cmocka_unit_test(the_folder_of_an_agent_is_a_job),
		cmocka_unit_test(two_launchers_may_be_one_job),
		cmocka_unit_test(scontrol_is_run_with_a_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
