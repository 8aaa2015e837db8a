/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of files are edges: who waits for one waits for the rank that has it. */
#include "tests/unit/bystacks.h"

#include "words/next.h"

#define READS_DATA DATASETS("read@libc.so.6 < ", "700")
#define IN_LOCK	   FILE_LOCKED "prepare@/home/me/data.py:12" MAIN
#define POLLS                                                                                      \
	"clock_nanosleep@libc.so.6 < acquire@" SITE "filelock/_api.py:300 < __enter__@" SITE       \
	"filelock/_api.py:376 < prepare@/home/me/data.py:12" MAIN

/* Without any ring: rank 0 is at one place, rank 1 in a file's lock, all others in a barrier. */
static struct facts *lock_without_rings(const char *zero, const char *one)
{
	struct facts *f = facts_new(8);

	facts_no_probe(f);
	for (int i = 0; i < 8; i++) {
		facts_stack(f, i, i == 0 ? zero : i == 1 ? one : BARRIER);
		f->ranks[i].process.locks_read = true;
	}
	return f;
}

/* The same by rings: what ranks 0 and 1 do only their stacks tell, or a barrier of rank 0 its ring.
 */
static struct facts *lock_with_rings(const char *zero, const char *one, bool zero_waits)
{
	struct facts *f = facts_new(8);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = zero_waits ? 0 : 2; i < 8; i++)
		if (i != 1)
			facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, 40);
	for (int i = 0; i < 2; i++) {
		if (i || !zero_waits)
			facts_outside(f, i, 40);
		facts_stack(f, i, i ? one : zero);
	}
	for (int i = 0; i < 8; i++)
		f->ranks[i].process.locks_read = true;
	return f;
}

static struct facts *lock(bool rings, const char *zero, const char *one)
{
	return rings ? lock_with_rings(zero, one, !strcmp(zero, BARRIER))
		     : lock_without_rings(zero, one);
}

/* Rank 1 is blocked for a lock that this process has. */
static void is_had_by(struct facts *f, uint32_t pid, uint64_t start_time, const char *name)
{
	struct job_process *process = &f->ranks[1].process;

	process->lock = "/cache/x.lock";
	process->lock_pid = pid;
	process->lock_start = start_time;
	process->lock_by = name;
}

static void is_had_by_rank(struct facts *f, int rank)
{
	is_had_by(f, f->ranks[rank].pid, 100 + f->ranks[rank].pid, "python");
	f->ranks[rank].process.lock_held = "/cache/x.lock";
}

static void the_rank_that_has_it_is_waited_for(void **state)
{
	for (int rings = 0; rings < 2; rings++) {
		struct facts *f = lock(rings, READS_DATA, IN_LOCK);
		struct judged j;

		is_had_by_rank(f, 0);
		facts_expect_where(f, VERDICT_HOST_STALL, "0", VERDICT_IN_INPUT);
		facts_expect(f, VERDICT_HOST_STALL, "0", "1-7");
		j = judge(f);
		assert_int_equal(j.v->n, 1);
		expect_says(&j, "rank 0 has the lock it waits for: /cache/x.lock");
		done(&j, f);
	}
	(void)state;
}

/* What somebody else has is nobody's fault here; but then no other rank has it. */
static void a_stranger_that_has_it_is_named(void **state)
{
	for (int rings = 0; rings < 2; rings++) {
		struct facts *f = lock(rings, READS_DATA, IN_LOCK);
		struct judged j;
		size_t at = 0;
		struct str next = {0};

		is_had_by(f, 4711, 99, "pip");
		facts_expect(f, VERDICT_HOST_STALL, NULL, NULL);
		assert_int_equal(facts_culprits(f), 3);
		j = judge(f);
		while (j.v->at[at].where != VERDICT_IN_LOCK)
			at++;
		assert_int_equal(j.v->at[at].confidence, VERDICT_SUPPORTED);
		j.v->at += at;
		expect_says(&j,
			"pip (pid 4711), no rank, has the lock it waits for: /cache/x.lock");
		next_add_text(&next, j.v, j.v->at, TENSE_LIVE);
		assert_non_null(strstr(str_text(&next), "why pip (pid 4711) keeps the lock that "));
		str_release(&next);
		j.v->at -= at;
		done(&j, f);
	}
	(void)state;
}

/* As on NFS, where another host has it: it is blocked, and nobody knows by whom. */
static void an_unknown_holder_stays_unknown(void **state)
{
	struct facts *f = lock(true, READS_DATA, IN_LOCK);
	struct judged j;

	is_had_by(f, 0, 0, "");
	j = judge(f);
	assert_int_equal(j.v->at[1].where, VERDICT_IN_LOCK);
	assert_int_equal(j.v->at[1].confidence, VERDICT_HYPOTHESIS);
	assert_false(says(j.v, "which"));
	done(&j, f);
	(void)state;
}

/* It asks again and again, so it is blocked for no lock; one rank there has the only one. */
static void the_only_holder_has_what_is_asked_for(void **state)
{
	for (int rings = 0; rings < 2; rings++) {
		struct facts *f = lock(rings, READS_DATA, POLLS);

		f->ranks[0].process.lock_held = "/cache/x.lock";
		facts_expect(f, VERDICT_HOST_STALL, "0", NULL);
		assert_int_equal(facts_culprits(f), 1);
		facts_free(f);
	}
	(void)state;
}

/* A file that was left there: no rank has it, and none can give it back. */
static void a_stale_file_is_told_as_such(void **state)
{
	struct facts *f = lock(true, BARRIER, POLLS);
	struct judged j;

	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_LOCK);
	j = judge(f);
	expect_says(&j, "no rank of its host has a lock: its file is stale, or somebody else's");
	verdicts_free(j.v);
	job_free(j.job);
	f->ranks[5].process.locks_read = false; /* that one may have it */
	j = judge(f);
	assert_false(says(j.v, "stale"));
	verdicts_free(j.v);
	job_free(j.job);
	f->ranks[5].process.locks_read = true;
	f->ranks[5].process.lock_open = "/cache/x.lock"; /* and so may this one */
	j = judge(f);
	assert_false(says(j.v, "stale"));
	done(&j, f);
	(void)state;
}

/* It went into the barrier with the lock, for which another waits before it comes: for ever. */
static void a_lock_taken_into_a_barrier_is_a_circle(void **state)
{
	for (int rings = 0; rings < 2; rings++) {
		struct facts *f = lock(rings, BARRIER, IN_LOCK);
		struct judged j;

		is_had_by_rank(f, 0);
		facts_expect(f, VERDICT_ORDER_INVERSION, "", NULL);
		assert_int_equal(facts_culprits(f), 0);
		j = judge(f);
		assert_int_equal(j.v->n, 1);
		assert_int_equal(j.v->at[0].outlook, VERDICT_KILL);
		assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
		expect_says(&j, "in the lock of /cache/x.lock; waits for rank 0");
		/* Who has it is known. */
		assert_int_equal(j.v->at[0].next, VERDICT_NEXT_FREE_LOCK);
		/* No number, and no group, but where a ring tells of them. */
		expect_says(&j, rings ? "in AllReduce #11 of world; waits for rank 1"
				      : "in barrier; waits for rank 1");
		done(&j, f);
	}
	(void)state;
}

/*
 * Rank 1 was looked at a while before the others, among them the one that had the lock then. Who
 * has stood in its call since then has it still, and they are a circle. Who came there later may
 * have given it away, and rank 1 may have gone on: nobody is in a circle.
 */
static void who_had_it_at_an_older_look_may_have_given_it_away(void **state)
{
	for (int gone_on = 0; gone_on < 2; gone_on++) {
		struct facts *f = facts_new(8);
		struct judged j;

		facts_rounds(f, 0, 10, 20, 0.5);
		for (int i = 0; i < 8; i++) {
			f->ranks[i].process.locks_read = true;
			if (i != 1)
				facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, gone_on ? 90 : 40);
		}
		facts_outside(f, 1, 30);
		facts_stack(f, 1, IN_LOCK)->when = facts_ns(70);
		f->ranks[1].process.looked = facts_ns(69);
		is_had_by_rank(f, 0);
		j = judge(f);
		if (gone_on) {
			facts_expect(f, VERDICT_INCONCLUSIVE, "", "0,2-7");
			assert_int_equal(j.first->next, VERDICT_NEXT_LOOK_AGAIN);
		} else {
			facts_expect(f, VERDICT_ORDER_INVERSION, "", "0-7");
			assert_int_equal(j.first->outlook, VERDICT_KILL);
		}
		done(&j, f);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rank_that_has_it_is_waited_for),
		cmocka_unit_test(a_stranger_that_has_it_is_named),
		cmocka_unit_test(an_unknown_holder_stays_unknown),
		cmocka_unit_test(the_only_holder_has_what_is_asked_for),
		cmocka_unit_test(a_stale_file_is_told_as_such),
		cmocka_unit_test(a_lock_taken_into_a_barrier_is_a_circle),
		cmocka_unit_test(who_had_it_at_an_older_look_may_have_given_it_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
