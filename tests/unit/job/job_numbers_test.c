/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose number is a rank's: launchers number the tasks and nodes that they start, and what those
 * start inherits it.
 */
#include "tests/unit/unit.h"

#include "base/str.h"
#include "job/seal/build.h"

#define TASK  JOB_NUMBER_OF_TASK
#define ALONE JOB_NUMBER_ALONE
#define OTHER JOB_NUMBER_OTHER_TASK

/* A living process, whose number is of that kind. */
static void add(struct job_builder *b, uint32_t pid, uint32_t ppid, int rank, unsigned number,
	bool promoted)
{
	const struct job_identity identity = {.world_rank = world_rank(rank),
		.number = number,
		.local_rank = JOB_NONE,
		.promoted = promoted,
		.knows = JOB_KNOWS_CENSUS};
	struct job_process process = job_process_unknown;

	process.ppid = ppid;
	process.role = promoted ? JOB_ROLE_RANK : JOB_ROLE_CANDIDATE;
	process.end = JOB_ALIVE;
	process.cite = "census";
	job_add_process(b, (struct job_who){"a", pid, 100 + pid}, &process, &identity);
}

/* Ranks as "NUMBER=PID", '?' behind one of whom nobody knows whether it is one. */
static void assert_ranks(struct job_builder *b, const char *expected)
{
	struct job *job = job_seal(b);
	struct str got = {0};

	job_for_each_rank(job, at) {
		const struct job_rank *rank = job_rank(job, at);

		str_printf(&got, "%s%d=%u%s", at.i ? " " : "", rank->world_rank.n,
			rank->process == JOB_NONE ? 0 : job->processes[rank->process].pid,
			rank->doubtful ? "?" : "");
	}
	assert_string_equal(str_text(&got), expected);
	str_release(&got);
	job_free(job);
}

/* srun starts a launcher per node; each has its node's number, and so have all below it. */
static void a_launcher_has_the_number_of_its_task(void **state)
{
	for (int task = 0; task < 4; task++)
		for (int promoted = 0; promoted < 2; promoted++) {
			struct job_builder *b = job_builder_new();

			add(b, 10, 9, task, TASK, false);
			for (int rank = 0; rank < 4; rank++)
				add(b, 20 + (uint32_t)rank, 10, rank, rank == task ? 0 : OTHER,
					promoted);
			assert_ranks(b, "0=20 1=21 2=22 3=23");
		}
	(void)state;
}

/* Its own children are yet to come, but elsewhere tasks are no ranks. */
static void a_launcher_that_has_launched_nobody_is_none(void **state)
{
	struct job_builder *b = job_builder_new();

	add(b, 10, 9, 0, TASK, false);
	add(b, 20, 10, 0, 0, true);
	add(b, 21, 10, 1, OTHER, true);
	add(b, 11, 9, 1, TASK, false);
	add(b, 12, 9, 2, TASK, false);
	job_add_world_size(b, 6, "WORLD_SIZE");
	assert_ranks(b, "0=20 1=21 2=0 3=0 4=0 5=0");
	(void)state;
}

/* Of tasks alone nobody knows what they are; until one makes a communicator. */
static void a_task_may_be_a_rank(void **state)
{
	struct job_builder *b = job_builder_new();

	add(b, 10, 9, 0, TASK, false);
	add(b, 11, 9, 1, TASK, false);
	assert_ranks(b, "0=10? 1=11?");
	b = job_builder_new();
	add(b, 10, 9, 0, TASK, true);
	add(b, 11, 9, 1, TASK, false);
	assert_ranks(b, "0=10 1=11");
	/* What a rank starts with a number of its own says nothing against the others. */
	b = job_builder_new();
	add(b, 10, 9, 0, TASK, true);
	add(b, 11, 9, 1, TASK, false);
	add(b, 30, 10, 1, OTHER, false);
	assert_ranks(b, "0=10 1=11");
	(void)state;
}

/* A pod has RANK, its node's, and torchrun in it gives RANK to ranks; a loop gives RANK alone. */
static void rank_alone_may_be_a_nodes(void **state)
{
	struct job_builder *b = job_builder_new();

	add(b, 10, 9, 5, ALONE, false);
	for (int rank = 4; rank < 8; rank++)
		add(b, 20 + (uint32_t)rank, 10, rank, 0, rank != 5);
	assert_ranks(b, "4=24 5=25 6=26 7=27");
	b = job_builder_new();
	for (int rank = 0; rank < 3; rank++)
		add(b, 20 + (uint32_t)rank, 10, rank, ALONE, rank > 0);
	assert_ranks(b, "0=20 1=21 2=22");
	(void)state;
}

/* A rank that starts a little job of its own stays one. */
static void who_made_a_communicator_is_a_rank_whatever_it_starts(void **state)
{
	struct job_builder *b = job_builder_new();

	add(b, 10, 9, 0, ALONE, true);
	add(b, 11, 9, 1, ALONE, true);
	add(b, 30, 11, 0, 0, false);
	assert_ranks(b, "0=10 1=11");
	(void)state;
}

/* An `inquest run` in a task has the task's number, too. */
static void an_agent_is_no_rank(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job_process agent = job_process_unknown;
	const struct job_identity identity = {.world_rank = world_rank(3), .local_rank = JOB_NONE};

	agent.role = JOB_ROLE_AGENT;
	agent.end = JOB_ALIVE;
	job_add_process(b, (struct job_who){"a", 9, 109}, &agent, &identity);
	add(b, 10, 9, 3, TASK, true);
	assert_ranks(b, "3=10");
	(void)state;
}

/* A rank that was born then, of that run. */
static void add_of_run(struct job_builder *b, uint32_t pid, int rank, int64_t born, uint64_t run,
	uint64_t master)
{
	const struct job_identity identity = {.world_rank = world_rank(rank),
		.local_rank = JOB_NONE,
		.promoted = true,
		.run = run,
		.master = master};
	struct job_process process = job_process_unknown;

	process.born = born;
	process.cite = "census";
	job_add_process(b, (struct job_who){"a", pid, 100 + pid}, &process, &identity);
}

/* Jobs of one session share a folder: of an earlier run nobody is a rank of the later one. */
static void two_runs_in_one_folder_are_not_one(void **state)
{
	for (int of_id = 0; of_id < 2; of_id++) {
		struct job_builder *b = job_builder_new();

		for (int rank = 0; rank < 4; rank++)
			add_of_run(b, 20 + (uint32_t)rank, rank, 10, of_id ? 1 : 7, of_id ? 5 : 1);
		for (int rank = 0; rank < 2; rank++)
			add_of_run(b, 50 + (uint32_t)rank, rank, 90, of_id ? 2 : 7, of_id ? 5 : 2);
		assert_ranks(b, "0=50 1=51");
	}
	(void)state;
}

/* A process that a rank started, or one that this one did. */
static void add_below(struct job_builder *b, uint32_t pid, uint32_t ppid, int rank, uint64_t run)
{
	const struct job_identity identity = {.world_rank = world_rank(rank),
		.local_rank = JOB_NONE,
		.promoted = rank != JOB_NONE,
		.run = run,
		.master = run};
	struct job_process process = job_process_unknown;

	process.ppid = ppid;
	process.born = 90;
	process.role = rank == JOB_NONE ? JOB_ROLE_CHILD : JOB_ROLE_UNKNOWN;
	process.cite = "census";
	job_add_process(b, (struct job_who){"a", pid, 100 + pid}, &process, &identity);
}

/* An evaluation that rank 0 waits for has ranks of its own. Where rank 0 is gone, it is the job. */
static void a_job_that_a_rank_started_is_not_the_job(void **state)
{
	const struct job_identity nobody = {.world_rank = NO_WORLD_RANK, .local_rank = JOB_NONE};

	for (int gone = 0; gone < 2; gone++) {
		struct job_builder *b = job_builder_new();

		for (int rank = 0; rank < 4; rank++)
			add_of_run(b, 20 + (uint32_t)rank, rank, 10, 7, 7);
		add_below(b, 40, 20, JOB_NONE, 9);
		add_below(b, 50, 40, 0, 9);
		add_below(b, 51, 40, 1, 9);
		if (gone) {
			struct job_process end = job_process_unknown;

			end.end = JOB_EXITED;
			end.status = 0;
			end.cite = "exit";
			job_add_process(b, (struct job_who){"a", 20, 120}, &end, &nobody);
		}
		assert_ranks(b, gone ? "0=50 1=51" : "0=20 1=21 2=22 3=23");
	}
	(void)state;
}

/* One rank was told another address of rank 0: that is its mistake, and no other run. */
static void another_address_alone_makes_no_other_run(void **state)
{
	struct job_builder *b = job_builder_new();

	for (int rank = 0; rank < 4; rank++)
		add_of_run(b, 20 + (uint32_t)rank, rank, 10 + rank, 0, rank == 2 ? 6 : 5);
	assert_ranks(b, "0=20 1=21 2=22 3=23");
	(void)state;
}

/* Two mpiruns at once, of which nothing tells whose the ranks are: the others are told of. */
static void two_jobs_at_once_are_never_judged_as_one(void **state)
{
	for (int alive = 0; alive < 2; alive++) {
		struct job_builder *b = job_builder_new();
		struct job *job;

		for (int rank = 0; rank < 2; rank++)
			add_of_run(b, 20 + (uint32_t)rank, rank, 10 + rank, 0, 0);
		if (alive)
			add_of_run(b, 50, 0, 11, 0, 0);
		job = job_seal(b);
		assert_int_equal(job->nranks, 2);
		assert_int_equal(job->nlosses, alive);
		for (int rank = 0; rank < 2; rank++)
			assert_int_equal(job->processes[job->ranks[rank].process].other_run,
				alive && rank == 0);
		job_free(job);
	}
	(void)state;
}

/* A process that has ended, by another's word; `knows` of its own. */
static void add_ended(struct job_builder *b, uint32_t pid, uint32_t ppid, const char *comm,
	unsigned knows)
{
	const struct job_identity identity = {.world_rank = world_rank(0),
		.local_rank = JOB_NONE,
		.knows = JOB_KNOWS_CENSUS | knows};
	struct job_process process = job_process_unknown;

	process.ppid = ppid;
	process.comm = comm;
	process.role = JOB_ROLE_CANDIDATE;
	process.end = JOB_EXITED;
	process.status = 1;
	process.cite = "census";
	process.end_cite = "exit";
	job_add_process(b, (struct job_who){"a", pid, 100 + pid}, &process, &identity);
}

/* A script whose python died ends with its status: the rank is who tells why. */
static void a_script_around_a_rank_is_none(void **state)
{
	const struct {
		const char *above, *below;
		unsigned knows_above, knows_below;
		const char *ranks;
	} all[] = {{"sh", "python3", 0, JOB_KNOWS_RING, "0=20"},
		{"bash", "train", 0, JOB_KNOWS_RING, "0=20"},
		/* None of them tells: who had the number first. */
		{"sh", "python3", 0, 0, "0=10"},
		/* A rank and what it has started, a shell in it that told of its own end. */
		{"python3", "python3", 0, JOB_KNOWS_RING, "0=10"},
		{"sh", "python3", JOB_KNOWS_RING, JOB_KNOWS_RING, "0=10"},
		{"sh", "sh", 0, JOB_KNOWS_RING, "0=10"}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct job_builder *b = job_builder_new();

		add_ended(b, 10, 9, all[i].above, all[i].knows_above);
		add_ended(b, 20, 10, all[i].below, all[i].knows_below);
		assert_ranks(b, all[i].ranks);
	}
	(void)state;
}

/* Each rank has an `inquest run' of its own, below a script, and all of them are below another. */
static void a_script_around_an_agent_is_no_rank(void **state)
{
	const struct {
		const char *above, *ranks;
	} all[] = {{"sh", ""}, {"rank.sh", ""}, {"python3", "0=10"}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const struct job_identity identity = {
			.world_rank = world_rank(0), .local_rank = JOB_NONE};
		struct job_process process = job_process_unknown;
		struct job_builder *b = job_builder_new();

		add_ended(b, 10, 9, all[i].above, 0);
		process.ppid = 10;
		process.role = JOB_ROLE_AGENT;
		job_add_process(b, (struct job_who){"a", 20, 120}, &process, &identity);
		assert_ranks(b, all[i].ranks);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_launcher_has_the_number_of_its_task),
		cmocka_unit_test(a_launcher_that_has_launched_nobody_is_none),
		cmocka_unit_test(a_task_may_be_a_rank),
		cmocka_unit_test(rank_alone_may_be_a_nodes),
		cmocka_unit_test(who_made_a_communicator_is_a_rank_whatever_it_starts),
		cmocka_unit_test(an_agent_is_no_rank),
		cmocka_unit_test(two_runs_in_one_folder_are_not_one),
		cmocka_unit_test(a_job_that_a_rank_started_is_not_the_job),
		cmocka_unit_test(another_address_alone_makes_no_other_run),
		cmocka_unit_test(two_jobs_at_once_are_never_judged_as_one),
		cmocka_unit_test(a_script_around_a_rank_is_none),
		cmocka_unit_test(a_script_around_an_agent_is_no_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
