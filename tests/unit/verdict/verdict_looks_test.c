/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a rank was looked at. Nodes are looked at one after the other: what a rank did before the
 * others waited for it tells nothing, and where the clocks of two nodes never met, nobody knows
 * whether that is so.
 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <string.h>

#include "base/str.h"
#include "tests/unit/judged.h"
#include "words/everywhere.h"
#include "words/next.h"

/* True if the page says that this is missing of the last rank, and only of it. */
static bool needs(const struct judged *j, enum verdict_need need)
{
	for (size_t i = 0; i < j->v->nnot_judged; i++)
		if (j->v->not_judged[i].need == need && j->v->not_judged[i].ranks.n == 1 &&
			j->v->not_judged[i].ranks.at[0].i == (int)j->job->nranks - 1)
			return true;
	return false;
}

/* -- clocks that never met --------------------------------------------------------------------- */

/* Four ranks, of which no two nodes did anything together; the last is awaited since 10 or 60. */
static struct facts *nobody_met(void)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		f->members[0][i].fact.ready_at = JOB_UNKNOWN;
	return f;
}

static struct facts *held(void)
{
	struct facts *f = nobody_met();

	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 60);
	facts_outside(f, 3, 59);
	return f;
}

static struct facts *never_started(void)
{
	struct facts *f = nobody_met();

	for (int rank = 0; rank < 3; rank++)
		facts_in_init(f, 0, rank, 10);
	facts_candidate(f, 3);
	facts_stack(f, 3, "read@libc.so.6 < load@/me/data.py:7 < main@/me/train.py:3");
	return f;
}

static struct facts *compiles(void)
{
	struct facts *f = held();

	facts_span(f, 3, JOB_SPAN_COMPILE, "codegen", "0/0", 59, FACTS_OPEN);
	facts_cpu(f, 3, 1, 1, 0);
	return f;
}

static struct facts *loads(void)
{
	struct facts *f = held();

	facts_span(f, 3, JOB_SPAN_INPUT, "next", "", 59, FACTS_OPEN);
	return f;
}

static struct facts *saves(void)
{
	struct facts *f = held();

	facts_span(f, 3, JOB_SPAN_CHECKPOINT, "save", "/out/latest.pt", 59, FACTS_OPEN);
	return f;
}

static struct facts *is_stopped(void)
{
	struct facts *f = held();

	f->ranks[3].process.state = 'T';
	return f;
}

/* For a kill the question is another one: had the others long waited when it came? */
static struct facts *was_killed(void)
{
	struct facts *f = held();

	facts_end(f, 3, JOB_SIGNALED, SIGKILL, 60);
	return f;
}

static void expect_confidence(const struct judged *j, enum verdict_class class,
	enum verdict_confidence confidence, const char *when)
{
	const struct verdict *v = &j->v->at[0];

	if (v->class == class && v->confidence == confidence && v->culprits.n == 1)
		return;
	facts_print(j->v);
	fail_msg("expected %s, %s, %s", verdict_class_name(class),
		verdict_confidence_name(confidence), when);
}

/*
 * Alone on its node the rank may have been looked at long before: that it stays away is no more
 * than supported, and the page says what is missing. A peer on its own node that waits for it
 * settles it, and so does one node for all. (Not of a kill: others, on other nodes, may have waited
 * for longer than the peer.)
 */
static void what_clocks_do_not_tell_is_supported(void **state)
{
	static const struct {
		struct facts *(*make)(void);
		enum verdict_class class;
		enum verdict_confidence beside_a_peer;
	} stories[] = {
		{never_started, VERDICT_NOT_STARTED, VERDICT_ESTABLISHED},
		{compiles, VERDICT_COMPILE_SKEW, VERDICT_ESTABLISHED},
		{loads, VERDICT_HOST_STALL, VERDICT_ESTABLISHED},
		{saves, VERDICT_HOST_STALL, VERDICT_ESTABLISHED},
		{is_stopped, VERDICT_HOST_STALL, VERDICT_ESTABLISHED},
		{was_killed, VERDICT_RANK_DEATH, VERDICT_SUPPORTED},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		struct facts *f = stories[i].make();
		struct judged j = judge(f);

		expect_confidence(&j, stories[i].class, VERDICT_ESTABLISHED, "on one node");
		assert_false(needs(&j, NEED_TIMES));
		verdicts_free(j.v);
		job_free(j.job);
		facts_move(f, 3, 1);
		j = judge(f);
		expect_confidence(&j, stories[i].class, VERDICT_SUPPORTED, "on two nodes");
		assert_true(needs(&j, NEED_TIMES));
		verdicts_free(j.v);
		job_free(j.job);
		facts_move(f, 2, 1);
		j = judge(f);
		expect_confidence(&j, stories[i].class, stories[i].beside_a_peer, "beside a peer");
		assert_int_equal(needs(&j, NEED_TIMES),
			stories[i].beside_a_peer != VERDICT_ESTABLISHED);
		done(&j, f);
	}
}

/*
 * All were killed, those of one node five minutes before those of the other, or not: no clock
 * tells. Nobody is accused of it, and nothing is well for sure.
 */
static void kills_that_no_clock_compares(void **state)
{
	static const double later[] = {60.01, 360};

	(void)state;
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		struct facts *f = nobody_met();
		struct judged j;

		for (int rank = 0; rank < 4; rank++) {
			facts_end(f, rank, JOB_SIGNALED, SIGKILL, rank < 2 ? 60 : later[i]);
			if (rank >= 2)
				facts_move(f, rank, 1);
		}
		facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
		j = judge(f);
		assert_int_equal(j.v->nnot_judged, 1);
		assert_int_equal(j.v->not_judged[0].need, NEED_ORDER_OF_ENDS);
		done(&j, f);
	}
}

/* All were killed on one node, and of one of them nobody knows when. */
static void a_kill_of_which_no_time_is_known(void **state)
{
	struct facts *f = facts_new(4);

	(void)state;
	for (int rank = 0; rank < 4; rank++)
		facts_end(f, rank, JOB_SIGNALED, SIGKILL, 60);
	f->ranks[2].process.ended = JOB_UNKNOWN;
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	facts_free(f);
}

/* Its own end is one, whenever it was. */
static void an_end_of_its_own_needs_no_clock(void **state)
{
	struct facts *f = held();
	struct judged j;

	(void)state;
	facts_move(f, 3, 1);
	facts_note(f, 3, "KeyError: 'x'", 60);
	facts_end(f, 3, JOB_EXITED, 1, 60);
	j = judge(f);
	expect_confidence(&j, VERDICT_RANK_DEATH, VERDICT_ESTABLISHED, "of an exception");
	assert_false(needs(&j, NEED_TIMES));
	done(&j, f);
}

/*
 * Clocks that met in operations which both came to at very different times, may be off by that: a
 * look a few seconds after the others began to wait may have been before.
 */
static void what_clocks_tell_too_roughly_is_supported(void **state)
{
	struct facts *f = nobody_met();
	struct judged j;

	(void)state;
	facts_move(f, 3, 1);
	facts_rounds(f, 0, 9, 10, 0.5);
	for (int i = 0; i < 9; i++)
		f->members[0][3].ops[i].entered += (i % 3 - 1) * INT64_C(20000000000);
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 80);
	facts_span(f, 3, JOB_SPAN_COMPILE, "codegen", "0/0", 79, FACTS_OPEN);
	facts_cpu(f, 3, 1, 1, 0);
	j = judge(f);
	expect_confidence(&j, VERDICT_COMPILE_SKEW, VERDICT_SUPPORTED, "by rough clocks");
	assert_true(needs(&j, NEED_TIMES));
	done(&j, f);
}

/* -- looked at too early ----------------------------------------------------------------------- */

static void expect_next(const struct judged *j, enum tense tense, const char *expected)
{
	struct str words = {0};

	next_add_text(&words, j->v, &j->v->at[0], tense);
	assert_string_equal(str_text(&words), expected);
	str_release(&words);
}

/* Nobody is blamed by a look from before the others waited; the page says what to do. */
static void who_was_looked_at_before_is_to_be_looked_at_again(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	(void)state;
	facts_move(f, 3, 1);
	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 60);
	facts_outside(f, 3, 59.5);
	facts_cpu(f, 3, 1, 1, -1);
	f->hosts[1].gathered = facts_ns(60.2);
	j = judge(f);
	assert_int_equal(j.v->at[0].class, VERDICT_INCONCLUSIVE);
	assert_int_equal(j.v->at[0].culprits.n, 0);
	assert_int_equal(j.v->lack, VERDICT_LACKS_LOOK);
	assert_true(needs(&j, NEED_LOOK));
	assert_false(needs(&j, NEED_STATE));
	expect_next(&j, TENSE_LIVE,
		"look again, now that the others wait: inquest attach --hosts hostA,hostB; "
		"or on hostB (rank 3): inquest attach --all -o $(hostname).inq; "
		"then, where these files are: inquest diagnose *.inq");
	expect_next(&j, TENSE_RECORDED,
		"if it still hangs, look again: inquest attach --hosts hostA,hostB; "
		"or on hostB (rank 3): inquest attach --all -o $(hostname).inq; "
		"then, where these files are: inquest diagnose *.inq");
	expect_next(&j, TENSE_ENDED,
		"run it again under `inquest run` on each node: "
		"that looks when the others wait");
	done(&j, f);
}

/*
 * Beside threads of MPI that wait since `since` another one went on for so many seconds: the rank
 * may be in a step of twice that.
 */
static void hold_beside(struct facts *f, int rank, double since, double aside)
{
	struct facts_extra *extra = &f->extra[f->nextra++];

	f->members[0][rank].last_tid = 500 + (uint32_t)rank;
	facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 4096, since);
	*extra = (struct facts_extra){.kind = EXTRA_THREAD, .rank = rank, .of_ring = true};
	extra->is.thread = (struct job_thread){.tid = 500 + (uint32_t)rank,
		.name = "python",
		.state = JOB_THREAD_IN_CALL,
		.call = "MPI_Allreduce",
		.detail = "",
		.since = facts_ns(since),
		.cite = "ring:lane1"};
	facts_outside(f, rank, since + aside);
}

/*
 * Two on one node wait in one operation. The look at rank 2, on another node, was long enough after
 * the wait of rank 1, which has nothing beside it; that of rank 0 began earlier, and takes longer
 * to be one.
 */
static void of_several_waits_one_that_had_lasted_is_enough(void **state)
{
	struct facts *f = facts_new(3);
	struct judged j;

	(void)state;
	f->group_makers[0] = "mpi";
	f->completion = true;
	facts_move(f, 2, 1);
	facts_rounds(f, 0, 10, 20, 0.5);
	hold_beside(f, 0, 40, 19.5);
	hold_beside(f, 1, 60, -1);
	facts_outside(f, 2, 39);
	facts_span(f, 2, JOB_SPAN_INPUT, "next", "", 39, FACTS_OPEN);
	f->hosts[1].gathered = facts_ns(77);
	j = judge(f);
	assert_int_equal(j.v->at[0].class, VERDICT_HOST_STALL);
	assert_false(needs(&j, NEED_LOOK));
	done(&j, f);
}

/*
 * Where the ranks are of one step, what is looked at is the step on all of its nodes, not what is
 * on this one, which may be none of them; and on a node the step, not whatever runs there.
 */
static void expect_all_nodes(struct judged *j, const char *command)
{
	const char *by_slurm = strstr(command, "--slurm ");
	struct verdict asked = {.class = VERDICT_HOST_STALL, .group = -1,
		.next = VERDICT_NEXT_STACK_OF_RANK};
	struct str text = {0}, expected = {0};

	next_add_text(&text, j->v, &asked, TENSE_LIVE);
	str_printf(&expected, ": %s%s --stacks", by_slurm ? command : "inquest attach ",
		by_slurm ? "" : j->v->job->id);
	assert_non_null(strstr(str_text(&text), str_text(&expected)));
	str_cut(&text, 0);
	everywhere_add_key(&text, j->v->job);
	str_cut(&expected, 0);
	str_printf(&expected, "slurm:%s", by_slurm ? by_slurm + strlen("--slurm ") : "");
	assert_string_equal(str_text(&text), by_slurm ? str_text(&expected) : "--all");
	str_release(&text);
	str_release(&expected);
}

/* What ranks say of the step of Slurm that they are in; by which it then is to be looked at. */
static void a_step_of_slurm_is_looked_at_by_its_name(void **state)
{
	static const struct {
		const char *told[2], *command;
	} all[] = {
		{{"33.0", "33.0"}, "inquest attach --slurm 33.0"},
		{{"33.0", "33"}, "inquest attach --slurm 33"},
		{{"33.0", "33.1"}, "inquest attach --slurm 33"},
		{{"33", NULL}, "inquest attach --slurm 33"},
		{{"33.0", NULL}, "inquest attach --slurm 33.0"},
		{{"33.0", "331.0"}, "inquest attach --hosts hostA,hostB"},
		{{"33.0", "34.0"}, "inquest attach --hosts hostA,hostB"},
		{{"33.0", "33.0;reboot"}, "inquest attach --hosts hostA,hostB"},
		{{"-33.0", NULL}, "inquest attach --hosts hostA,hostB"},
		{{"33.", NULL}, "inquest attach --hosts hostA,hostB"},
		{{"33.4294967291", NULL}, "inquest attach --hosts hostA,hostB"},
		{{"", NULL}, "inquest attach --hosts hostA,hostB"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct facts *f = facts_new(4);
		struct str command = {0};
		struct judged j;

		facts_move(f, 3, 1);
		for (int rank = 0; rank < 2 && all[i].told[rank]; rank++)
			facts_trait(f, rank, "slurm", all[i].told[rank], -1);
		j = judge(f);
		assert_true(everywhere_add_command(&command, j.v->job, false));
		assert_string_equal(str_text(&command), all[i].command);
		str_cut(&command, 0);
		assert_true(everywhere_add_command(&command, j.v->job, true));
		assert_string_equal(str_text(&command), "inquest attach --hosts hostA,hostB");
		expect_all_nodes(&j, all[i].command);
		str_release(&command);
		done(&j, f);
	}
}

/*
 * Dumps say that rank 3 never came to the operation, and its stack shows it in one: it has gone on
 * since, or the stack is the older one.
 */
static void whose_stack_is_beyond_its_dump_has_gone_on(void **state)
{
	static const struct {
		const char *stack;
		int64_t dumped; /* s before the look; -1: nobody knows */
		bool named;
	} stories[] = {{"poll@libc.so.6 < load@/me/data.py:7 < main@/me/train.py:3", 5, true},
		{"poll@libc.so.6 < all_reduce@/env/torch/distributed/distributed_c10d.py:4181 < "
		 "main@/me/train.py:3", 5, false},
		{"poll@libc.so.6 < all_reduce@/env/torch/distributed/distributed_c10d.py:4181 < "
		 "main@/me/train.py:3", -1, false}};

	for (size_t i = 0; i < sizeof(stories) / sizeof(*stories); i++) {
		struct facts *f = held();
		struct judged j;

		for (int rank = 0; rank < 4; rank++) {
			f->ranks[rank].ring = false;
			f->ranks[rank].dump = true;
		}
		if (stories[i].dumped >= 0)
			f->ranks[3].process.seen = facts_ns(100 - (double)stories[i].dumped);
		facts_stack(f, 3, stories[i].stack)->when = facts_ns(100);
		facts_expect(f, stories[i].named ? VERDICT_HOST_STALL : VERDICT_INCONCLUSIVE,
			stories[i].named ? "3" : "", "0-2");
		j = judge(f);
		assert_int_equal(needs(&j, NEED_LOOK), !stories[i].named);
		done(&j, f);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_clocks_do_not_tell_is_supported),
		cmocka_unit_test(kills_that_no_clock_compares),
		cmocka_unit_test(a_kill_of_which_no_time_is_known),
		cmocka_unit_test(an_end_of_its_own_needs_no_clock),
		cmocka_unit_test(what_clocks_tell_too_roughly_is_supported),
		cmocka_unit_test(who_was_looked_at_before_is_to_be_looked_at_again),
		cmocka_unit_test(of_several_waits_one_that_had_lasted_is_enough),
		cmocka_unit_test(a_step_of_slurm_is_looked_at_by_its_name),
		cmocka_unit_test(whose_stack_is_beyond_its_dump_has_gone_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
