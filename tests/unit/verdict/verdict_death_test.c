/* SPDX-License-Identifier: Apache-2.0 */
/* Rank deaths: causes, effects and the end of a job (S06, S16, S19b, S25-S34, S42, S54). */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>

#include "tests/unit/judged.h"
#include "tests/unit/launcher.h"
#include "verdict/profiles/profile.h"
#include "words/things.h"

static void s06_oom_killed_during_compile(void **state)
{
	struct facts *f = facts_missing(4, 2, 59);

	facts_span(f, 2, JOB_SPAN_COMPILE, "async_compile", "", 30, FACTS_OPEN);
	facts_end(f, 2, JOB_SIGNALED, SIGKILL, 60);
	f->hosts[0].oom_kills = 1;
	facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_OOM_KILL);
	facts_free(f);
}

static void a_kill_without_the_counter_is_no_oom(void **state)
{
	struct facts *f = facts_missing(4, 2, 59);

	facts_end(f, 2, JOB_SIGNALED, SIGKILL, 60);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_KILLED);
	facts_free(f);
}

static void s16_exit_0_while_others_wait(void **state)
{
	struct facts *f = facts_missing(4, 2, 59);

	facts_end(f, 2, JOB_EXITED, 0, 60);
	facts_expect(f, VERDICT_EARLY_EXIT, "2", "0,1,3");
	facts_free(f);
}

static void an_exit_0_that_nobody_misses_is_fine(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++)
		facts_end(f, i, JOB_EXITED, 0, 90);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

static void s19b_a_killed_loader_raises_in_its_rank(void **state)
{
	struct facts *f = facts_missing(4, 1, 59);
	struct job_process *worker = facts_child(f, 1, "pt_data_worker");

	worker->end = JOB_SIGNALED;
	worker->status = SIGKILL;
	worker->ended = facts_ns(58);
	facts_note(f, 1, "RuntimeError: DataLoader worker (pid 5001) is killed by signal", 59);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_CHILD_DEATH);
	facts_free(f);
}

/* What to do about a child's death depends on how it died. */
static void s19b_the_advice_is_by_how_the_child_died(void **state)
{
	static const struct {
		int signo;
		int64_t oom_kills;
		enum verdict_next next;
	} deaths[] = {
		{SIGKILL, JOB_UNKNOWN, VERDICT_NEXT_CUT_MEMORY},
		{SIGKILL, 1, VERDICT_NEXT_CUT_MEMORY},
		{SIGKILL, 0, VERDICT_NEXT_DEAD_CHILD},
		{SIGBUS, JOB_UNKNOWN, VERDICT_NEXT_RAISE_SHM},
		{SIGABRT, JOB_UNKNOWN, VERDICT_NEXT_DEAD_CHILD},
		{SIGSEGV, 1, VERDICT_NEXT_DEAD_CHILD},
	};

	for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
		struct facts *f = facts_missing(4, 1, 59);
		struct job_process *worker = facts_child(f, 1, "pt_data_worker");
		struct verdicts *verdicts;
		struct job *job;

		worker->end = JOB_SIGNALED;
		worker->status = deaths[i].signo;
		worker->ended = facts_ns(58);
		f->hosts[0].oom_kills = deaths[i].oom_kills;
		facts_note(f, 1, "RuntimeError: DataLoader worker (pid 5001) is killed by signal",
			59);
		job = facts_job(f);
		verdicts = verdicts_of(job);
		assert_int_equal(verdicts->at[0].cause, VERDICT_BY_CHILD_DEATH);
		assert_int_equal(verdicts->at[0].next, deaths[i].next);
		verdicts_free(verdicts);
		job_free(job);
		facts_free(f);
	}
}

static void s27_a_cuda_error_in_the_watchdog_is_its_own(void **state)
{
	struct facts *f = facts_missing(4, 1, 59);

	facts_signal(f, 1, SIGABRT, 0, "pt_nccl_watchdg", 65);
	facts_end(f, 1, JOB_SIGNALED, SIGABRT, 65);
	facts_log(f, 1, "CUDA error: an illegal memory access was encountered");
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_CUDA_ERROR);
	facts_free(f);
}

static void s28_a_segfault(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);

	facts_signal(f, 3, SIGSEGV, 0, "python", 59);
	facts_end(f, 3, JOB_SIGNALED, SIGSEGV, 59);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "3", VERDICT_BY_SIGNAL);
	facts_free(f);
}

/* The place that is told of a rank that died of SIGSEGV in its thread 7, with this stack of it. */
static void died_in(const char *frames, enum job_stack_how how, const char *place)
{
	struct facts *f = facts_new(4);
	struct verdicts *verdicts;
	struct job *job;
	struct str told = {0};

	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 4096, 30);
	facts_signal(f, 2, SIGSEGV, 0, "python", 29)->tid = 7;
	facts_end(f, 2, JOB_SIGNALED, SIGSEGV, 29);
	facts_stack_of(f, 2, "python", 7, frames)->how = how;
	job = facts_job(f);
	verdicts = verdicts_of(job);
	for (size_t i = 0; i < verdicts->at[0].nevidence; i++)
		if (verdicts->at[0].evidence[i].kind == FACT_DIED_IN)
			things_add(&told, verdicts->at[0].evidence[i].thing);
	assert_string_equal(str_text(&told), place);
	str_release(&told);
	assert_int_equal(verdicts->at[0].next,
		*place ? VERDICT_NEXT_READ_STACK : VERDICT_NEXT_LOOK_AT_CORE);
	verdicts_free(verdicts);
	job_free(job);
	facts_free(f);
}

static void a_death_says_in_which_code(void **state)
{
	died_in("pack@/src/pack.c:12 < send@libx.so < step@/me/train.py:40", JOB_STACK_CORE,
		"pack (pack.c:12) < send (libx.so) < ... < step (train.py:40)");
	/* How a signal is raised is of no interest; the line of the program is. */
	died_in("__pthread_kill_implementation@libc.so.6 < raise@libc.so.6 < abort@libc.so.6 < "
		"c10d::detail::SocketImpl::waitForInputForVeryLong@libtorch_cpu.so < "
		"step@/me/train.py:40",
		JOB_STACK_FATAL,
		"c10d::detail::SocketImpl::waitForInputForVeryLong (libtorch_cpu.so) "
		"< ... < step (train.py:40)");
	/* What it did before is no place of a death. */
	died_in("poll@libc.so.6 < step@/me/train.py:40", JOB_STACK_PEEKED, "");
}

static void a_death_is_told_before_anybody_waits_long(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 99.5);
	facts_signal(f, 3, SIGSEGV, 0, "python", 99.4);
	facts_end(f, 3, JOB_SIGNALED, SIGSEGV, 99.4);
	facts_expect(f, VERDICT_RANK_DEATH, "3", "");
	facts_free(f);
}

static void s29_an_exception_long_before_the_death(void **state)
{
	struct facts *f = facts_missing(4, 0, 59);

	facts_note(f, 0, "ValueError: bad sample", 58);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "0", VERDICT_BY_EXCEPTION);
	facts_free(f);
}

static void an_exit_1_without_words(void **state)
{
	struct facts *f = facts_missing(4, 0, 59);

	facts_end(f, 0, JOB_EXITED, 1, 59);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "0", VERDICT_NO_CAUSE);
	facts_free(f);
}

/* S30: the watchdogs of those who wait abort first; the one they wait for dies last. */
static void s30_the_first_death_is_a_victim(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);

	add_launcher(f);
	for (int i = 0; i < 3; i++) {
		facts_signal(f, i, SIGABRT, 0, "pt_nccl_watchdg", 90 + i);
		facts_end(f, i, JOB_SIGNALED, SIGABRT, 90 + i);
	}
	told_to_end(f, 3, 95);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	facts_free(f);
}

static void s30b_the_cascade_hides_a_compile(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);

	facts_span(f, 3, JOB_SPAN_COMPILE, "codegen", "", 30, FACTS_OPEN);
	for (int i = 0; i < 3; i++) {
		facts_signal(f, i, SIGABRT, 0, "pt_nccl_watchdg", 90 + i);
		facts_end(f, i, JOB_SIGNALED, SIGABRT, 90 + i);
	}
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	facts_free(f);
}

static void s31_a_launcher_ends_the_others(void **state)
{
	struct facts *f = facts_new(4);

	add_launcher(f);
	facts_rounds(f, 0, 10, 20, 0.5);
	facts_note(f, 1, "KeyError: 'labels'", 30);
	facts_end(f, 1, JOB_EXITED, 1, 30.2);
	for (int i = 0; i < 4; i++)
		if (i != 1)
			told_to_end(f, i, 30.4);
	facts_expect(f, VERDICT_RANK_DEATH, "1", NULL);
	assert_int_equal(facts_culprits(f), 1 << 1);
	facts_free(f);
}

static void s31b_the_killed_one_and_the_told_ones(void **state)
{
	struct facts *f = facts_new(4);

	add_launcher(f);
	facts_rounds(f, 0, 10, 20, 0.5);
	facts_end(f, 2, JOB_SIGNALED, SIGKILL, 30);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			told_to_end(f, i, 30.1);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_KILLED);
	facts_free(f);
}

/* S32: told to end, did not, was killed half a minute later: a victim. */
static void s32_a_kill_after_an_order_is_an_effect(void **state)
{
	struct facts *f = facts_new(4);

	add_launcher(f);
	facts_rounds(f, 0, 10, 20, 0.5);
	facts_note(f, 1, "KeyError: 'labels'", 30);
	facts_end(f, 1, JOB_EXITED, 1, 30.2);
	for (int i = 0; i < 4; i++)
		if (i != 1 && i != 2)
			told_to_end(f, i, 30.4);
	facts_signal(f, 2, SIGTERM, LAUNCHER, "python", 30.4)->fatal = false;
	facts_end(f, 2, JOB_SIGNALED, SIGKILL, 60);
	facts_expect(f, VERDICT_RANK_DEATH, "1", NULL);
	assert_int_equal(facts_culprits(f), 1 << 1);
	facts_free(f);
}

/* S33: node B is told to end by its own agent; the fault is on node A. */
static void s33_the_other_node_only_restarts(void **state)
{
	struct facts *f = facts_new(8);

	for (int i = 4; i < 8; i++)
		facts_move(f, i, 1);
	facts_rounds(f, 0, 10, 20, 0.5);
	facts_signal(f, 1, SIGSEGV, 0, "python", 30);
	facts_end(f, 1, JOB_SIGNALED, SIGSEGV, 30);
	for (int i = 4; i < 8; i++)
		told_to_end(f, i, 40);
	facts_expect(f, VERDICT_RANK_DEATH, "1", NULL);
	assert_int_equal(facts_culprits(f), 1 << 1);
	facts_free(f);
}

static void s34_the_store_died_with_its_host(void **state)
{
	struct facts *f = facts_missing(4, 0, 59);

	facts_end(f, 0, JOB_SIGNALED, SIGKILL, 59);
	for (int i = 1; i < 4; i++) {
		facts_log(f, i, "TCPStore: Broken pipe");
		facts_signal(f, i, SIGABRT, 0, "pt_nccl_heartbt", 80);
		facts_end(f, i, JOB_SIGNALED, SIGABRT, 80);
	}
	facts_expect(f, VERDICT_RANK_DEATH, "0", "1-3");
	facts_free(f);
}

static void killed_all_at_once_is_the_end_of_the_job(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++)
		facts_end(f, i, JOB_SIGNALED, SIGKILL, 80);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

/* A launcher that kills the others at once for one that was killed looks the same. */
static void killed_all_at_once_by_nobody_known_is_not_sure(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++)
		facts_end(f, i, JOB_SIGNALED, SIGKILL, 80);
	j = judge(f);
	assert_int_equal(j.first->class, VERDICT_HEALTHY);
	assert_int_equal(j.first->confidence, VERDICT_SUPPORTED);
	assert_int_equal(j.v->nnot_judged, 1);
	assert_int_equal(j.v->not_judged[0].class, VERDICT_RANK_DEATH);
	assert_int_equal(j.v->not_judged[0].need, NEED_SENDER);
	done(&j, f);
}

#define CLOSED "RuntimeError: gloo/transport/tcp/pair.cc: Connection closed by peer"

/* atexit() with os._exit(0), or a launcher that makes up a status: they died of what they said. */
static void exceptions_behind_a_status_of_0_are_deaths(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++) {
		facts_note(f, i, "ValueError: no such key", 30 + 0.01 * i);
		facts_end(f, i, JOB_EXITED, 0, 30.5);
	}
	facts_expect_cause(f, VERDICT_RANK_DEATH, "0-3", VERDICT_BY_EXCEPTION);
	facts_free(f);
}

/* With gloo the peers of one that left fail at once, and the launcher ends the rest. */
static void an_early_exit_of_which_peers_fail_at_once(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 60);
	facts_end(f, 1, JOB_EXITED, 0, 60.1);
	for (int i = 0; i < 4; i += 2) {
		facts_note(f, i, CLOSED, 60.2);
		facts_end(f, i, JOB_EXITED, 1, 60.5);
	}
	facts_note(f, 3, CLOSED, 60.3);
	told_to_end(f, 3, 60.8);
	facts_expect(f, VERDICT_EARLY_EXIT, "1", NULL);
	assert_int_equal(facts_culprits(f), 1 << 1);
	facts_free(f);
}

/* It speaks of others, but nobody had ended before: the launcher ended them because of it. */
static void the_first_to_fail_is_not_the_end_of_the_job(void **state)
{
	struct facts *f = facts_new(4);

	add_launcher(f);
	facts_rounds(f, 0, 10, 20, 0.5);
	facts_note(f, 1, "RuntimeError: Gloo connectFullMesh failed, Connection refused", 60);
	facts_end(f, 1, JOB_EXITED, 1, 60.5);
	for (int i = 0; i < 4; i++)
		if (i != 1)
			told_to_end(f, i, 60.7);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_EXCEPTION);
	assert_int_equal(facts_culprits(f), 1 << 1);
	facts_free(f);
}

static void killed_all_at_once_in_a_hang_keeps_its_culprit(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);

	facts_span(f, 3, JOB_SPAN_COMPILE, "codegen", "", 30, FACTS_OPEN);
	for (int i = 0; i < 4; i++)
		facts_end(f, i, JOB_SIGNALED, SIGKILL, 90);
	facts_expect(f, VERDICT_COMPILE_SKEW, "3", "0-2");
	facts_free(f);
}

/* The others' exceptions only tell of the failing one. */
static void exceptions_of_those_who_wait_are_echoes(void **state)
{
	struct facts *f = facts_missing(4, 2, 59);

	facts_signal(f, 2, SIGBUS, 0, "python", 60);
	facts_end(f, 2, JOB_SIGNALED, SIGBUS, 60);
	for (int i = 0; i < 4; i++) {
		if (i == 2)
			continue;
		facts_note(f, i, "DistBackendError: NCCL error: remote process exited", 70);
		facts_end(f, i, JOB_EXITED, 1, 71);
	}
	facts_expect(f, VERDICT_RANK_DEATH, "2", "0,1,3");
	assert_int_equal(facts_culprits(f), 1 << 2);
	facts_free(f);
}

static void an_abort_of_a_watchdog_that_nothing_else_explains(void **state)
{
	struct facts *f = facts_missing(4, 2, 59);

	facts_signal(f, 2, SIGABRT, 0, "pt_nccl_watchdg", 59);
	facts_end(f, 2, JOB_SIGNALED, SIGABRT, 59);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_ABORT);
	facts_free(f);
}

/* S54: a rank that waited for nothing dies of the dump signal of others. */
static void s54_a_dump_signal_is_an_effect(void **state)
{
	struct facts *f = facts_missing(4, 1, 59);

	facts_span(f, 1, JOB_SPAN_INPUT, "next batch", "", 58, FACTS_OPEN);
	for (int i = 0; i < 4; i++) {
		if (i == 1)
			continue;
		facts_signal(f, i, SIGABRT, 0, "pt_nccl_watchdg", 80);
		facts_end(f, i, JOB_SIGNALED, SIGABRT, 80);
	}
	facts_signal(f, 1, SIGABRT, 0, "pt_nccl_heartbt", 95);
	facts_end(f, 1, JOB_SIGNALED, SIGABRT, 95);
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_INPUT);
	facts_free(f);
}

/* It died inside an operation that all had entered: nothing else can explain that it stands. */
static void a_death_inside_an_op_of_all(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, 40);
	facts_end(f, 1, JOB_SIGNALED, SIGKILL, 42);
	facts_expect(f, VERDICT_RANK_DEATH, "1", "0,2,3");
	facts_free(f);
}

/* All were in it; half a minute later the first watchdog fires: the op stood before the death. */
static void a_watchdog_in_an_op_of_all_is_an_effect(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, 40);
	facts_signal(f, 1, SIGABRT, 0, "pt_nccl_watchdg", 70);
	facts_end(f, 1, JOB_SIGNALED, SIGABRT, 70);
	facts_expect(f, VERDICT_TRANSPORT_STALL, "", "0-3");
	facts_free(f);
}

/* A rank that left in good order had its last completion tracked by nobody. */
static void a_clean_end_leaves_nothing_open(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < 4; i++) {
		f->members[0][i].fact.done = 9;
		f->members[0][i].fact.state = JOB_MEMBER_GONE;
		if (i)
			facts_end(f, i, JOB_EXITED, 0, 80);
	}
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

static void gone_without_a_word_inside_an_op_of_all(void **state)
{
	struct facts *f = facts_new(4);

	for (int i = 0; i < 4; i++)
		facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 4096, 40);
	facts_end(f, 1, JOB_GONE, 0, 41);
	facts_expect(f, VERDICT_RANK_DEATH, "1", "0,2,3");
	facts_free(f);
}

/* Somebody kills the rank that all had long been waiting for: it was late before it died. */
static void a_late_rank_that_is_killed_was_late(void **state)
{
	struct facts *f = facts_missing(4, 1, 59);

	facts_span(f, 1, JOB_SPAN_INPUT, "next batch", "", 58, FACTS_OPEN);
	facts_end(f, 1, JOB_SIGNALED, SIGKILL, 90);
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_INPUT);
	facts_free(f);
}

/* It computed for a while longer than its peers, and somebody killed it: that it was killed. */
static void a_rank_that_is_killed_soon_after_is_dead(void **state)
{
	struct facts *f = facts_missing(4, 1, 59);

	facts_end(f, 1, JOB_SIGNALED, SIGKILL, 64);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_KILLED);
	facts_free(f);
}

/* One alone was told to end, and did, while the others go on: they wait for it. */
static void a_lone_order_to_end_is_a_kill(void **state)
{
	struct facts *f = facts_missing(4, 1, 59);

	add_launcher(f);
	told_to_end(f, 1, 59.5);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "1", VERDICT_BY_KILLED);
	facts_free(f);
}

/* All were killed at once, after one had kept the others waiting: that is what was wrong. */
static void the_end_of_a_job_that_stood_still(void **state)
{
	struct facts *f = facts_missing(4, 1, 59);

	for (int i = 0; i < 4; i++)
		facts_end(f, i, JOB_SIGNALED, SIGKILL, 65 + 0.01 * i);
	facts_expect(f, VERDICT_HOST_STALL, "1", NULL);
	facts_free(f);
}

/* It told of an exception, and went on: it handled it. */
static void an_exception_that_was_outlived_is_none(void **state)
{
	struct facts *f = facts_new(4);

	facts_note(f, 1, "exception: ValueError: retried", 15);
	facts_rounds(f, 0, 10, 20, 0.5);
	facts_expect(f, VERDICT_HEALTHY, "", "");
	facts_free(f);
}

/* Replays are not recorded, so nobody is known to wait for it; but gone it is. */
static void a_rank_gone_among_replays_is_dead(void **state)
{
	struct facts *f = facts_new(4);

	facts_rounds(f, 0, 3, 10, 0.5);
	for (int i = 0; i < 4; i++) {
		f->members[0][i].fact.saw_capture = true;
		facts_sync(f, i, 20);
	}
	facts_outside(f, 2, 20);
	facts_end(f, 2, JOB_GONE, 0, 21);
	facts_expect(f, VERDICT_RANK_DEATH, "2", NULL);
	facts_free(f);
}

static void a_rank_whose_end_is_known_and_ring_is_not(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);

	facts_lose_ring(f, 3);
	facts_end(f, 3, JOB_SIGNALED, SIGKILL, 59);
	facts_expect(f, VERDICT_RANK_DEATH, "3", "0-2");
	facts_free(f);
}

/* Whose signal's sender is lost with its ring was told to end like the others. */
static void an_order_soon_after_a_kill_needs_no_sender(void **state)
{
	struct facts *f = facts_new(4);
	struct profile *profiles;
	struct clocks *clocks;
	struct posture *postures;
	struct waits *waits;
	struct job *job;

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_end(f, 2, JOB_SIGNALED, SIGKILL, 95.1);
	facts_end(f, 0, JOB_SIGNALED, SIGTERM, 95.3);
	facts_lose_ring(f, 0);
	job = facts_job(f);
	waits = waits_new(job, NULL);
	clocks = clocks_new(job);
	postures = activities_new(job);
	profiles = profiles_new(job, waits, clocks, postures);
	assert_int_equal(profiles[2].death, DEATH_KILLED);
	assert_int_equal(profiles[0].death, DEATH_ECHO);
	profiles_free(profiles);
	free(postures);
	clocks_free(clocks);
	waits_free(waits);
	job_free(job);
	facts_free(f);
}

/* A launcher's doing after an exit, or an exit after somebody's kills: rings would tell. */
static struct facts *job_that_ended_without_rings(double exit_at, double orders_at)
{
	struct facts *f = facts_new(5);

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter(f, 0, 0, JOB_OP_ALLGATHER, 4096, 96);
	for (int i = 1; i < 4; i++)
		facts_end(f, i, JOB_SIGNALED, SIGTERM, orders_at);
	facts_end(f, 4, JOB_EXITED, 1, exit_at);
	for (int i = 1; i < 5; i++)
		facts_lose_ring(f, i);
	return f;
}

static void an_exit_and_orders_at_once_accuse_nobody(void **state)
{
	static const double orders_at[] = {95.2, 94.8};

	for (size_t i = 0; i < sizeof(orders_at) / sizeof(*orders_at); i++) {
		struct facts *f = job_that_ended_without_rings(95.0, orders_at[i]);

		facts_expect(f, VERDICT_INCONCLUSIVE, "", "0");
		facts_free(f);
	}
}

static void an_exit_long_before_the_orders_is_their_cause(void **state)
{
	struct facts *f = job_that_ended_without_rings(92.0, 95.0);

	facts_expect(f, VERDICT_RANK_DEATH, "4", "0");
	facts_free(f);
}

static void orders_long_before_an_exit_are_its_cause(void **state)
{
	struct facts *f = job_that_ended_without_rings(95.0, 92.0);

	facts_expect(f, VERDICT_RANK_DEATH, "1-3", "0");
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exit_and_orders_at_once_accuse_nobody),
		cmocka_unit_test(an_exit_long_before_the_orders_is_their_cause),
		cmocka_unit_test(orders_long_before_an_exit_are_its_cause),
		cmocka_unit_test(s06_oom_killed_during_compile),
		cmocka_unit_test(a_kill_without_the_counter_is_no_oom),
		cmocka_unit_test(s16_exit_0_while_others_wait),
		cmocka_unit_test(an_exit_0_that_nobody_misses_is_fine),
		cmocka_unit_test(s19b_a_killed_loader_raises_in_its_rank),
		cmocka_unit_test(s19b_the_advice_is_by_how_the_child_died),
		cmocka_unit_test(s27_a_cuda_error_in_the_watchdog_is_its_own),
		cmocka_unit_test(s28_a_segfault),
		cmocka_unit_test(a_death_says_in_which_code),
		cmocka_unit_test(a_death_is_told_before_anybody_waits_long),
		cmocka_unit_test(s29_an_exception_long_before_the_death),
		cmocka_unit_test(an_exit_1_without_words),
		cmocka_unit_test(s30_the_first_death_is_a_victim),
		cmocka_unit_test(s30b_the_cascade_hides_a_compile),
		cmocka_unit_test(s31_a_launcher_ends_the_others),
		cmocka_unit_test(s31b_the_killed_one_and_the_told_ones),
		cmocka_unit_test(s32_a_kill_after_an_order_is_an_effect),
		cmocka_unit_test(s33_the_other_node_only_restarts),
		cmocka_unit_test(s34_the_store_died_with_its_host),
		cmocka_unit_test(killed_all_at_once_is_the_end_of_the_job),
		cmocka_unit_test(killed_all_at_once_by_nobody_known_is_not_sure),
		cmocka_unit_test(exceptions_behind_a_status_of_0_are_deaths),
		cmocka_unit_test(an_early_exit_of_which_peers_fail_at_once),
		cmocka_unit_test(the_first_to_fail_is_not_the_end_of_the_job),
		cmocka_unit_test(killed_all_at_once_in_a_hang_keeps_its_culprit),
		cmocka_unit_test(exceptions_of_those_who_wait_are_echoes),
		cmocka_unit_test(an_abort_of_a_watchdog_that_nothing_else_explains),
		cmocka_unit_test(s54_a_dump_signal_is_an_effect),
		cmocka_unit_test(a_death_inside_an_op_of_all),
		cmocka_unit_test(a_watchdog_in_an_op_of_all_is_an_effect),
		cmocka_unit_test(a_clean_end_leaves_nothing_open),
		cmocka_unit_test(gone_without_a_word_inside_an_op_of_all),
		cmocka_unit_test(a_late_rank_that_is_killed_was_late),
		cmocka_unit_test(a_rank_that_is_killed_soon_after_is_dead),
		cmocka_unit_test(a_lone_order_to_end_is_a_kill),
		cmocka_unit_test(the_end_of_a_job_that_stood_still),
		cmocka_unit_test(an_exception_that_was_outlived_is_none),
		cmocka_unit_test(a_rank_gone_among_replays_is_dead),
		cmocka_unit_test(a_rank_whose_end_is_known_and_ring_is_not),
		cmocka_unit_test(an_order_soon_after_a_kill_needs_no_sender),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
