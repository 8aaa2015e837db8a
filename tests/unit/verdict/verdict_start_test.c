/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How PyTorch's groups come to be: the id of a communicator is fetched from a store, where rank 0
 * has to put it. Who waits there waits for rank 0; who waits for any other key waits for nobody
 * that could be named, unless all others are seen to wait, too.
 */
#include "tests/unit/unit.h"

#include <string.h>

#include "job/waitfor/waitfor.h"
#include "tests/unit/bystacks.h"
#include "tests/unit/facts.h"
#include "words/wording.h"

/* Ranks 1 to n-1 wait for the id that rank 0 has to give; rank 0 has come to init_process_group. */
static struct facts *peers_of_a_late_rank_0(int n)
{
	struct facts *f = facts_new(n);
	int id;

	facts_no_group(f);
	id = facts_bootstrap(f);
	for (int i = 0; i < n; i++)
		facts_trait(f, i, "backend", "nccl", -1);
	for (int i = 1; i < n; i++) {
		facts_in_init(f, id, i, 40);
		facts_store(f, i, "default_pg/0//cuda//0", 40);
	}
	return f;
}

static struct verdicts *judged(const struct facts *f, struct job **ret_job)
{
	*ret_job = facts_job(f);
	return verdicts_of(*ret_job);
}

static void dismissed(struct verdicts *v, struct job *job)
{
	verdicts_free(v);
	job_free(job);
}

static bool is_said(const struct verdict_fact *fact, const char *text)
{
	struct str words = {0};
	bool found;

	wording_fact(&words, fact);
	found = strstr(str_text(&words), text);
	str_release(&words);
	return found;
}

static bool tells(const struct verdict *verdict, enum verdict_fact_kind kind, const char *text)
{
	for (size_t i = 0; i < verdict->nevidence; i++)
		if (verdict->evidence[i].kind == kind &&
			(!text || is_said(&verdict->evidence[i], text)))
			return true;
	return false;
}

static void rank_0_still_compiles(void **state)
{
	struct facts *f = peers_of_a_late_rank_0(4);
	struct verdicts *v;
	struct job *job;

	facts_span(f, 0, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 10, FACTS_OPEN);
	facts_cpu(f, 0, 4.5, 5, 0.1);
	facts_expect(f, VERDICT_COMPILE_SKEW, "0", "1-3");
	v = judged(f, &job);
	assert_int_equal(v->n, 1);
	assert_int_equal(v->stage, VERDICT_BOOTSTRAP);
	assert_true(tells(&v->at[0], FACT_NEVER_GAVE_ID, "world"));
	assert_true(tells(&v->at[0], FACT_WAITS_FOR_ID, "world"));
	dismissed(v, job);
	facts_free(f);
}

static void rank_0_is_in_its_own_code(void **state)
{
	struct facts *f = peers_of_a_late_rank_0(4);

	facts_cpu(f, 0, 4.5, 5, 0.1);
	facts_expect_where(f, VERDICT_HOST_STALL, "0", VERDICT_IN_USER_CODE);
	facts_free(f);
}

static void rank_0_fetches_its_first_batch(void **state)
{
	struct facts *f = peers_of_a_late_rank_0(4);

	facts_span(f, 0, JOB_SPAN_INPUT, "train", "", 10, FACTS_OPEN);
	facts_expect_where(f, VERDICT_HOST_STALL, "0", VERDICT_IN_INPUT);
	facts_free(f);
}

static void rank_0_saves(void **state)
{
	struct facts *f = peers_of_a_late_rank_0(4);

	facts_span(f, 0, JOB_SPAN_CHECKPOINT, "save", "", 10, FACTS_OPEN);
	facts_expect_where(f, VERDICT_HOST_STALL, "0", VERDICT_IN_CHECKPOINT);
	facts_free(f);
}

static void rank_0_died(void **state)
{
	struct facts *f = peers_of_a_late_rank_0(4);

	facts_end(f, 0, JOB_SIGNALED, 11, 39);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "0", VERDICT_BY_SIGNAL);
	facts_free(f);
}

/* It waits for rank 2 elsewhere: then not rank 0 is to blame, but whom it waits for. */
static void rank_0_waits_for_another(void **state)
{
	struct facts *f = peers_of_a_late_rank_0(4);
	int pair = facts_group_of(f, 2, 0, 2);

	for (int i = 0; i < f->n; i++)
		f->members[1][i].in = i == 1 || i == 3;
	facts_outside(f, 2, 30);
	f->ranks[2].thread.detail = "";
	facts_hold(f, pair, 0, JOB_OP_ALLREDUCE, 8, 35);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
}

/* The id is there, and all but rank 3 have come to the init: that is NCCL's own, as ever. */
static void another_rank_is_late(void **state)
{
	struct facts *f = facts_new(4);
	struct verdicts *v;
	struct job *job;
	int id = facts_bootstrap(f);

	for (int i = 0; i < 3; i++) {
		facts_in_init(f, id, i, 20);
		f->members[id][i].fact.state = JOB_MEMBER_READY;
		facts_in_init(f, 0, i, 20);
	}
	facts_unseen(f, 0, 3);
	for (int i = 0; i < 4; i++)
		facts_trait(f, i, "backend", "nccl", -1);
	facts_span(f, 3, JOB_SPAN_COMPILE, "dynamo", "0/0", 15, FACTS_OPEN);
	facts_cpu(f, 3, 4, 5, 0);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	v = judged(f, &job);
	assert_int_equal(v->n, 1);
	assert_true(tells(&v->at[0], FACT_NEVER_INIT, "world"));
	dismissed(v, job);
	facts_free(f);
}

/* Late for the id as for the init: one finding, and rank 0, which has given it, is a victim. */
static void one_late_rank_is_one_finding(void **state)
{
	struct facts *f = facts_new(4);
	struct verdicts *v;
	struct job *job;
	int id = facts_bootstrap(f);

	facts_in_init(f, id, 0, 20);
	f->members[id][0].fact.state = JOB_MEMBER_READY;
	facts_in_init(f, 0, 0, 20);
	for (int i = 1; i < 4; i++)
		facts_unseen(f, 0, i);
	for (int i = 1; i < 3; i++) {
		facts_in_init(f, id, i, 20);
		f->members[id][i].fact.state = JOB_MEMBER_READY;
		facts_in_init(f, 0, i, 20);
	}
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	v = judged(f, &job);
	assert_int_equal(v->n, 1);
	dismissed(v, job);
	facts_free(f);
}

/* Rank 0 gave it, and one does not get it: that is the store's, and nobody's fault. */
static void an_id_that_does_not_arrive_blames_nobody(void **state)
{
	struct facts *f = facts_new(4);
	int id = facts_bootstrap(f);

	for (int i = 0; i < 4; i++)
		facts_in_init(f, id, i, 20);
	f->members[id][0].fact.state = JOB_MEMBER_READY;
	facts_outside(f, 0, 20);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* Who has no evidence is not accused: rank 0's ring is gone, and it lives. */
static void a_rank_0_that_cannot_be_read_is_not_accused(void **state)
{
	struct facts *f = peers_of_a_late_rank_0(4);

	facts_lose_ring(f, 0);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* A group of some: whose seat 0 is, somebody has told. */
static void the_giver_of_a_small_group_is_known_by_word(void **state)
{
	struct facts *f = facts_new(6);
	int id = facts_group_of(f, 3, 2, 3, 5);

	f->group_makers[id] = "bootstrap";
	f->group_names[id] = "7";
	facts_unseen(f, id, 2);
	facts_in_init(f, id, 3, 40);
	facts_in_init(f, id, 5, 40);
	for (int i = 0; i < 6; i++)
		facts_trait(f, i, "backend", "nccl", -1);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	f->group_ranks[id] = "2-3,5";
	facts_expect(f, VERDICT_HOST_STALL, "2", "3,5");
	facts_free(f);
}

/* Peers that wait from the start wait as long as starts take; once they had met, 2 s will do. */
static void a_start_is_not_yet_a_hang(void **state)
{
	struct facts *f = peers_of_a_late_rank_0(4);

	f->nextra = 0;
	facts_expect(f, VERDICT_TOO_EARLY, "", NULL);
	facts_free(f);
}

/* -- keys of the store ------------------------------------------------------------------------- */

static void all_but_one_wait_for_a_key(void **state)
{
	struct facts *f = facts_new(4);
	struct verdicts *v;
	struct job *job;

	for (int i = 0; i < 4; i++)
		if (i != 2)
			facts_store(f, i, "my_barrier/1", 40);
	facts_end(f, 2, JOB_SIGNALED, 11, 39);
	facts_expect(f, VERDICT_RANK_DEATH, "2", "0,1,3");
	v = judged(f, &job);
	assert_int_equal(v->at[0].confidence, VERDICT_SUPPORTED);
	assert_true(tells(&v->at[0], FACT_WAITS_IN_STORE, "my_barrier/1"));
	dismissed(v, job);
	facts_free(f);
}

static void all_wait_for_a_key(void **state)
{
	struct facts *f = facts_new(4);
	struct verdicts *v;
	struct job *job;

	for (int i = 0; i < 4; i++)
		facts_store(f, i, "my_barrier/1", 40);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-3");
	v = judged(f, &job);
	assert_true(tells(&v->at[0], FACT_WAITS_IN_STORE, "my_barrier/1"));
	dismissed(v, job);
	facts_free(f);
}

static void half_of_them_wait_for_a_key(void **state)
{
	struct facts *f = facts_new(4);

	facts_store(f, 0, "my_barrier/1", 40);
	facts_store(f, 1, "my_barrier/1", 40);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0,1");
	facts_free(f);
}

static void one_that_cannot_be_read_may_be_the_one(void **state)
{
	struct facts *f = facts_new(4);

	facts_store(f, 0, "my_barrier/1", 40);
	facts_store(f, 1, "my_barrier/1", 40);
	facts_lose_ring(f, 3);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0,1");
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

static void different_keys_point_at_nobody(void **state)
{
	struct facts *f = facts_new(4);

	facts_store(f, 0, "a", 40);
	facts_store(f, 1, "b", 40);
	facts_store(f, 2, "c", 40);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", "0-2");
	facts_free(f);
}

/* Before the first group: all but one are in init_process_group, and one has not come there. */
static void one_never_came_to_the_first_group(void **state)
{
	struct facts *f = facts_new(4);

	facts_no_group(f);
	for (int i = 0; i < 3; i++) {
		facts_call(f, i, "c10d_init", 20);
		f->ranks[i].thread.detail = "";
	}
	facts_candidate(f, 3);
	facts_expect(f, VERDICT_NOT_STARTED, "3", "0-2");
	facts_free(f);
}

/* -- the store itself -------------------------------------------------------------------------- */

#define SERVES                                                                                     \
	"clock_nanosleep@libc.so.6 < nanosleep@libc.so.6 < "                                       \
	"c10d::TCPStore::waitForWorkers()@libtorch_cpu.so < _create_c10d_store@" TORCH             \
	"distributed/rendezvous.py:215 < init_process_group@" C10D ":2714" MAIN

/* Ranks 1 and 3 of four are in the init of the first group; 0 and 2 never made one. */
static struct facts *two_of_four_in_init(void)
{
	struct facts *f = facts_new(4);

	facts_in_init(f, 0, 1, 10);
	facts_in_init(f, 0, 3, 10);
	facts_candidate(f, 0);
	facts_candidate(f, 2);
	return f;
}

/* A store's own call, of a rank that made no group. */
static void at_the_store(struct facts *f, int rank, const char *call, double since)
{
	facts_candidate(f, rank);
	facts_call(f, rank, call, since);
	f->ranks[rank].thread.detail = "node0:29500";
}

/* It has opened the store and waits there for the late one, so it is no more late than the rest. */
static void who_opened_the_store_waits_there(void **state)
{
	for (int by_ring = 0; by_ring < 2; by_ring++) {
		struct facts *f = two_of_four_in_init();
		struct judged j;

		facts_stack(f, 0, SERVES)->moved = JOB_YES;
		if (by_ring)
			at_the_store(f, 0, "c10d_store_serve", 8);
		facts_stack(f, 2, SLEEPS);
		facts_expect(f, VERDICT_NOT_STARTED, "2", by_ring ? "0,1,3" : NULL);
		j = judge(f);
		assert_int_equal(j.v->n, 1);
		assert_int_equal(j.v->at[0].confidence, VERDICT_ESTABLISHED);
		done(&j, f);
	}
}

/* By the census it never made a group; what it does instead, a stack may not tell. */
static void never_made_a_group_is_not_what_it_does(void **state)
{
	static const struct {
		const char *frames; /* NULL: no stack */
		enum verdict_confidence confidence;
	} table[] = {
		{SLEEPS, VERDICT_ESTABLISHED},
		{NULL, VERDICT_SUPPORTED},
		{"", VERDICT_HYPOTHESIS},
		{"poll@libc.so.6 < @libjaxlib.so < @libjaxlib.so < start@/me/train.py:3",
			VERDICT_HYPOTHESIS},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct facts *f = facts_new(4);
		struct judged j;

		for (int rank = 0; rank < 3; rank++)
			facts_in_init(f, 0, rank, 10);
		facts_candidate(f, 3);
		if (table[i].frames)
			facts_stack(f, 3, table[i].frames);
		facts_expect(f, VERDICT_NOT_STARTED, "3", "0-2");
		j = judge(f);
		assert_int_equal(j.v->at[0].confidence, table[i].confidence);
		done(&j, f);
	}
}

/* That most are away makes it no surer that they are: what is told of two sides is as weak. */
static void a_guess_about_most_is_a_guess(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	facts_in_init(f, 0, 0, 10);
	for (int rank = 1; rank < 4; rank++) {
		facts_candidate(f, rank);
		facts_stack(f, rank, "");
	}
	j = judge(f);
	assert_int_equal(j.v->at[0].class, VERDICT_NOT_STARTED);
	assert_int_equal(j.v->at[0].culprits.n, 0);
	assert_int_equal(j.v->at[0].confidence, VERDICT_HYPOTHESIS);
	done(&j, f);
}

/* All look for the store at one port, by their environments, but one. */
static void looks_elsewhere(struct facts *f, int odd)
{
	for (int rank = 0; rank < f->n; rank++) {
		facts_trait(f, rank, "master", rank == odd ? "a:1" : "a:2", -1);
		f->extra[f->nextra - 1].of_ring = false;
	}
}

/* The same of a job of which only stacks tell: its environment says where each looks. */
static void another_port_is_seen_without_a_ring(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	facts_no_probe(f);
	facts_stack(f, 0, SERVES);
	for (int rank = 1; rank < 4; rank++)
		facts_stack(f, rank, CONNECT);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	looks_elsewhere(f, 2);
	facts_expect(f, VERDICT_NOT_STARTED, "2", "0,1,3");
	j = judge(f);
	assert_int_equal(j.v->at[0].cause, VERDICT_BY_ADDRESS);
	assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
	done(&j, f);
	(void)state;
}

/* Whoever is past the store has met the others there, whatever its environment says. */
static void a_port_explains_nothing_behind_the_store(void **state)
{
	struct facts *f = foreign(4, 2, SLEEPS);

	looks_elsewhere(f, 2);
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	facts_free(f);
	(void)state;
}

/* Nobody finds the store before rank 0 has opened it. */
static void rank_0_comes_late_to_its_own_store(void **state)
{
	for (int by_ring = 0; by_ring < 2; by_ring++) {
		struct facts *f = facts_new(4);
		struct judged j;

		facts_no_group(f);
		for (int rank = 0; rank < 4; rank++) {
			facts_candidate(f, rank);
			facts_stack(f, rank, rank ? CONNECT : SLEEPS);
			if (rank && by_ring)
				at_the_store(f, rank, "c10d_store_open", 8);
		}
		facts_expect(f, VERDICT_NOT_STARTED, "0", "1-3");
		j = judge(f);
		assert_int_equal(j.v->n, 1);
		if (by_ring)
			assert_true(tells(&j.v->at[0], FACT_WAITS_FOR_STORE, "node0:29500"));
		done(&j, f);
	}
}

/* Its slot in the table is all that it left: it ended in good order before it made a group. */
static void who_exits_before_init_exits_early(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	for (int rank = 0; rank < 4; rank++)
		if (rank != 1)
			facts_in_init(f, 0, rank, 20);
	facts_candidate(f, 1);
	facts_end(f, 1, JOB_EXITED, 0, 18);
	facts_expect(f, VERDICT_EARLY_EXIT, "1", "0,2,3");
	j = judge(f);
	assert_true(tells(&j.v->at[0], FACT_NEVER_INIT, NULL));
	assert_int_equal(j.v->at[0].outlook, VERDICT_KILL);
	done(&j, f);
	(void)state;
}

/* spawn() has started it, and its number is told when it joins: no rank is without a process. */
static void who_has_no_number_yet_is_there(void **state)
{
	struct facts *f = facts_new(4);
	struct job_process *process;
	struct judged j;

	for (int rank = 0; rank < 4; rank++) {
		f->ranks[rank].process.ppid = 77;
		if (rank != 2)
			facts_in_init(f, 0, rank, 20);
	}
	facts_never_seen(f, 2);
	process = facts_child(f, 1, "python");
	process->role = JOB_ROLE_UNKNOWN;
	process->ppid = 77;
	facts_expect(f, VERDICT_NOT_STARTED, "2", "0,1,3");
	j = judge(f);
	expect_says(&j, "1 process of this job without a rank yet (pid ");
	verdicts_free(j.v);
	job_free(j.job);
	process->ppid = 78; /* somebody else's */
	j = judge(f);
	expect_says(&j, "no process of this rank is in the job's table");
	done(&j, f);
	(void)state;
}

/* Nobody waits for it yet: that is no finding; nor is the job well, of which nobody has begun. */
static void while_the_others_start_an_exit_is_told(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	facts_no_group(f);
	f->ngroups = 0;
	for (int rank = 0; rank < 4; rank++)
		facts_candidate(f, rank);
	facts_end(f, 1, JOB_EXITED, 0, 18);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	j = judge(f);
	assert_true(tells(&j.v->at[0], FACT_DIED_EXIT, NULL));
	done(&j, f);
	(void)state;
}

/* -- addresses --------------------------------------------------------------------------------- */

/* It asks at another port than the others, who are past the store or in it; or serves at one. */
static void one_looks_at_another_port(void **state)
{
	for (int who = 0; who < 4; who += 2) {
		struct facts *f = who ? two_of_four_in_init() : facts_new(4);
		struct judged j;

		for (int rank = 0; rank < 4; rank++) {
			if (who && rank % 2) {
				facts_trait(f, rank, "master", "node0:29500", -1);
				continue;
			}
			at_the_store(f, rank, rank ? "c10d_store_open" : "c10d_store_serve", 8);
			if (rank == who)
				f->ranks[rank].thread.detail = "node0:29501";
		}
		if (!who)
			facts_no_group(f);
		facts_expect_cause(
			f, VERDICT_NOT_STARTED, who ? "2" : "0", VERDICT_BY_ADDRESS);
		j = judge(f);
		assert_int_equal(j.v->at[0].confidence, VERDICT_ESTABLISHED);
		assert_int_equal(j.v->at[0].victims.n, 3);
		assert_true(tells(&j.v->at[0], FACT_ADDRESS, "node0:29500"));
		assert_true(tells(&j.v->at[0], FACT_ADDRESS, "node0:29501"));
		done(&j, f);
	}
}

/* The store is open under one name, and one asks for it under another. */
static void one_looks_at_another_host(void **state)
{
	struct facts *f = two_of_four_in_init();
	struct judged j;

	for (int rank = 0; rank < 4; rank++)
		if (rank % 2)
			facts_trait(f, rank, "master", "node0:29500", -1);
		else
			at_the_store(f, rank, rank ? "c10d_store_open" : "c10d_store_serve", 8);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	f->ranks[2].thread.detail = "node9:29500";
	facts_expect_cause(f, VERDICT_NOT_STARTED, "2", VERDICT_BY_ADDRESS);
	j = judge(f);
	assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
	done(&j, f);
}

/* One host has many names; two against two are no majority; who has met the others is right. */
static void other_addresses_that_are_none(void **state)
{
	struct facts *f = two_of_four_in_init();

	at_the_store(f, 0, "c10d_store_serve", 8);
	at_the_store(f, 2, "c10d_store_open", 8);
	f->ranks[0].thread.detail = "10.0.0.1:29500";
	assert_int_equal(facts_culprits(f), 0);
	f->ranks[0].thread.detail = "node0:29501";
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);

	f = facts_missing(4, 3, 40);
	for (int rank = 0; rank < 4; rank++)
		facts_trait(f, rank, "master", rank == 1 ? "a:2" : "a:1", -1);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	facts_free(f);
}

/* The store is open, all but one have come, and that one asks for it: nobody is late. */
static void one_that_does_not_find_the_store_is_not_late(void **state)
{
	struct facts *f = two_of_four_in_init();

	at_the_store(f, 0, "c10d_store_serve", 8);
	at_the_store(f, 2, "c10d_store_open", 8);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* A launcher's store is no rank's: where nobody finds it, rank 0 does not either. */
static void a_store_that_rank_0_does_not_find_is_not_its(void **state)
{
	struct facts *f = facts_new(4);

	facts_no_group(f);
	for (int rank = 0; rank < 4; rank++)
		at_the_store(f, rank, "c10d_store_open", 8);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_opened_the_store_waits_there),
		cmocka_unit_test(never_made_a_group_is_not_what_it_does),
		cmocka_unit_test(a_guess_about_most_is_a_guess),
		cmocka_unit_test(rank_0_comes_late_to_its_own_store),
		cmocka_unit_test(who_exits_before_init_exits_early),
		cmocka_unit_test(who_has_no_number_yet_is_there),
		cmocka_unit_test(while_the_others_start_an_exit_is_told),
		cmocka_unit_test(another_port_is_seen_without_a_ring),
		cmocka_unit_test(a_port_explains_nothing_behind_the_store),
		cmocka_unit_test(one_looks_at_another_port),
		cmocka_unit_test(one_looks_at_another_host),
		cmocka_unit_test(other_addresses_that_are_none),
		cmocka_unit_test(one_that_does_not_find_the_store_is_not_late),
		cmocka_unit_test(a_store_that_rank_0_does_not_find_is_not_its),
		cmocka_unit_test(rank_0_still_compiles),
		cmocka_unit_test(rank_0_is_in_its_own_code),
		cmocka_unit_test(rank_0_fetches_its_first_batch),
		cmocka_unit_test(rank_0_saves),
		cmocka_unit_test(rank_0_died),
		cmocka_unit_test(rank_0_waits_for_another),
		cmocka_unit_test(another_rank_is_late),
		cmocka_unit_test(one_late_rank_is_one_finding),
		cmocka_unit_test(an_id_that_does_not_arrive_blames_nobody),
		cmocka_unit_test(a_rank_0_that_cannot_be_read_is_not_accused),
		cmocka_unit_test(the_giver_of_a_small_group_is_known_by_word),
		cmocka_unit_test(a_start_is_not_yet_a_hang),
		cmocka_unit_test(all_but_one_wait_for_a_key),
		cmocka_unit_test(all_wait_for_a_key),
		cmocka_unit_test(half_of_them_wait_for_a_key),
		cmocka_unit_test(one_that_cannot_be_read_may_be_the_one),
		cmocka_unit_test(different_keys_point_at_nobody),
		cmocka_unit_test(one_never_came_to_the_first_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
