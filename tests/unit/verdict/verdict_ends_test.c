/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The earliest of many ends is found without comparing each with each: it must be what comparing
 * them finds. Of four hosts the clocks of the first and the second met exactly, those of the first
 * and the third within two seconds, and that of the fourth met none.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "job/clocks.h"
#include "tests/unit/facts.h"
#include "verdict/profiles/earlier.h"
#include "verdict/profiles/profile.h"

#define RANKS 12
#define HOSTS 4
#define DRAWS 3000

static struct job *job_of_four_clocks(void)
{
	struct facts *f = facts_new(RANKS);
	struct job *job;
	int rough;

	for (int rank = 0; rank < RANKS; rank++) {
		f->members[0][rank].fact.ready_at = JOB_UNKNOWN;
		facts_move(f, rank, rank % HOSTS);
	}
	facts_group_of(f, 2, 0, 1);
	rough = facts_group_of(f, 2, 0, 2);
	facts_rounds(f, rough, 9, 10, 0.5);
	for (int i = 0; i < 9; i++)
		f->members[rough][2].ops[i].entered += facts_ns(i % 3 - 1) - facts_ns(0);
	facts_set_clock(f, 1, 3);
	facts_set_clock(f, 2, -30);
	job = facts_job(f);
	facts_free(f);
	return job;
}

/* Ends at whole seconds, so that many are as far from each other as clocks are wrong. */
static void draw(struct profile *profiles, unsigned *seed)
{
	static const struct job_note gone = {.text = "Connection reset by peer"};
	static const double ahead[HOSTS] = {0, 3, -30, 0};

	for (int i = 0; i < RANKS; i++)
		profiles[i] = (struct profile){.death = (enum death)(rand_r(seed) % 7),
			.cause = rand_r(seed) % 2 ? VERDICT_BY_KILLED : VERDICT_BY_SIGNAL,
			.exception = rand_r(seed) % 4 ? NULL : &gone,
			.fault = rand_r(seed) % 8
					 ? facts_ns(60 + rand_r(seed) % 12 + ahead[i % HOSTS])
					 : JOB_UNKNOWN};
}

/* Compares with each. */
static enum job_known ended_after_another(const struct job *job, const struct clocks *clocks,
	const struct profile *profiles, struct rank_index rank)
{
	enum job_known after = JOB_NO;

	job_for_each_rank(job, at) {
		const struct profile *other = &profiles[at.i];
		int64_t behind = earlier_by(
			clocks, rank, profiles[rank.i].fault, at, other->fault);

		if (same_rank(at, rank) || !earlier_is_bad(other) || profile_tells_of_gone(other))
			continue;
		if (behind != JOB_UNKNOWN && behind > 0)
			return JOB_YES;
		after = behind == JOB_UNKNOWN ? JOB_MAYBE : after;
	}
	return after;
}

static void whether_another_came_before(void **state)
{
	struct job *job = job_of_four_clocks();
	struct clocks *clocks = clocks_new(job);
	struct profile profiles[RANKS];
	unsigned seed = 1, said[3] = {0};

	assert_int_equal(clocks_error(clocks, 0, 1), 0);
	assert_int_equal(clocks_error(clocks, 0, 2), facts_ns(2) - facts_ns(0));
	for (int i = 0; i < DRAWS; i++) {
		struct earlier_others *others;

		draw(profiles, &seed);
		others = earlier_others_new(job, clocks, profiles);
		job_for_each_rank(job, rank) {
			enum job_known after = ended_after_another(job, clocks, profiles, rank);

			assert_int_equal(earlier_others_ended(others, rank), after);
			said[after]++;
		}
		earlier_others_free(others);
	}
	for (int i = 0; i < 3; i++)
		assert_true(said[i] > DRAWS / 20);
	clocks_free(clocks);
	job_free(job);
	(void)state;
}

static void keep_first(int64_t *into, int64_t when)
{
	*into = when < *into ? when : *into;
}

/* Adds one end to the earliest that a clock shows. */
static void add(const struct clocks *clocks, struct rank_index rank, const struct profile *p,
	int clock, struct earlier_ends *ends)
{
	int theirs = clocks_of_rank(clocks, rank);
	int64_t when = clocks_move(clocks, p->fault, theirs, clock);
	int64_t error = clocks_error(clocks, theirs, clock);
	int64_t maybe = when == JOB_UNKNOWN ? INT64_MIN : when - error;
	bool ordered = p->death == DEATH_ECHO && p->cause == VERDICT_BY_KILLED;

	ends->untimed += when == JOB_UNKNOWN && !ordered &&
			 (p->death != DEATH_UNSURE || !profile_tells_of_gone(p));
	if (p->death == DEATH_OWN || p->death == DEATH_KILLED)
		keep_first(&ends->first_unordered, maybe);
	if (p->fault == JOB_UNKNOWN)
		return;
	if (!ordered)
		keep_first(&ends->maybe, maybe);
	if (p->death == DEATH_OWN)
		keep_first(&ends->first_own, maybe);
	if (when == JOB_UNKNOWN)
		return;
	keep_first(&ends->first, when + error);
	if (p->death == DEATH_OWN)
		keep_first(&ends->first_own_sure, when + error);
}

static void assert_ends(const struct job *job, const struct clocks *clocks,
	const struct profile *profiles, const struct earlier_ends *all)
{
	for (int clock = 0; clock < HOSTS; clock++) {
		const struct earlier_ends *ends = &all[clock];
		struct earlier_ends sought = {
			false, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, 0};

		job_for_each_rank(job, rank)
			if (earlier_is_bad(&profiles[rank.i]))
				add(clocks, rank, &profiles[rank.i], clock, &sought);
		if (!ends->found)
			continue;
		assert_int_equal(ends->first, sought.first);
		assert_int_equal(ends->maybe, sought.maybe);
		assert_int_equal(ends->first_own, sought.first_own);
		assert_int_equal(ends->first_own_sure, sought.first_own_sure);
		assert_int_equal(ends->first_unordered, sought.first_unordered);
		assert_int_equal(ends->untimed, sought.untimed);
	}
}

static void the_first_of_all_ends(void **state)
{
	struct job *job = job_of_four_clocks();
	struct clocks *clocks = clocks_new(job);
	struct profile profiles[RANKS];
	unsigned seed = 2;

	for (int i = 0; i < DRAWS; i++) {
		struct earlier_ends *ends;

		draw(profiles, &seed);
		ends = earlier_ends_new(job, clocks, profiles);
		assert_ends(job, clocks, profiles, ends);
		free(ends);
	}
	clocks_free(clocks);
	job_free(job);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whether_another_came_before),
		cmocka_unit_test(the_first_of_all_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
