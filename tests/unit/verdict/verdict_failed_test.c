/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job has failed, its launcher told the ranks to end, and no rank that was seen died before: a
 * process that was no rank yet did, or a rank aborted behind the end of its script, or left early.
 */
#include "tests/unit/bystacks.h"

#define LAUNCHER 900 /* who started the ranks of facts_new() */

static void end_by_launcher(struct facts *f, int rank, double at)
{
	facts_signal(f, rank, 15, LAUNCHER, "", at);
	facts_end(f, rank, JOB_SIGNALED, 15, at + 0.1);
}

/* Processes of mp.spawn(): the last `unseen` of four have no number, the first of these is gone. */
static struct facts *spawned(int unseen, int signo)
{
	struct facts *f = facts_new(4);

	facts_no_group(f);
	f->failed = 1;
	for (int i = 0; i < 4 - unseen; i++)
		end_by_launcher(f, i, 30);
	for (int i = 4 - unseen; i < 4; i++) {
		struct job_process *process = facts_child(f, 0, "");

		facts_never_seen(f, i);
		process->ppid = LAUNCHER;
		process->end = i == 4 - unseen && !signo ? JOB_EXITED : JOB_SIGNALED;
		process->status = i > 4 - unseen ? 15 : signo ? signo : 1;
		process->ended = facts_ns(i == 4 - unseen ? 29.9 : 30.1);
		process->end_cite = "census:4";
	}
	return f;
}

/* It was the only one without a number, and is counted as the only rank that nobody saw. */
static void who_dies_before_it_has_a_number_is_named(void **state)
{
	for (int raises = 0; raises < 2; raises++) {
		struct facts *f = spawned(1, raises ? 0 : 9);
		struct judged j;

		facts_spawn_says(f, 3, raises ? "ValueError: oops" : "terminated with SIGKILL");
		facts_expect_cause(f, VERDICT_RANK_DEATH, "3",
			raises ? VERDICT_BY_EXCEPTION : VERDICT_BY_KILLED);
		assert_int_equal(facts_culprits(f), 1 << 3);
		j = judge(f);
		assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
		expect_says(&j, raises ? "ValueError: oops" : "died first of SIGKILL");
		assert_false(says(j.v, "all ranks were ended together"));
		assert_int_equal(j.v->unnumbered, 1);
		done(&j, f);
	}
	(void)state;
}

/* Which rank it would have been is not known: nobody is named, and what died is told. */
static void who_of_several_died_without_a_number_is_open(void **state)
{
	for (int said = 0; said < 2; said++) {
		struct facts *f = spawned(said ? 2 : 1, 9);
		struct judged j;

		if (said)
			facts_spawn_says(f, 2, "terminated with SIGKILL");
		facts_expect_cause(f, VERDICT_RANK_DEATH, "", VERDICT_BY_KILLED);
		assert_int_equal(facts_culprits(f), 0);
		j = judge(f);
		expect_says(&j, "died first of SIGKILL");
		assert_false(says(j.v, "all ranks were ended together"));
		done(&j, f);
	}
	(void)state;
}

/* It was told to end, too, or ended behind a rank: it tells of no cause. */
static void who_ends_behind_others_was_not_first(void **state)
{
	for (int i = 0; i < 4; i++) {
		struct facts *f = spawned(i == 3 ? 2 : 1, i == 1 ? 15 : i == 2 ? 0 : 9);
		struct job_process *last = &f->extra[f->nextra - 1].is.process;

		if (!i)
			last->ended = facts_ns(30.5);
		if (i == 2)
			last->status = 128 + 15;
		if (i == 3)
			last->ended = JOB_UNKNOWN; /* of another one, which may have been first */
		facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
		facts_free(f);
	}
	(void)state;
}

/* All ranks have numbers, or more lack than are here: it is none of them, or not the first. */
static void who_is_not_among_those_that_lack_is_not_told(void **state)
{
	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		struct facts *f = spawned(elsewhere, 0);
		struct job_process *process = elsewhere ? NULL : facts_child(f, 0, "");

		if (elsewhere) {
			facts_never_seen(f, 2);
		} else {
			process->ppid = LAUNCHER;
			process->end = JOB_EXITED;
			process->status = 1;
			process->ended = facts_ns(29.9);
			process->end_cite = "census:4";
		}
		facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
		facts_free(f);
	}
	(void)state;
}

/* gloo's threads outlive PyTorch's statics: a rank aborts, and torchrun fails for that. */
static void who_aborts_behind_its_script_fails_the_job(void **state)
{
	for (int unknown = 0; unknown < 2; unknown++) {
		struct facts *f = facts_new(4);
		struct judged j;

		f->group_makers[0] = "gloo";
		f->failed = 1;
		facts_rounds(f, 0, 5, 10, 1);
		facts_signal(f, 1, 6, 0, "pt_gloo_runloop", 30)->fatal = true;
		facts_end(f, 1, JOB_SIGNALED, 6, 30);
		for (int i = 0; i < 4; i++)
			if (i != 1)
				end_by_launcher(f, i, 30.5);
		if (unknown)
			facts_never_seen(f, 3);
		if (!unknown)
			facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_ABORT);
		assert_int_equal(facts_culprits(f), unknown ? 0 : 1 << 1);
		j = judge(f);
		assert_false(says(j.v, "all ranks were ended together"));
		if (!unknown)
			assert_int_equal(j.v->at[0].next, VERDICT_NEXT_DESTROY_GROUPS);
		done(&j, f);
	}
	(void)state;
}

#define GONE                                                                                       \
	"RuntimeError: [/gloo/transport/tcp/pair.cc:561] Connection closed by peer [127.0.0.1]:1"

/* Rank 1 left a pipeline: its neighbours died in their messages, and rank 3 waited for one. */
static void who_ends_in_a_message_for_a_leaver_is_its_victim(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 5, 10, 1);
	facts_end(f, 1, JOB_EXITED, 0, 30);
	facts_p2p(f, 0, 0, JOB_OP_SEND, 1, 29, false)->failed = true;
	facts_p2p(f, 0, 2, JOB_OP_RECV, 1, 29, false)->failed = true;
	facts_p2p(f, 0, 3, JOB_OP_RECV, 2, 29, false)->completed = JOB_NO;
	for (int i = 0; i < 4; i += 2) {
		facts_log(f, i, GONE);
		facts_end(f, i, JOB_EXITED, 1, 30.5);
	}
	end_by_launcher(f, 3, 30.6);
	facts_expect(f, VERDICT_EARLY_EXIT, "1", "0,2,3");
	assert_int_equal(facts_culprits(f), 1 << 1);
	j = judge(f);
	expect_says(&j, "its Send with rank 1 failed");
	done(&j, f);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_dies_before_it_has_a_number_is_named),
		cmocka_unit_test(who_of_several_died_without_a_number_is_open),
		cmocka_unit_test(who_ends_behind_others_was_not_first),
		cmocka_unit_test(who_is_not_among_those_that_lack_is_not_told),
		cmocka_unit_test(who_aborts_behind_its_script_fails_the_job),
		cmocka_unit_test(who_ends_in_a_message_for_a_leaver_is_its_victim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
