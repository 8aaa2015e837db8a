/* SPDX-License-Identifier: Apache-2.0 */
/* Building and sealing a job: who is a rank, what joins, and that arrival never matters. */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/str.h"
#include "job/names.h"
#include "job/ranks.h"
#include "job/seal/build.h"
#include "tests/unit/process_of.h"

static struct job_who who(const char *host, uint32_t pid)
{
	return (struct job_who){host, pid, 100 + pid};
}

/* A living process; rank JOB_NONE where RANK was not set. */
static void add_process(struct job_builder *b, struct job_who w, uint32_t ppid, int rank,
	bool promoted, int restart)
{
	struct job_process process = job_process_unknown;
	struct job_identity identity = {.world_rank = world_rank(rank),
		.local_rank = JOB_NONE,
		.promoted = promoted,
		.knows = JOB_KNOWS_RING};

	process.ppid = ppid;
	process.end = JOB_ALIVE;
	process.restart = restart;
	process.cite = "proc";
	job_add_process(b, w, &process, &identity);
}

static void add_member(
	struct job_builder *b, struct job_who w, uint64_t key, uint32_t size, uint32_t seat)
{
	struct job_group group = {
		.key = key, .size = size, .name = "", .maker = "nccl", .cite = "g"};
	struct job_member member = job_member_unknown;

	member.seat = group_rank(seat);
	member.state = JOB_MEMBER_READY;
	member.head_known = true;
	member.cite = "m";
	job_add_member(b, w, &group, &member);
}

static void children_inherit_rank_and_are_none(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	add_process(b, who("a", 20), 10, 0, true, 0);
	add_process(b, who("a", 30), 20, 0, false, 0);
	add_process(b, who("a", 31), 30, 0, false, 0);
	add_process(b, who("a", 21), 10, 1, true, 0);
	job = job_seal(b);
	assert_int_equal(job->nranks, 2);
	assert_int_equal(job->processes[job->ranks[0].process].pid, 20);
	assert_int_equal(process_of(job, 31)->role, JOB_ROLE_CHILD);
	assert_int_equal(process_of(job, 31)->rank.i, 0);
	job_free(job);
}

/* `bash train.sh` has RANK too, and is no rank: its promoted descendant is. */
/* A tool that a rank runs may fail; nobody dies of that but the tool. */
static void a_child_s_exception_is_not_its_rank_s(void **state)
{
	const struct job_note died = {.text = "exception: E", .exception = true, .cite = "n"};
	const struct job_trait place = {.key = "exception-at", .text = "x.py:1 in f", .number = -1};
	struct job_builder *b = job_builder_new();
	struct job *job;

	add_process(b, who("a", 20), 10, 0, false, 0);
	add_process(b, who("a", 30), 20, 0, false, 0);
	add_process(b, who("a", 21), 10, 1, false, 0);
	job_add_note(b, who("a", 30), &died);
	job_add_note(b, who("a", 21), &died);
	job_add_trait(b, who("a", 30), &place);
	job_add_trait(b, who("a", 21), &place);
	job = job_seal(b);
	assert_int_equal(job->nranks, 2);
	assert_int_equal(job->nnotes, 2);
	assert_false(job->notes[0].exception);
	assert_true(job->notes[1].exception);
	assert_int_equal(job->ntraits, 1);
	assert_int_equal(job->traits[0].rank.i, 1);
	job_free(job);
	(void)state;
}

static void a_wrapper_is_no_rank(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	add_process(b, who("a", 20), 10, 0, false, 0);
	add_process(b, who("a", 30), 20, 0, true, 0);
	job = job_seal(b);
	assert_int_equal(job->nranks, 1);
	assert_int_equal(job->processes[job->ranks[0].process].pid, 30);
	assert_false(job->ranks[0].candidate_only);
	assert_int_equal(process_of(job, 20)->rank.i, JOB_NONE);
	job_free(job);
}

/* With RANK set and no parent left, a process is an orphan; not if its parent is outside. */
static void a_parent_outside_of_the_namespace_makes_no_orphan(void **state)
{
	for (uint32_t ppid = 0; ppid < 2; ppid++) {
		struct job_builder *b = job_builder_new();
		const struct job_process *left;
		struct job *job;

		add_process(b, who("a", 20), 0, 0, true, 0);
		add_process(b, who("a", 21), 0, 1, true, 0);
		add_process(b, who("a", 30), ppid, 1, false, 0);
		job = job_seal(b);
		left = process_of(job, 30);
		assert_int_equal(job->nranks, 2);
		assert_int_equal(job->processes[job->ranks[0].process].pid, 20);
		assert_int_equal(job->processes[job->ranks[1].process].pid, 21);
		assert_int_equal(process_of(job, 20)->role, JOB_ROLE_RANK);
		assert_int_equal(left->rank.i, ppid ? 1 : JOB_NONE);
		assert_int_equal(left->role == JOB_ROLE_CHILD, ppid == 1);
		job_free(job);
	}
}

static void a_candidate_testifies_and_the_unseen_are_listed(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	job_add_world_size(b, 3, "WORLD_SIZE");
	add_process(b, who("a", 20), 10, 0, true, 0);
	add_process(b, who("a", 21), 10, 1, false, 0);
	job = job_seal(b);
	assert_int_equal(job->nranks, 3);
	assert_true(job->ranks[1].candidate_only);
	assert_int_equal(job->ranks[2].process, JOB_NONE);
	assert_int_equal(job->ranks[2].world_rank.n, 2);
	job_free(job);
}

/* A candidate for rank 0 that was born at one time and ended so, with 1 where it exited. */
static void add_ended(struct job_builder *b, struct job_who w, uint32_t ppid, int64_t born,
	enum job_end end, int64_t ended)
{
	const struct job_identity identity = {
		.world_rank = world_rank(0), .local_rank = JOB_NONE, .knows = JOB_KNOWS_CENSUS};
	struct job_process process = job_process_unknown;

	process.ppid = ppid;
	process.born = born;
	process.end = end;
	process.status = end == JOB_EXITED ? 1 : JOB_NONE;
	process.ended = ended;
	process.cite = "census";
	job_add_process(b, w, &process, &identity);
}

/* It lives, or exited when `ended` says. */
static void add_candidate(
	struct job_builder *b, struct job_who w, uint32_t ppid, int64_t born, int64_t ended)
{
	add_ended(b, w, ppid, born, ended == JOB_UNKNOWN ? JOB_ALIVE : JOB_EXITED, ended);
}

static uint32_t pid_of_rank_0(struct job_builder *b)
{
	struct job *job = job_seal(b);
	uint32_t pid = job->processes[job->ranks[0].process].pid;

	assert_int_equal(job->nranks, 1);
	job_free(job);
	return pid;
}

/*
 * A wrapper of a shell (pyenv's, conda's) looks for the program by helpers that end with 1. What
 * stood between, a subshell, has no entry and is gone.
 */
static void a_helper_does_not_testify_while_its_elder_lives(void **state)
{
	struct job_builder *b = job_builder_new();

	add_candidate(b, who("a", 20), 10, 1000, JOB_UNKNOWN);
	add_candidate(b, who("a", 33), 31, 1100, 1200);
	add_candidate(b, who("a", 37), 35, 1300, 1400);
	assert_int_equal(pid_of_rank_0(b), 20);

	/* Nor does its life say that the rank lives. Pids may start anew in between. */
	b = job_builder_new();
	add_candidate(b, who("a", 20), 10, 1000, 1500);
	add_candidate(b, who("a", 7), 3, 1100, JOB_UNKNOWN);
	assert_int_equal(pid_of_rank_0(b), 20);
	(void)state;
}

/* Killed, nobody knows when: what its wrapper had looked for before is not what came after it. */
static void a_helper_does_not_testify_for_the_killed(void **state)
{
	static const struct {
		uint32_t ppid;
		int64_t ended;
		uint32_t expected;
	} newer[] = {
		{31, 1200, 20},
		{10, 1200, 20}, /* adopted by the same */
		{31, JOB_UNKNOWN, 33},
	};

	for (size_t i = 0; i < sizeof(newer) / sizeof(*newer); i++) {
		struct job_builder *b = job_builder_new();

		add_ended(b, who("a", 20), 10, 1000, JOB_GONE, JOB_UNKNOWN);
		add_candidate(b, who("a", 33), newer[i].ppid, 1100, newer[i].ended);
		assert_int_equal(pid_of_rank_0(b), newer[i].expected);
	}
	(void)state;
}

/* Started anew, without a number that says so: by a loop in a script, say. */
static void who_came_in_the_place_of_the_dead_testifies(void **state)
{
	struct job_builder *b = job_builder_new();

	add_candidate(b, who("a", 20), 10, 1000, 1500);
	add_candidate(b, who("a", 33), 31, 1100, 1200);
	add_candidate(b, who("a", 40), 12, 1600, JOB_UNKNOWN);
	add_candidate(b, who("a", 50), 44, 1700, 1800);
	assert_int_equal(pid_of_rank_0(b), 40);
	(void)state;
}

static void the_newest_generation_is_judged(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	add_process(b, who("a", 20), 10, 0, true, 0);
	add_member(b, who("a", 20), 7, 2, 0);
	add_process(b, who("a", 40), 10, 0, true, 1);
	add_member(b, who("a", 40), 8, 2, 0);
	job = job_seal(b);
	assert_int_equal(job->attempt, 2);
	assert_int_equal(job->processes[job->ranks[0].process].pid, 40);
	assert_int_equal(process_of(job, 20)->rank.i, JOB_NONE);
	assert_int_equal(job->ngroups, 1);
	assert_int_equal(job->groups[0].key, 8);
	job_free(job);
}

static void without_rank_seats_name_the_ranks(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	for (uint32_t i = 0; i < 3; i++) {
		add_process(b, who("a", 20 + i), 10, JOB_NONE, true, 0);
		add_member(b, who("a", 20 + i), 7, 4, 3 - i);
	}
	job = job_seal(b);
	assert_int_equal(job->nranks, 4);
	assert_int_equal(job->ranks[0].process, JOB_NONE);
	assert_int_equal(job->processes[job->ranks[3].process].pid, 20);
	assert_false(job->ranks[3].named_by_env);
	assert_string_equal(job->groups[0].name, "world");
	assert_int_equal(job->members[job->groups[0].first_member].rank.i, 0);
	job_free(job);
}

/* A spawner had RANK=0; its three children all have it, and sit in one group. */
static void a_rank_that_all_share_names_nobody(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	add_process(b, who("a", 10), 1, 0, false, 0);
	for (uint32_t i = 0; i < 3; i++) {
		add_process(b, who("a", 20 + i), 10, 0, true, 0);
		add_member(b, who("a", 20 + i), 7, 3, i);
	}
	job = job_seal(b);
	assert_int_equal(job->nranks, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(job->processes[job->ranks[i].process].pid, 20 + i);
		assert_false(job->ranks[i].shares_process);
		assert_false(job->ranks[i].loses);
	}
	job_free(job);
}

/* ncclCommInitAll: one process, four seats, four ranks. */
static void each_seat_of_one_process_is_a_rank(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	add_process(b, who("a", 20), 10, JOB_NONE, true, 0);
	for (uint32_t i = 0; i < 4; i++)
		add_member(b, who("a", 20), 7, 4, i);
	job = job_seal(b);
	assert_int_equal(job->nranks, 4);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(job->ranks[i].world_rank.n, i);
		assert_int_equal(job->members[job->groups[0].first_member + i].rank.i, i);
		assert_int_equal(job->processes[job->ranks[i].process].pid, 20);
		assert_true(job->ranks[i].shares_process);
	}
	job_free(job);
}

static void an_unseen_seat_of_a_smaller_group_is_nobody_s(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	job_add_world_size(b, 4, "WORLD_SIZE");
	for (uint32_t i = 0; i < 4; i++)
		add_process(b, who("a", 20 + i), 10, (int)i, true, 0);
	add_member(b, who("a", 21), 7, 2, 0);
	job = job_seal(b);
	assert_int_equal(job->groups[0].size, 2);
	assert_int_equal(job->members[0].rank.i, 1);
	assert_false(is_rank(job->members[1].rank));
	assert_int_equal(job->members[1].state, JOB_MEMBER_UNSEEN);
	job_free(job);
}

/* Members say which world ranks sit where; what is no list, or of no rank, says nothing. */
static void an_unseen_seat_is_whose_the_members_say(void **state)
{
	static const struct {
		const char *ranks;
		int seat1, seat2;
	} cases[] = {
		{"1,3,0", 3, 0},
		{"1-3", 2, 3},
		{"1,77,2", JOB_NONE, 2},
		{"1,1,1", JOB_NONE, JOB_NONE},
		{"1,", JOB_NONE, JOB_NONE},
		{"1-0,2", JOB_NONE, JOB_NONE},
		{"1,-2", JOB_NONE, JOB_NONE},
		{"", JOB_NONE, JOB_NONE},
		{"1,99999999999999999999-3", JOB_NONE, JOB_NONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct job_group group = {.key = 7, .size = 3, .name = "", .cite = "g"};
		struct job_member member = job_member_unknown;
		struct job_builder *b = job_builder_new();
		struct job *job;

		job_add_world_size(b, 4, "WORLD_SIZE");
		for (uint32_t r = 0; r < 4; r++)
			add_process(b, who("a", 20 + r), 10, (int)r, true, 0);
		group.maker = "gloo";
		group.ranks = cases[i].ranks;
		member.state = JOB_MEMBER_IN_INIT;
		member.cite = "m";
		member.seat = group_rank(0);
		job_add_member(b, who("a", 21), &group, &member);
		job = job_seal(b);
		assert_int_equal(job->members[0].rank.i, 1);
		assert_int_equal(job->members[1].rank.i, cases[i].seat1);
		assert_int_equal(job->members[2].rank.i, cases[i].seat2);
		job_free(job);
	}
}

static void a_later_reading_wins_and_the_dead_do_not_rise(void **state)
{
	for (int order = 0; order < 2; order++) {
		struct job_builder *b = job_builder_new();
		struct job_identity identity = {.world_rank = world_rank(0), .promoted = true};
		struct job *job;

		for (int i = 0; i < 2; i++) {
			bool late = i != order;
			struct job_process process = job_process_unknown;

			process.cite = "proc";
			process.state = late ? 'D' : 'R';
			process.rss = late ? JOB_UNKNOWN : 77;
			process.end = late ? JOB_ALIVE : JOB_SIGNALED;
			process.status = late ? 0 : 9;
			job_add_reading(b, late ? 200 : 100);
			job_add_process(b, who("a", 20), &process, &identity);
		}
		job = job_seal(b);
		assert_int_equal(job->processes[0].state, 'D');
		assert_int_equal(job->processes[0].rss, 77);
		assert_int_equal(job->processes[0].end, JOB_SIGNALED);
		job_free(job);
	}
}

static void the_same_op_twice_is_one_op(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job_op op = {.index = 5,
		.sig = {.op = JOB_OP_ALLREDUCE, .count = 4},
		.entered = 10,
		.returned = JOB_NO,
		.completed = JOB_MAYBE,
		.cite = "x"};
	struct job *job;

	add_process(b, who("a", 20), 10, 0, true, 0);
	add_member(b, who("a", 20), 7, 1, 0);
	job_add_reading(b, 2);
	op.returned = JOB_YES;
	job_add_op(b, who("a", 20), 7, group_rank(0), &op, 20);
	job_add_reading(b, 1);
	op.returned = JOB_NO;
	job_add_op(b, who("a", 20), 7, group_rank(0), &op, 20);
	job = job_seal(b);
	assert_int_equal(job->members[0].nops, 1);
	assert_int_equal(job->members[0].ops[0].returned, JOB_YES);
	job_free(job);
}

static void facts_of_a_process_without_start_time_find_it(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job_step step = {.n = 3, .events = 3, .when = 5, .cite = "s"};
	struct job *job;

	add_process(b, who("a", 20), 10, 0, true, 0);
	job_add_step(b, (struct job_who){"a", 20, 0}, &step);
	job = job_seal(b);
	assert_int_equal(job->nprocesses, 1);
	assert_int_equal(job->nsteps, 1);
	assert_int_equal(job->steps[0].rank.i, 0);
	job_free(job);
}

/* A rank whose helper could not be looked at is not itself unknown. */
static void what_is_lost_of_a_child_is_said_of_the_child(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job_loss loss = {.what = "it has ended", .count = JOB_UNKNOWN, .cite = "s"};
	struct job *job;

	add_process(b, who("a", 20), 10, 0, true, 0);
	add_process(b, who("a", 30), 20, JOB_NONE, false, 0);
	job_add_loss(b, who("a", 20), &loss);
	job_add_loss(b, who("a", 30), &loss);
	job = job_seal(b);
	assert_int_equal(job->nlosses, 2);
	assert_int_equal(job->losses[0].rank.i, 0);
	assert_int_equal(job->losses[1].rank.i, 0);
	assert_string_equal(job->losses[0].what, "it has ended");
	assert_string_equal(job->losses[1].what, "of its child: it has ended");
	job_free(job);
}

/* Compile workers come and go: of one that has ended nothing lacks. */
static void what_is_lost_of_a_child_that_has_ended_is_none(void **state)
{
	struct job_process ended = job_process_unknown;
	const struct job_identity nobody = {.world_rank = NO_WORLD_RANK, .local_rank = JOB_NONE};

	(void)state;
	ended.ppid = 20;
	ended.end = JOB_EXITED;
	ended.status = 0;
	ended.cite = "exit";
	for (int lives = 0; lives < 2; lives++) {
		struct job_builder *b = job_builder_new();
		struct job_loss loss = {.what = lives ? "its stacks: /proc/30 is gone" : "stacks",
			.count = JOB_UNKNOWN,
			.cite = "s"};
		struct job *job;

		add_process(b, who("a", 20), 10, 0, true, 0);
		if (lives)
			add_process(b, who("a", 30), 20, JOB_NONE, false, 0);
		else
			job_add_process(b, who("a", 30), &ended, &nobody);
		job_add_loss(b, who("a", 30), &loss);
		job = job_seal(b);
		assert_int_equal(process_of(job, 30)->role, JOB_ROLE_CHILD);
		assert_int_equal(job->nlosses, 0);
		job_free(job);
	}
}

static void a_group_of_impossible_size_is_cut(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	add_process(b, who("a", 20), 10, 0, true, 0);
	add_member(b, who("a", 20), 7, 0xfffffff0u, 2);
	job = job_seal(b);
	assert_int_equal(job->groups[0].size, 3);
	assert_int_equal(job->nlosses, 1);
	job_free(job);
}

/* Whoever takes a difference of two times of a job may do so without a look at them. */
static void times_that_no_clock_says_are_unknown(void **state)
{
	static const struct {
		int64_t told, kept;
	} times[] = {
		{INT64_MAX, JOB_UNKNOWN},
		{INT64_MIN + 1, JOB_UNKNOWN},
		{INT64_MAX / 2 + 1, JOB_UNKNOWN},
		{INT64_MAX / 2, INT64_MAX / 2},
		{-(INT64_MAX / 2), -(INT64_MAX / 2)},
		{0, 0},
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct job_op op = {.index = 1, .sig.op = 1, .entered = times[i].told, .cite = "o"};
		struct job_span span = {
			.kind = JOB_SPAN_USER, .begun = times[i].told, .ended = times[i].told};
		struct job_builder *b = job_builder_new();
		struct job *job;

		span.name = span.detail = span.cite = "s";
		add_process(b, who("a", 20), 10, 0, true, 0);
		add_member(b, who("a", 20), 7, 1, 0);
		job_add_op(b, who("a", 20), 7, group_rank(0), &op, 0);
		job_add_span(b, who("a", 20), &span);
		job_add_launch(b, times[i].told);
		job_add_deadline(b, times[i].told, "d");
		job = job_seal(b);
		assert_true(job->members[0].ops[0].entered == times[i].kept);
		assert_true(job->spans[0].begun == times[i].kept);
		assert_true(job->spans[0].ended == times[i].kept);
		assert_true(job->launched == times[i].kept);
		assert_true(job->deadline == times[i].kept);
		job_free(job);
	}
}

static void ranks_are_found_by_their_number(void **state)
{
	struct job_rank ranks[12];
	struct job job = {.ranks = ranks, .nranks = 12};

	for (int i = 0; i < 12; i++)
		ranks[i] = (struct job_rank){.world_rank = world_rank(i)};
	assert_int_equal(ranks_find(&job, world_rank(4)).i, 4);
	assert_int_equal(ranks_find(&job, world_rank(40)).i, JOB_NONE);
}

/* The same communicator through a route that knows its id, and through one that knows its hash. */
static void add_hashed(struct job_builder *b, struct job_who w, uint64_t key, uint64_t alias,
	uint32_t size, uint32_t seat)
{
	struct job_group group = {.key = key,
		.alias = alias,
		.size = size,
		.name = "",
		.maker = "nccl",
		.cite = "g"};
	struct job_member member = job_member_unknown;
	struct job_op op = {.index = 1, .cite = "o", .sig = {.op = JOB_OP_ALLREDUCE, .count = 4}};

	member.seat = group_rank(seat);
	member.state = JOB_MEMBER_READY;
	member.head_known = true;
	member.head = 1;
	member.cite = "m";
	job_add_member(b, w, &group, &member);
	job_add_op(b, w, key, group_rank(seat), &op, w.pid);
}

static void groups_of_one_alias_are_one(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	for (int rank = 0; rank < 3; rank++)
		add_process(b, who("a", 20 + (uint32_t)rank), 10, rank, true, 0);
	add_hashed(b, who("a", 20), 0x70, 0xa1, 3, 0);
	add_hashed(b, who("a", 21), 0x30, 0xa1, 3, 1);
	add_hashed(b, who("a", 22), 0x70, 0xa1, 3, 2);
	add_hashed(b, who("a", 20), 0x50, 0, 3, 0);	/* no alias joins nothing */
	add_hashed(b, who("a", 21), 0x60, 0, 3, 1);
	add_hashed(b, who("a", 22), 0x80, 0xa1, 2, 1); /* another size: another group */
	job = job_seal(b);
	assert_int_equal(job->ngroups, 4);
	assert_int_equal(job->groups[0].key, 0x30);
	assert_int_equal(job->groups[0].size, 3);
	for (int seat = 0; seat < 3; seat++) {
		const struct job_member *m = &job->members[job->groups[0].first_member + seat];

		assert_int_equal(m->rank.i, seat);
		assert_int_equal(m->state, JOB_MEMBER_READY);
		assert_int_equal(m->nops, 1);
	}
	job_free(job);
}

/* Of a split, NVTX tells which group it made, not who sits where. */
static void seats_that_nobody_knew_are_numbered_by_rank(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	for (int rank = 0; rank < 4; rank++)
		add_process(b, who("a", 20 + (uint32_t)rank), 10, rank, true, 0);
	add_hashed(b, who("a", 23), 0x90, 0xb1, 0, UINT32_MAX);
	add_hashed(b, who("a", 21), 0x90, 0xb1, 0, UINT32_MAX);
	job = job_seal(b);
	assert_int_equal(job->ngroups, 1);
	assert_int_equal(job->groups[0].size, 2);
	for (int seat = 0; seat < 2; seat++) {
		const struct job_member *m = &job->members[job->groups[0].first_member + seat];

		assert_int_equal(job_rank(job, m->rank)->world_rank.n, 2 * seat + 1);
		assert_int_equal(m->nops, 1);
	}
	job_free(job);
}

/* As many seats as were seen are no size: nobody says how many are in it. */
static void a_group_of_unknown_size_stays_one(void **state)
{
	static const uint32_t sizes[] = {0, UINT32_MAX, 4};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct job_builder *b = job_builder_new();
		struct job *job;

		for (uint32_t seat = 0; seat < 2; seat++) {
			add_process(b, who("a", 20 + seat), 10, (int)seat, true, 0);
			add_member(b, who("a", 20 + seat), 7, sizes[i], seat);
		}
		job = job_seal(b);
		assert_int_equal(job->ngroups, 1);
		assert_int_equal(job->groups[0].size, sizes[i] == 4 ? 4 : 2);
		assert_int_equal(job->groups[0].sized != JOB_SIZE_UNKNOWN, sizes[i] == 4);
		job_free(job);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_inherit_rank_and_are_none),
		cmocka_unit_test(a_child_s_exception_is_not_its_rank_s),
		cmocka_unit_test(a_wrapper_is_no_rank),
		cmocka_unit_test(a_parent_outside_of_the_namespace_makes_no_orphan),
		cmocka_unit_test(a_candidate_testifies_and_the_unseen_are_listed),
		cmocka_unit_test(a_helper_does_not_testify_while_its_elder_lives),
		cmocka_unit_test(a_helper_does_not_testify_for_the_killed),
		cmocka_unit_test(who_came_in_the_place_of_the_dead_testifies),
		cmocka_unit_test(the_newest_generation_is_judged),
		cmocka_unit_test(without_rank_seats_name_the_ranks),
		cmocka_unit_test(a_rank_that_all_share_names_nobody),
		cmocka_unit_test(each_seat_of_one_process_is_a_rank),
		cmocka_unit_test(an_unseen_seat_of_a_smaller_group_is_nobody_s),
		cmocka_unit_test(an_unseen_seat_is_whose_the_members_say),
		cmocka_unit_test(a_later_reading_wins_and_the_dead_do_not_rise),
		cmocka_unit_test(the_same_op_twice_is_one_op),
		cmocka_unit_test(facts_of_a_process_without_start_time_find_it),
		cmocka_unit_test(what_is_lost_of_a_child_is_said_of_the_child),
		cmocka_unit_test(what_is_lost_of_a_child_that_has_ended_is_none),
		cmocka_unit_test(a_group_of_impossible_size_is_cut),
		cmocka_unit_test(times_that_no_clock_says_are_unknown),
		cmocka_unit_test(groups_of_one_alias_are_one),
		cmocka_unit_test(seats_that_nobody_knew_are_numbered_by_rank),
		cmocka_unit_test(ranks_are_found_by_their_number),
		cmocka_unit_test(a_group_of_unknown_size_stays_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
