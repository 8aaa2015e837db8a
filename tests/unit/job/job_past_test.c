/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two hosts of a job that was started anew: host a was looked at in the last attempt, host b only
 * in the one before, since its last gathering is lost. Or a host that was left by another one.
 */
#include "tests/unit/unit.h"

#include "base/rank.h"
#include "job/seal/build.h"

#define OLD    1 /* keys of groups */
#define NEW    2
#define LOOKED 45 /* at host b */
#define ENDED  50
#define BORN   52
#define NOW    95

/* How much there is to tell that host b's part is of an earlier attempt. */
struct play {
	bool old_met, new_met;	 /* all left the init of that attempt's group */
	int restarts;		 /* that host a counts */
	bool before;		 /* host a shows its processes of the attempt before */
	bool came;		 /* host b's ranks are in the new group, too */
	bool over;		 /* the launcher of host b has ended */
	int64_t looked;		 /* at host b; 0: LOOKED */
	const char *maker;	 /* NULL: nccl */
	bool killed;		 /* rank 1 was killed, and was in no group */
	bool alone;		 /* rank 3 has not come to the new group */
};

static struct job_who who(const char *host, uint32_t pid)
{
	return (struct job_who){host, pid, 100 + pid};
}

static void add(struct job_builder *b, const char *host, uint32_t pid, int rank, int64_t born,
	int64_t ended, int restart, int64_t looked)
{
	const struct job_identity identity = {.world_rank = world_rank(rank),
		.local_rank = JOB_NONE,
		.knows = JOB_KNOWS_RING | JOB_KNOWS_CENSUS};
	struct job_process process = job_process_unknown;

	process.ppid = 10;
	process.restart = restart;
	process.born = born;
	process.end = ended == JOB_UNKNOWN ? JOB_ALIVE : JOB_SIGNALED;
	process.status = ended == JOB_UNKNOWN ? 0 : 9;
	process.ended = ended;
	process.looked = looked;
	process.cite = "census";
	job_add_process(b, who(host, pid), &process, &identity);
}

static void sits(struct job_builder *b, const struct play *play, const char *host, uint32_t pid,
	uint64_t key, uint32_t seat)
{
	struct job_group group = {.key = key,
		.size = 4,
		.name = "",
		.maker = play->maker ? play->maker : "nccl",
		.cite = "g"};
	struct job_member member = job_member_unknown;
	bool met = key == OLD ? play->old_met : play->new_met;

	member.seat = group_rank(seat);
	member.state = met ? JOB_MEMBER_READY : JOB_MEMBER_IN_INIT;
	member.init_since = key == OLD ? 5 : BORN + 1;
	member.ready_at = !met ? JOB_UNKNOWN : key == OLD ? 6 : BORN + 2;
	member.cite = "m";
	job_add_member(b, who(host, pid), &group, &member);
}

static void add_hosts(struct job_builder *b, const struct play *play)
{
	struct job_host host = job_host_unknown;

	host.name = "a";
	host.cite = host.cgroup_cite = "gather";
	host.gathered = NOW;
	job_add_host(b, &host);
	host.name = "b";
	host.gathered = play->looked ? play->looked : LOOKED;
	host.over = play->over;
	job_add_host(b, &host);
}

/* Ranks 2 and 3 are on host a, 0 and 1 on host b. */
static struct job *seal(const struct play *play)
{
	struct job_builder *b = job_builder_new();
	int64_t looked = play->looked ? play->looked : LOOKED;

	job_add_world_size(b, 4, "WORLD_SIZE");
	add_hosts(b, play);
	for (uint32_t rank = 0; rank < 2; rank++) {
		bool killed = play->killed && rank;

		add(b, "b", 20 + rank, (int)rank, 1, killed ? 40 : JOB_UNKNOWN, 0, looked);
		if (!killed)
			sits(b, play, "b", 20 + rank, play->came ? NEW : OLD, rank);
	}
	for (uint32_t rank = 2; rank < 4; rank++) {
		if (play->before)
			add(b, "a", 20 + rank, (int)rank, 1, ENDED, 0, NOW);
		if (play->before)
			sits(b, play, "a", 20 + rank, OLD, rank);
		add(b, "a", 30 + rank, (int)rank, BORN, JOB_UNKNOWN, play->restarts, NOW);
		if (rank < 3 || !play->alone)
			sits(b, play, "a", 30 + rank, NEW, rank);
	}
	return job_seal(b);
}

enum told { OUT, DOUBTED, JUDGED };

/* Tells what becomes of host b's ranks; those of host a are judged in any case. */
static enum told told_of(const struct play *play)
{
	struct job *job = seal(play);
	enum told told = OUT;

	assert_int_equal(job->nranks, 4);
	for (int i = 0; i < 4; i++) {
		int process = job_rank(job, rank_index(i))->process;
		enum told own = process == JOB_NONE			? OUT
				: job->processes[process].other_run ? DOUBTED
								    : JUDGED;

		if (i == 0)
			told = own;
		assert_int_equal(own, i < 2 ? told : JUDGED);
	}
	assert_int_equal(job->nlosses, told == OUT);
	if (told == OUT)
		assert_int_equal(job->losses[0].count, 2);
	job_free(job);
	return told;
}

/* The dead and the standing of the attempt before are not there in the last one. */
static void who_was_seen_only_in_the_attempt_before_is_left_out(void **state)
{
	const struct play plays[] = {
		{.restarts = 1},
		{.restarts = 1, .killed = true},
		{.restarts = 1, .maker = "gloo"},
		{.before = true},
		{.before = true, .old_met = true, .killed = true},
		{.old_met = true}, /* others are in another group: it was not they who met */
		{.new_met = true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(plays) / sizeof(*plays); i++)
		assert_int_equal(told_of(&plays[i]), OUT);
}

/* A node may come late, too; if its launcher is over, it was no attempt that others followed. */
static void what_only_clocks_tell_is_doubted(void **state)
{
	const struct play plays[] = {{0}, {.killed = true}};
	const struct play unclear = {.maker = "gloo", .old_met = true};

	(void)state;
	for (size_t i = 0; i < sizeof(plays) / sizeof(*plays); i++) {
		struct play over = plays[i];

		over.over = true;
		assert_int_equal(told_of(&plays[i]), DOUBTED);
		assert_int_equal(told_of(&over), JUDGED);
	}
	/* A name is no id: they may be in one group, and the clocks hours apart. */
	assert_int_equal(told_of(&unclear), JUDGED);
}

/* torchrun counts, on each host, only the failures of its own ranks. */
static void who_was_seen_since_is_judged(void **state)
{
	const struct play plays[] = {
		{.restarts = 1, .looked = BORN},
		{.restarts = 1, .looked = NOW, .killed = true},
		{.restarts = 1, .before = true, .came = true},
		{.old_met = true, .looked = NOW},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(plays) / sizeof(*plays); i++)
		assert_int_equal(told_of(&plays[i]), JUDGED);
}

/* A process of host a, in that place of its launcher. */
static void add_placed(struct job_builder *b, uint32_t pid, int rank, int local_rank,
	uint32_t launcher, int64_t born, int64_t ended)
{
	const struct job_identity identity = {.world_rank = world_rank(rank),
		.local_rank = local_rank,
		.knows = JOB_KNOWS_CENSUS};
	struct job_process process = job_process_unknown;

	process.ppid = launcher;
	process.born = born;
	process.end = ended == JOB_UNKNOWN ? JOB_ALIVE : JOB_SIGNALED;
	process.status = ended == JOB_UNKNOWN ? 0 : 9;
	process.ended = ended;
	process.cite = "census";
	job_add_process(b, who("a", pid), &process, &identity);
}

/*
 * A node has left, and those that stay are numbered anew: ranks 2 and 3 of host a are 0 and 1 now.
 * Where another launcher starts later, or the place is another one, the dead is still its rank.
 */
static void whose_place_has_another_number_now_is_no_rank(void **state)
{
	static const struct {
		uint32_t launcher;
		int place;
		int64_t born;
		bool out;
	} plays[] = {
		{10, 0, BORN, true},
		{11, 0, BORN, false},
		{1, 0, BORN, false},
		{10, 1, BORN, false},
		{10, 0, ENDED - 1, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(plays) / sizeof(*plays); i++) {
		struct job_builder *b = job_builder_new();
		struct job *job;

		add_placed(b, 22, 2, 0, plays[i].launcher == 1 ? 1 : 10, 1, ENDED);
		add_placed(b, 30, 0, plays[i].place, plays[i].launcher, plays[i].born, JOB_UNKNOWN);
		job = job_seal(b);
		assert_int_equal(job->nranks, plays[i].out ? 1 : 2);
		assert_int_equal(job_rank(job, rank_index(0))->world_rank.n, 0);
		job_free(job);
	}
}

/* A launcher that gives one local rank to all starts one after the other: the dead is its rank. */
static void who_dies_while_others_are_started_is_its_rank(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	(void)state;
	add_placed(b, 20, 0, 0, 10, 1, JOB_UNKNOWN);
	add_placed(b, 21, 1, 0, 10, 2, 3);
	add_placed(b, 22, 2, 0, 10, 4, JOB_UNKNOWN);
	job = job_seal(b);
	assert_int_equal(job->nranks, 3);
	assert_int_equal(job_rank(job, rank_index(1))->process, 1);
	job_free(job);
}

/* Two nodes have left, one after the other: the first time the numbers stayed as they were. */
static void who_had_the_number_of_one_who_is_left_out_is_no_rank(void **state)
{
	struct job_builder *b = job_builder_new();
	struct job *job;

	(void)state;
	add_placed(b, 22, 2, 0, 10, 1, ENDED);
	add_placed(b, 30, 2, 0, 10, BORN, BORN + 1);
	add_placed(b, 31, 0, 0, 10, BORN + 2, JOB_UNKNOWN);
	job = job_seal(b);
	assert_int_equal(job->nranks, 1);
	assert_int_equal(job_rank(job, rank_index(0))->world_rank.n, 0);
	job_free(job);
}

/* Who stands in the attempt before does not keep the dead of that attempt in their places. */
static void who_is_left_out_outlives_nobody(void **state)
{
	const struct play play = {.before = true, .old_met = true, .alone = true};
	struct job *job = seal(&play);

	(void)state;
	assert_int_equal(job->processes[job_rank(job, rank_index(2))->process].pid, 32);
	assert_int_equal(job_rank(job, rank_index(2))->anew, JOB_NONE);
	job_free(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_was_seen_only_in_the_attempt_before_is_left_out),
		cmocka_unit_test(what_only_clocks_tell_is_doubted),
		cmocka_unit_test(who_was_seen_since_is_judged),
		cmocka_unit_test(who_is_left_out_outlives_nobody),
		cmocka_unit_test(whose_place_has_another_number_now_is_no_rank),
		cmocka_unit_test(who_dies_while_others_are_started_is_its_rank),
		cmocka_unit_test(who_had_the_number_of_one_who_is_left_out_is_no_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
