/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends of ranks on several nodes. Each story is told of one node first, whose clock orders all ends
 * and all signals; then of two, for every way to share out the ranks, with clocks that met, that
 * met roughly, and that never did. Setting the second node's clock by three seconds or an hour
 * changes nothing; and where less is known of the order nobody else is named, nor anything surer.
 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/facts.h"
#include "verdict/profiles/last-words.h"

#define RANKS    4
#define LAUNCHER 900
#define STRANGER 77
#define CLOSED   "RuntimeError: gloo/transport/tcp/pair.cc: Connection closed by peer"

static void told(struct facts *f, int rank, uint32_t sender, double at)
{
	facts_signal(f, rank, SIGTERM, sender, "python", at);
	facts_end(f, rank, JOB_SIGNALED, SIGTERM, at + 0.05);
}

static void others_told(struct facts *f, int rank, double at)
{
	for (int i = 0; i < RANKS; i++)
		if (i != rank)
			told(f, i, LAUNCHER, at);
}

/* Ten rounds, then all but `rank` are held in the next one. */
static struct facts *missing(int rank)
{
	return facts_missing(RANKS, rank, 59);
}

static struct facts *went_well(void)
{
	struct facts *f = facts_new(RANKS);

	facts_rounds(f, 0, 10, 20, 0.5);
	return f;
}

/* -- the stories ------------------------------------------------------------------------------- */

static void one_is_killed(struct facts *f)
{
	facts_end(f, 2, JOB_SIGNALED, SIGKILL, 60);
}

static void one_is_told(struct facts *f)
{
	told(f, 2, STRANGER, 60);
}

static void all_are_told_at_once(struct facts *f)
{
	for (int i = 0; i < RANKS; i++)
		told(f, i, LAUNCHER, 60 + 0.02 * i);
}

static void strangers_tell_all(struct facts *f)
{
	for (int i = 0; i < RANKS; i++)
		told(f, i, STRANGER, 60 + 0.02 * i);
}

static void all_are_killed_at_once(struct facts *f)
{
	for (int i = 0; i < RANKS; i++)
		facts_end(f, i, JOB_SIGNALED, SIGKILL, 60 + 0.02 * i);
}

static void a_kill_then_orders(struct facts *f)
{
	facts_end(f, 2, JOB_SIGNALED, SIGKILL, 60);
	others_told(f, 2, 61.5);
}

static void a_kill_then_kills(struct facts *f)
{
	for (int i = 0; i < RANKS; i++)
		facts_end(f, i, JOB_SIGNALED, SIGKILL, i == 2 ? 60 : 65);
}

static void an_exception_then_orders(struct facts *f)
{
	facts_note(f, 2, "ValueError: bad record", 60);
	facts_end(f, 2, JOB_EXITED, 1, 60.2);
	others_told(f, 2, 61);
}

static void an_exception_then_a_kill(struct facts *f)
{
	facts_note(f, 2, "ValueError: bad record", 60);
	facts_end(f, 2, JOB_EXITED, 1, 60.2);
	facts_end(f, 1, JOB_SIGNALED, SIGKILL, 65);
}

static void a_kill_then_an_exception(struct facts *f)
{
	facts_end(f, 1, JOB_SIGNALED, SIGKILL, 60);
	facts_note(f, 2, "ValueError: bad record", 65);
	facts_end(f, 2, JOB_EXITED, 1, 65.2);
}

static void an_order_then_echoes(struct facts *f)
{
	facts_signal(f, 2, SIGINT, STRANGER, "", 60);
	facts_log(f, 2, "KeyboardInterrupt");
	facts_end(f, 2, JOB_SIGNALED, SIGINT, 63);
	for (int i = 0; i < RANKS; i++) {
		if (i == 2)
			continue;
		facts_log(f, i, CLOSED);
		facts_signal(f, i, SIGTERM, LAUNCHER, "", 62.2);
		facts_end(f, i, JOB_SIGNALED, SIGTERM, 62.3);
	}
}

static void a_fault_then_aborts(struct facts *f)
{
	facts_signal(f, 2, SIGSEGV, 0, "python", 60);
	facts_end(f, 2, JOB_SIGNALED, SIGSEGV, 60);
	for (int i = 0; i < RANKS; i++)
		if (i != 2) {
			facts_signal(f, i, SIGABRT, 0, "pt_nccl_watchdg", 80 + i);
			facts_end(f, i, JOB_SIGNALED, SIGABRT, 80 + i);
		}
}

static void two_faults(struct facts *f)
{
	for (int i = 1; i < 3; i++) {
		facts_signal(f, i, SIGSEGV, 0, "python", i == 2 ? 60 : 65);
		facts_end(f, i, JOB_SIGNALED, SIGSEGV, i == 2 ? 60 : 65);
	}
}

static void one_leaves_and_others_die_of_it(struct facts *f)
{
	facts_end(f, 2, JOB_EXITED, 0, 60.1);
	for (int i = 0; i < 2; i++) {
		facts_note(f, i, CLOSED, 60.2);
		facts_end(f, i, JOB_EXITED, 1, 60.5);
	}
	told(f, 3, LAUNCHER, 60.8);
}

static void a_failure_and_its_echoes(struct facts *f)
{
	for (int i = 0; i < RANKS; i++) {
		facts_log(f, i, i == 2 ? "ValueError: bad record" : CLOSED);
		facts_end(f, i, JOB_EXITED, 1, i == 2 ? 60 : 60.3);
	}
}

static void a_kill_of_no_known_time(struct facts *f)
{
	facts_end(f, 1, JOB_SIGNALED, SIGKILL, 60);
	f->ranks[1].process.ended = JOB_UNKNOWN;
	facts_end(f, 2, JOB_SIGNALED, SIGKILL, 65);
}

static void a_hang_then_orders(struct facts *f)
{
	for (int i = 0; i < RANKS; i++)
		told(f, i, STRANGER, 90 + 0.02 * i);
}

static void a_hang_then_kills(struct facts *f)
{
	for (int i = 0; i < RANKS; i++)
		facts_end(f, i, JOB_SIGNALED, SIGKILL, i == 2 ? 90 : 95);
}

static void a_hang_and_one_victim_is_killed(struct facts *f)
{
	facts_end(f, 1, JOB_SIGNALED, SIGKILL, 80);
}

static void orders_one_by_one(struct facts *f)
{
	for (int i = 0; i < RANKS; i++) {
		facts_signal(f, i, SIGTERM, STRANGER, "python", 60 + 0.2 * i)->fatal = false;
		facts_signal(f, i, SIGTERM, LAUNCHER, "python", 60.3 + 0.2 * i);
		facts_end(f, i, JOB_SIGNALED, SIGTERM, 61 + 0.2 * i);
	}
}

static const struct story {
	const char *name;
	void (*tell)(struct facts *f);
} stories[] = {
#define STORY(fn)                                                                                  \
	{                                                                                          \
#fn, fn                                                                            \
	}
	STORY(one_is_killed),
	STORY(one_is_told),
	STORY(all_are_told_at_once),
	STORY(strangers_tell_all),
	STORY(all_are_killed_at_once),
	STORY(a_kill_then_orders),
	STORY(a_kill_then_kills),
	STORY(an_exception_then_orders),
	STORY(an_exception_then_a_kill),
	STORY(a_kill_then_an_exception),
	STORY(an_order_then_echoes),
	STORY(a_fault_then_aborts),
	STORY(two_faults),
	STORY(one_leaves_and_others_die_of_it),
	STORY(a_failure_and_its_echoes),
	STORY(a_kill_of_no_known_time),
	STORY(a_hang_then_orders),
	STORY(a_hang_then_kills),
	STORY(a_hang_and_one_victim_is_killed),
	STORY(orders_one_by_one),
#undef STORY
};
#define NSTORIES (sizeof(stories) / sizeof(*stories))

/* -- where it is told -------------------------------------------------------------------------- */

enum meeting { MET, MET_ROUGHLY, NEVER_MET, MEETINGS };
static const char *const meetings[] = {"met", "met roughly", "never met"};

static void forget_rounds(struct facts *f, int rank)
{
	struct facts_member *m = &f->members[0][rank];

	for (size_t i = 0; i < 10 && i < m->nops; i++)
		m->ops[i].entered = JOB_UNKNOWN;
}

/* The ranks of the mask are on a second node. */
static void share_out(struct facts *f, unsigned mask, enum meeting meeting)
{
	for (int i = 0; i < RANKS; i++) {
		struct facts_member *m = &f->members[0][i];

		if (!(mask >> i & 1))
			continue;
		facts_move(f, i, 1);
		if (meeting != MET)
			m->fact.ready_at = JOB_UNKNOWN;
		if (meeting == NEVER_MET)
			forget_rounds(f, i);
		for (size_t n = 0; meeting == MET_ROUGHLY && n < 10 && n < m->nops; n++)
			m->ops[n].entered += (int64_t)(n % 3) * 60000000;
	}
}

struct said {
	struct job *job;
	struct verdicts *v;
};

static struct said judge(const struct facts *f)
{
	struct said said = {.job = facts_job(f)};

	said.v = verdicts_of(said.job);
	return said;
}

static void release(struct said *said)
{
	verdicts_free(said->v);
	job_free(said->job);
}

static uint64_t bits(struct verdict_ranks ranks)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < ranks.n; i++)
		bits |= UINT64_C(1) << ranks.at[i].i;
	return bits;
}

static uint64_t all_culprits(const struct verdicts *v)
{
	uint64_t all = 0;

	for (size_t i = 0; i < v->n; i++)
		all |= bits(v->at[i].culprits);
	return all;
}

static bool is_same(const struct verdicts *a, const struct verdicts *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; same && i < a->n; i++)
		same = a->at[i].class == b->at[i].class &&
		       a->at[i].confidence == b->at[i].confidence &&
		       a->at[i].cause == b->at[i].cause &&
		       bits(a->at[i].culprits) == bits(b->at[i].culprits);
	return same;
}

static bool says_so(const struct verdicts *whole, const struct verdict *verdict)
{
	for (size_t i = 0; i < whole->n; i++)
		if (whole->at[i].class == verdict->class &&
			bits(whole->at[i].culprits) == bits(verdict->culprits))
			return true;
	return false;
}

/* Returns whether nothing is said of less that the whole does not say. */
static bool says_no_more(const struct verdicts *whole, const struct verdicts *less)
{
	bool good = true;

	for (size_t i = 0; i < less->n; i++) {
		const struct verdict *verdict = &less->at[i];

		if (verdict->confidence > VERDICT_HYPOTHESIS)
			good &= !(bits(verdict->culprits) & ~all_culprits(whole));
		if (verdict->confidence == VERDICT_ESTABLISHED && verdict->culprits.n)
			good &= says_so(whole, verdict);
	}
	return good;
}

/* -- the laws ---------------------------------------------------------------------------------- */

/* Returns how often another time of the second node's clock changed what is said. */
static size_t check_clocks(const char *where, const struct facts *f, const struct verdicts *v)
{
	static const double seconds[] = {-3600, 3};
	size_t wrong = 0;

	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
		struct facts *set = facts_copy(f);
		struct said other;

		facts_set_clock(set, 1, seconds[i]);
		other = judge(set);
		if (!is_same(v, other.v)) {
			fprintf(stderr, "%s: another with its clock set by %g s\n", where,
				seconds[i]);
			facts_print(v);
			facts_print(other.v);
			wrong++;
		}
		release(&other);
		facts_free(set);
	}
	return wrong;
}

static size_t check(const char *name, const struct facts *f, const struct verdicts *whole,
	unsigned mask, enum meeting meeting)
{
	struct facts *apart = facts_copy(f);
	struct said said;
	char where[140];
	size_t wrong;

	share_out(apart, mask, meeting);
	said = judge(apart);
	snprintf(where, sizeof(where), "%s, mask %x, %s", name, mask, meetings[meeting]);
	wrong = check_clocks(where, apart, said.v);
	if (!says_no_more(whole, said.v)) {
		fprintf(stderr, "%s: says more\n", where);
		facts_print(whole);
		facts_print(said.v);
		wrong++;
	}
	release(&said);
	facts_free(apart);
	return wrong;
}

/* Of two nodes it is all one which is the second: half of the ways are all. */
static size_t check_all(const char *name, const struct facts *f)
{
	struct said whole = judge(f);
	size_t wrong = 0;

	for (unsigned mask = 1; mask < 1u << (RANKS - 1); mask++)
		for (enum meeting meeting = MET; meeting < MEETINGS; meeting++)
			wrong += check(name, f, whole.v, mask, meeting);
	release(&whole);
	return wrong;
}

/* Which of two kills 5 s apart was first nobody knows, where no time of one is known. */
static void a_kill_of_no_known_time_may_have_been_the_first(void **state)
{
	struct facts *f = went_well();

	a_kill_of_no_known_time(f);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	(void)state;
}

/* The kernel killed one for its memory: nobody knows which, unless it killed both. */
static void a_kill_of_no_known_time_may_be_for_memory(void **state)
{
	for (int killed = 1; killed <= 2; killed++) {
		struct facts *f = went_well();

		a_kill_of_no_known_time(f);
		f->hosts[0].oom_kills = killed;
		if (killed == 1)
			assert_int_equal(facts_culprits(f), 0);
		else
			facts_expect_cause(f, VERDICT_RANK_DEATH, "1,2", VERDICT_BY_OOM_KILL);
		facts_free(f);
	}
	(void)state;
}

/* Kills of one moment are the end of the job, however roughly two nodes' clocks met. */
static void kills_of_one_moment_end_the_job(void **state)
{
	for (enum meeting meeting = MET; meeting < NEVER_MET; meeting++) {
		struct facts *f = went_well();

		all_are_killed_at_once(f);
		share_out(f, 0xa, meeting);
		facts_expect(f, VERDICT_HEALTHY, "", "");
		facts_free(f);
	}
	(void)state;
}

static void no_clock_decides_who_ended_first(void **state)
{
	size_t wrong = 0;

	for (size_t i = 0; i < NSTORIES; i++)
		for (int waits = 0; waits < 2; waits++) {
			struct facts *f = waits ? missing(2) : went_well();
			char name[100];

			stories[i].tell(f);
			snprintf(name, sizeof(name), "%s%s", stories[i].name,
				waits ? ", and others wait" : "");
			wrong += check_all(name, f);
			facts_free(f);
		}
	assert_int_equal(wrong, 0);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kill_of_no_known_time_may_have_been_the_first),
		cmocka_unit_test(a_kill_of_no_known_time_may_be_for_memory),
		cmocka_unit_test(kills_of_one_moment_end_the_job),
		cmocka_unit_test(no_clock_decides_who_ended_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
