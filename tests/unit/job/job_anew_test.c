/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is the rank once a process of it ended, and another one was started: the earlier one for as
 * long as the others stand in the groups that they made with it, and nobody met the newer one.
 */
#include "tests/unit/unit.h"

#include "base/rank.h"
#include "job/seal/build.h"

#define OLD    1 /* keys of groups */
#define NEW    2
#define ENDED  50
#define BORN   52
#define LATER  54
#define DEAD   21 /* pids: of rank 1 at first, */
#define AGAIN  31 /* and of its next process */

struct play {
	struct job_builder *b;
	const char *host; /* where the next process of rank 1 lives */
};

static struct job_who who(const char *host, uint32_t pid)
{
	return (struct job_who){host, pid, 100 + pid};
}

/* A process of that rank, born then, which made a communicator unless it is a mere candidate. */
static void add(struct play *play, const char *host, uint32_t pid, int rank, int64_t born,
	int64_t ended, int restart)
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
	process.cite = "census";
	job_add_process(play->b, who(host, pid), &process, &identity);
}

/* The process sits there; `ready` is when it left the init, JOB_UNKNOWN while it is in it. */
static void sits(struct play *play, const char *host, uint32_t pid, uint64_t key, uint32_t seat,
	int64_t ready)
{
	struct job_group group = {
		.key = key, .size = 3, .name = "", .maker = "nccl", .cite = "g"};
	struct job_member member = job_member_unknown;

	member.seat = group_rank(seat);
	member.state = ready == JOB_UNKNOWN ? JOB_MEMBER_IN_INIT : JOB_MEMBER_READY;
	member.init_since = ready == JOB_UNKNOWN ? LATER : ready;
	member.ready_at = ready;
	member.cite = "m";
	job_add_member(play->b, who(host, pid), &group, &member);
}

/* Three ranks have met, and rank 1 was killed; then it has a process again. */
static struct play begin(const char *host)
{
	struct play play = {.b = job_builder_new(), .host = host};

	for (uint32_t rank = 0; rank < 3; rank++) {
		add(&play, "a", 20 + rank, (int)rank, 0, rank == 1 ? ENDED : JOB_UNKNOWN, 0);
		sits(&play, "a", 20 + rank, OLD, rank, 10);
	}
	add(&play, host, AGAIN, 1, BORN, JOB_UNKNOWN, 0);
	return play;
}

static void assert_rank_1(struct play *play, uint32_t pid, uint32_t anew)
{
	struct job *job = job_seal(play->b);
	const struct job_rank *rank = job_rank(job, rank_index(1));

	assert_int_equal(job->nranks, 3);
	assert_int_equal(job->processes[rank->process].pid, pid);
	if (anew)
		assert_int_equal(job->processes[rank->anew].pid, anew);
	else
		assert_int_equal(rank->anew, JOB_NONE);
	assert_int_equal(job->nlosses, 0);
	job_free(job);
}

static void who_has_yet_to_begin_is_not_the_rank(void **state)
{
	struct play play = begin("a");

	assert_rank_1(&play, DEAD, 0);
	(void)state;
}

static void who_begins_an_init_alone_is_not_the_rank(void **state)
{
	const char *hosts[] = {"a", "b"};

	for (int i = 0; i < 4; i++) {
		struct play play = begin(hosts[i % 2]);

		sits(&play, play.host, AGAIN, i < 2 ? OLD : NEW, 1, JOB_UNKNOWN);
		assert_rank_1(&play, DEAD, AGAIN);
	}
	(void)state;
}

/* gloo and PyTorch make some groups without meeting anybody. */
static void who_sits_where_the_others_sat_before_it_was_born_is_not_the_rank(void **state)
{
	struct play play = begin("a");

	sits(&play, "a", AGAIN, OLD, 1, LATER);
	assert_rank_1(&play, DEAD, AGAIN);
	/* Another host's clock does not tell which came first. */
	play = begin("b");
	sits(&play, "b", AGAIN, OLD, 1, LATER);
	assert_rank_1(&play, AGAIN, 0);
	(void)state;
}

static void who_met_another_is_the_rank(void **state)
{
	for (int left = 0; left < 2; left++) {
		struct play play = begin("a");

		sits(&play, "a", AGAIN, NEW, 1, left ? LATER : JOB_UNKNOWN);
		sits(&play, "a", 20, NEW, 0, left ? LATER : JOB_UNKNOWN);
		assert_rank_1(&play, AGAIN, 0);
	}
	(void)state;
}

/* The census says that it made a group, and its ring is lost: it may have met all others in it. */
static void whose_groups_are_not_seen_may_have_met_others(void **state)
{
	const struct job_identity promoted = {.world_rank = world_rank(1),
		.local_rank = JOB_NONE,
		.promoted = true,
		.knows = JOB_KNOWS_CENSUS};
	struct job_process process = job_process_unknown;
	struct play play = begin("a");

	process.ppid = 10;
	process.born = BORN;
	process.end = JOB_ALIVE;
	process.cite = "census";
	job_add_process(play.b, who("a", AGAIN), &process, &promoted);
	assert_rank_1(&play, AGAIN, 0);
	(void)state;
}

/* A supervisor of all starts all anew: the first of them stands alone for a moment. */
static void where_all_were_started_anew_the_newest_is_the_rank(void **state)
{
	for (int gone = 0; gone < 2; gone++) {
		struct play play = {.b = job_builder_new()};

		for (uint32_t rank = 0; rank < 3; rank++) {
			add(&play, "a", 20 + rank, (int)rank, 0,
				gone || rank == 1 ? ENDED : JOB_UNKNOWN, 0);
			sits(&play, "a", 20 + rank, OLD, rank, 10);
			if (rank == 1 || !gone)
				add(&play, "a", 30 + rank, (int)rank, BORN, JOB_UNKNOWN, 0);
		}
		sits(&play, "a", AGAIN, NEW, 1, JOB_UNKNOWN);
		assert_rank_1(&play, AGAIN, 0);
	}
	(void)state;
}

static void a_restart_that_its_launcher_counts_is_none_of_these(void **state)
{
	struct play play = {.b = job_builder_new()};

	for (uint32_t rank = 0; rank < 3; rank++) {
		add(&play, "a", 20 + rank, (int)rank, 0, rank == 1 ? ENDED : JOB_UNKNOWN, 0);
		sits(&play, "a", 20 + rank, OLD, rank, 10);
	}
	job_add_world_size(play.b, 3, "WORLD_SIZE");
	add(&play, "a", AGAIN, 1, BORN, JOB_UNKNOWN, 1);
	sits(&play, "a", AGAIN, NEW, 1, JOB_UNKNOWN);
	assert_rank_1(&play, AGAIN, 0);
	(void)state;
}

/* It fails to come in, and is started again and again. */
static void of_many_the_last_is_told(void **state)
{
	struct play play = {.b = job_builder_new()};

	for (uint32_t rank = 0; rank < 3; rank++) {
		add(&play, "a", 20 + rank, (int)rank, 0, rank == 1 ? ENDED : JOB_UNKNOWN, 0);
		sits(&play, "a", 20 + rank, OLD, rank, 10);
	}
	for (uint32_t again = 0; again < 3; again++) {
		add(&play, "a", 40 + again, 1, BORN + again,
			again < 2 ? BORN + 1 + again : JOB_UNKNOWN, 0);
		sits(&play, "a", 40 + again, OLD, 1, JOB_UNKNOWN);
	}
	assert_rank_1(&play, DEAD, 42);
	(void)state;
}

/*
 * Ranks 1 and 2 are on another host than rank 0: host a was looked at after all had been started
 * anew and had met, host b before; or live, before b came along. `counted`: the restart that b's
 * own launcher tells. Of rank 2 no group was seen but the new one.
 */
static struct job *looked_at_apart(bool met, bool b_sits, int counted)
{
	struct play play = {.b = job_builder_new()};

	job_add_world_size(play.b, 3, "WORLD_SIZE");
	add(&play, "a", 20, 0, 0, ENDED, 0);
	sits(&play, "a", 20, OLD, 0, 10);
	add(&play, "a", 30, 0, BORN, JOB_UNKNOWN, 1);
	sits(&play, "a", 30, NEW, 0, met ? LATER : JOB_UNKNOWN);
	for (uint32_t rank = 1; rank < 3; rank++) {
		add(&play, "b", 20 + rank, (int)rank, 0, JOB_UNKNOWN, counted);
		if (rank == 1)
			sits(&play, "b", 20 + rank, OLD, rank, 10);
		if (b_sits)
			sits(&play, "b", 20 + rank, NEW, rank, met ? LATER : JOB_UNKNOWN);
	}
	return job_seal(play.b);
}

/* What a rank did in the attempt before says nothing of what it does in this one. */
static void who_was_seen_only_before_all_met_anew_is_not_seen(void **state)
{
	struct job *job = looked_at_apart(true, false, 0);

	(void)state;
	assert_int_equal(job->attempt, 2);
	assert_int_equal(job->nranks, 3);
	for (int rank = 0; rank < 3; rank++)
		assert_int_equal(job_rank(job, rank_index(rank))->process == JOB_NONE, rank >= 1);
	job_free(job);
}

/* Others wait for who has not come along yet; and torchrun counts restarts by host. */
static void who_may_have_come_along_is_the_rank(void **state)
{
	struct job *jobs[] = {looked_at_apart(false, false, 0), looked_at_apart(true, true, 0),
		looked_at_apart(true, false, 1)};

	(void)state;
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		for (int rank = 0; rank < 3; rank++)
			assert_int_not_equal(
				job_rank(jobs[i], rank_index(rank))->process, JOB_NONE);
		job_free(jobs[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_has_yet_to_begin_is_not_the_rank),
		cmocka_unit_test(who_begins_an_init_alone_is_not_the_rank),
		cmocka_unit_test(
			who_sits_where_the_others_sat_before_it_was_born_is_not_the_rank),
		cmocka_unit_test(who_met_another_is_the_rank),
		cmocka_unit_test(whose_groups_are_not_seen_may_have_met_others),
		cmocka_unit_test(where_all_were_started_anew_the_newest_is_the_rank),
		cmocka_unit_test(a_restart_that_its_launcher_counts_is_none_of_these),
		cmocka_unit_test(of_many_the_last_is_told),
		cmocka_unit_test(who_was_seen_only_before_all_met_anew_is_not_seen),
		cmocka_unit_test(who_may_have_come_along_is_the_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
