/* SPDX-License-Identifier: Apache-2.0 */
/* What stacks tell is in the wait-for graph of every job, and the same rules judge it. */
#include "tests/unit/bystacks.h"

#include <signal.h>

#include "base/clock.h"
#include "verdict/inquiry.h"

/* How many nodes of the graph, of those that are waited in, lead to that rank. */
static size_t count_edges_to(const struct inquiry *q, int rank)
{
	size_t n = 0;

	for (size_t i = q->job->nranks; i < q->graph->nnodes; i++)
		for (size_t e = q->graph->first_edge[i]; e < q->graph->first_edge[i + 1]; e++)
			n += q->graph->edges[e] == rank;
	return n;
}

/* Frees it and all that it would have left to verdicts. */
static void end_inquiry(struct inquiry *q)
{
	arena_release(q->arena);
	free(q->arena);
	inquiry_free(q);
}

static void without_rings_the_graph_leads_to_who_is_elsewhere(void **state)
{
	struct facts *f = foreign(4, 3, SLEEPS);
	struct job *job = facts_job(f);
	struct inquiry *q = inquiry_new(job);

	assert_int_equal(q->waits->n, 3);
	assert_true(q->wanted[3]);
	assert_int_equal(count_edges_to(q, 3), 1);
	for (int rank = 0; rank < 3; rank++) {
		assert_int_equal(count_edges_to(q, rank), 0);
		assert_true(inquiry_longest_wait(q, rank_index(rank))->age >= 2 * CLOCK_NS_PER_S);
	}
	end_inquiry(q);
	job_free(job);
	facts_free(f);
	(void)state;
}

/* It is over in good order, and the others wait: that is an early exit, as it is with rings. */
static void without_rings_an_exit_is_an_early_exit(void **state)
{
	struct facts *f = foreign(4, 3, "");
	struct judged j;

	facts_end(f, 3, JOB_EXITED, 0, 60);
	facts_expect(f, VERDICT_EARLY_EXIT, "3", "0-2");
	j = judge(f);
	assert_true(j.v->at[0].waiting >= 2 * CLOCK_NS_PER_S);
	done(&j, f);
	(void)state;
}

/* Who is late beside one that died, may be late for that: nobody but the dead one is named. */
static void without_rings_a_death_explains_who_stays_away(void **state)
{
	struct facts *f = foreign(4, 3, "");
	struct judged j;

	f->extra[1].is.stack.frames = LOADER;
	facts_signal(f, 3, SIGSEGV, 0, "python", 60);
	facts_end(f, 3, JOB_SIGNALED, SIGSEGV, 60);
	facts_expect(f, VERDICT_RANK_DEATH, "3", "0,2");
	j = judge(f);
	assert_int_equal(j.v->n, 1);
	assert_true(j.v->at[0].waiting >= 2 * CLOCK_NS_PER_S);
	done(&j, f);
	(void)state;
}

/* -- keys, and requests ------------------------------------------------------------------------ */

/*
 * Others wait in an op for one that waits for a key. All stand, so nobody is left to set it: they
 * do not agree, likely; who is wrong nobody knows.
 */
static void who_waits_for_a_key_is_no_culprit(void **state)
{
	struct facts *f = facts_new(4);
	struct judged j;

	facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 64, 40);
	facts_store(f, 2, "my_key", 39);
	facts_expect(f, VERDICT_COLLECTIVE_MISMATCH, "", "0,1,3");
	j = judge(f);
	assert_int_equal(j.v->at[0].confidence, VERDICT_HYPOTHESIS);
	assert_int_equal(j.v->at[0].culprits.n, 0);
	assert_int_equal(j.v->at[0].camp_a.n, 1);
	assert_int_equal(j.v->at[0].camp_a.at[0].i, 2);
	expect_says(&j, "in the store for my_key, which nobody has set");
	expect_says(&j, "in AllReduce #1");
	done(&j, f);
	(void)state;
}

/* One of them was not seen: it may set the key yet. */
static void who_was_not_seen_may_set_the_key(void **state)
{
	struct facts *f = facts_new(4);

	facts_hold(f, 0, 0, JOB_OP_ALLREDUCE, 64, 40);
	facts_hold(f, 0, 1, JOB_OP_ALLREDUCE, 64, 40);
	facts_store(f, 2, "my_key", 39);
	facts_lose_ring(f, 3);
	facts_expect(f, VERDICT_INCONCLUSIVE, "", NULL);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	(void)state;
}

#define ACCEPT                                                                                     \
	"accept4@libc.so.6 < socket.accept@" STDLIB "socket.py:294 < serve@/home/me/serve.py:17"   \
	" < main@/home/me/serve.py:40"
#define TAKES                                                                                      \
	"sem_clockwait@libc.so.6 < PyThread_acquire_lock_timed@python3.11 < Condition.wait@"       \
	STDLIB "threading.py:327 < Queue.get@" STDLIB "queue.py:171 < serve@/home/me/serve.py:16"  \
	" < main@/home/me/serve.py:40"
#define LOOP                                                                                       \
	"epoll_wait@libc.so.6 < EpollSelector.select@" STDLIB "selectors.py:468 < "                \
	"BaseEventLoop._run_once@" STDLIB "asyncio/base_events.py:1884 < Thread.run@" STDLIB      \
	"threading.py:975"

/* A server that nobody asks is no stall: what its first rank does is told as a guess. */
static void who_waits_for_a_request_may_be_idle(void **state)
{
	for (int probed = 0; probed < 2; probed++) {
		struct facts *f = probed ? facts_new(4) : foreign(4, 0, ACCEPT);
		struct judged j;

		if (probed) {
			facts_enter_but(f, 0, 0, JOB_OP_BROADCAST, 64, 40);
			facts_stack(f, 0, ACCEPT);
			f->stack_span = 2.2;
		}
		facts_expect(f, VERDICT_HOST_STALL, "0", "1-3");
		j = judge(f);
		assert_int_equal(j.v->at[0].confidence, VERDICT_HYPOTHESIS);
		assert_int_equal(j.v->at[0].headline.kind, FACT_AWAITS_REQUEST);
		done(&j, f);
	}
	(void)state;
}

/* Another thread of it has the door, and hands over what comes; without such a thread it stalls. */
static void who_waits_for_its_own_listener_may_be_idle(void **state)
{
	for (int listens = 0; listens < 2; listens++) {
		struct facts *f = foreign(4, 0, TAKES);
		struct judged j;

		if (listens)
			facts_stack_of(f, 0, "python", f->ranks[0].pid + 1, LOOP);
		j = judge(f);
		assert_int_equal(j.v->at[0].class, VERDICT_HOST_STALL);
		assert_int_equal(j.v->at[0].confidence,
			listens ? VERDICT_HYPOTHESIS : VERDICT_SUPPORTED);
		done(&j, f);
	}
	(void)state;
}

#define ASYNC_MAIN                                                                                 \
	"epoll_wait@libc.so.6 < EpollSelector.select@" STDLIB "selectors.py:468 < "                \
	"BaseEventLoop._run_once@" STDLIB "asyncio/base_events.py:1884 < "                         \
	"BaseEventLoop.run_until_complete@" STDLIB "asyncio/base_events.py:640 < run@" STDLIB      \
	"asyncio/runners.py:190 < ask@/home/me/train.py:17"

/* asyncio.run() in the main thread: who asks another, or sleeps there, is called no server. */
static void who_runs_an_event_loop_is_no_server(void **state)
{
	for (int probed = 0; probed < 2; probed++) {
		struct facts *f = probed ? facts_new(4) : foreign(4, 2, ASYNC_MAIN);
		struct judged j;

		if (probed) {
			facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 64, 40);
			facts_stack(f, 2, ASYNC_MAIN);
			f->stack_span = 2.2;
		}
		facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
		j = judge(f);
		assert_int_equal(j.v->at[0].confidence, VERDICT_HYPOTHESIS);
		assert_int_equal(j.v->at[0].headline.kind, FACT_AWAITS_EVENT);
		done(&j, f);
	}
	(void)state;
}

/*
 * Each rank has a thread with an event loop, as a library makes one: that tells of no server. But
 * one may be who has it with some of them alone, or one more than all.
 */
static void a_listener_that_all_have_tells_nothing(void **state)
{
	for (int row = 0; row < 4; row++) {
		bool all = row == 1;
		struct facts *f = foreign(4, 0, TAKES);
		struct judged j;

		for (int i = 0; i < (row == 0 ? 1 : row == 2 ? 3 : 4); i++)
			facts_stack_of(f, i, "python", f->ranks[i].pid + 1, LOOP);
		if (row == 3)
			facts_stack_of(f, 0, "python", f->ranks[0].pid + 2, ACCEPT);
		facts_expect(f, VERDICT_HOST_STALL, "0", "1-3");
		j = judge(f);
		assert_int_equal(j.v->at[0].confidence,
			all ? VERDICT_SUPPORTED : VERDICT_HYPOTHESIS);
		assert_int_equal(j.v->at[0].headline.kind == FACT_AWAITS_REQUEST, !all);
		done(&j, f);
	}
	(void)state;
}

#define SHUTDOWN                                                                                   \
	"futex_do_wait@kernel < sem_wait@libc.so.6 < PyThread_acquire_lock_timed@python3.11 < "    \
	"_shutdown@" STDLIB "threading.py:1590"
#define JOINS                                                                                      \
	"futex_do_wait@kernel < sem_wait@libc.so.6 < PyThread_acquire_lock_timed@python3.11 < "    \
	"Thread._wait_for_tstate_lock@" STDLIB "threading.py:1139 < Thread.join@" STDLIB           \
	"threading.py:1119 < Finalize.__call__@" STDLIB "multiprocessing/util.py:224 < "           \
	"_exit_function@" STDLIB "multiprocessing/util.py:360"
#define BEATS                                                                                      \
	"clock_nanosleep@libc.so.6 < beat@/home/me/beat.py:5 < Thread.run@" STDLIB                 \
	"threading.py:982"

/* Its main thread is done with the program: a line at which another one stands is not why. */
static void whose_program_is_over_is_told(void **state)
{
	static const struct {
		const char *stack;
		enum verdict_fact_kind kind;
		const char *says;
	} rows[] = {
		{SHUTDOWN, FACT_EXIT_THREADS, "its program is over: its exit waits for threads"},
		{JOINS, FACT_EXIT_CHILDREN, "its program is over: its exit waits for children"},
	};

	for (int i = 0; i < 4; i++) {
		struct facts *f = i & 1 ? facts_new(4) : foreign(4, 2, rows[i / 2].stack);
		struct judged j;

		if (i & 1) {
			facts_enter_but(f, 0, 2, JOB_OP_ALLREDUCE, 64, 40);
			facts_stack(f, 2, rows[i / 2].stack);
			f->stack_span = 2.2;
		}
		facts_stack_of(f, 2, "python", f->ranks[2].pid + 1, BEATS);
		facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
		j = judge(f);
		assert_int_equal(j.v->at[0].headline.kind, rows[i / 2].kind);
		assert_int_equal(j.v->at[0].next, VERDICT_NEXT_LOOK_AT_EXIT);
		expect_says(&j, rows[i / 2].says);
		done(&j, f);
	}
	(void)state;
}

#define RUNS                                                                                       \
	"epoll_wait@libc.so.6 < EpollSelector.select@" STDLIB "selectors.py:468 < "                \
	"BaseEventLoop._run_once@" STDLIB "asyncio/base_events.py:1884 < run@" STDLIB             \
	"asyncio/runners.py:190 < main@/home/me/train.py:15"
#define STEPS                                                                                      \
	"sem_clockwait@libc.so.6 < PyThread_acquire_lock_timed@python3.11 < Condition.wait@"       \
	STDLIB "threading.py:327 < Event.wait@" STDLIB "threading.py:629 < "                       \
	"work@/home/me/train.py:9 < _WorkItem.run@" STDLIB "concurrent/futures/thread.py:58"

/*
 * Each rank has its loop in the main thread, and its operations in another one: that is no server
 * without requests, and where the rank stands, tells the thread that called its operations.
 */
static void who_works_beside_a_loop_is_no_server(void **state)
{
	for (int probed = 0; probed < 2; probed++) {
		struct facts *f = facts_new(4);
		struct judged j;

		if (!probed)
			facts_no_probe(f);
		for (int i = 0; i < 4; i++) {
			uint32_t worker = f->ranks[i].pid + 1;

			if (probed && i != 1)
				facts_hold(f, 0, i, JOB_OP_ALLREDUCE, 64, 40);
			facts_stack(f, i, RUNS);
			if (!probed && i != 1)
				facts_stack_of(f, i, "python", worker,
					"epoll_wait@libc.so.6 < all_reduce@" C10D ":3058 < "
					"work@/home/me/train.py:10");
			f->ranks[i].thread.tid = worker;
		}
		facts_stack_of(f, 1, "python", f->ranks[1].pid + 1, STEPS);
		f->stack_span = 2.2;
		facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_USER_CODE);
		j = judge(f);
		assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
		assert_int_equal(j.v->at[0].headline.kind, FACT_AT);
		assert_int_equal(j.v->postures[1].stack->tid,
			probed ? f->ranks[1].pid + 1 : f->ranks[1].pid);
		done(&j, f);
	}
	(void)state;
}

/* All others stand in the making of the first group; `odd` is elsewhere. */
static struct facts *at_the_start(int odd)
{
	struct facts *f = facts_new(4);

	facts_no_probe(f);
	for (int i = 0; i < 4; i++)
		facts_stack(f, i, i == odd ? SLEEPS : CONNECT);
	f->stack_span = 2.2;
	f->stack_threads = 1;
	return f;
}

/* Nothing of ours is in it, and it has no thread of any group: it never came to the first one. */
static void who_has_no_group_never_came_to_init(void **state)
{
	struct facts *f = at_the_start(0);
	struct judged j;

	facts_expect(f, VERDICT_NOT_STARTED, "0", "1-3");
	j = judge(f);
	assert_int_equal(j.v->at[0].confidence, VERDICT_SUPPORTED);
	expect_says(&j, "at train.py:70 in clean");
	dismiss(j);
	f->stack_threads = 2; /* one was not seen: what is it? */
	facts_expect(f, VERDICT_HOST_STALL, "0", "1-3");
	f->stack_threads = 0;
	facts_expect(f, VERDICT_HOST_STALL, "0", "1-3");
	facts_free(f);
	(void)state;
}

static void who_has_a_group_had_come_to_init(void **state)
{
	static const char *const threads[] = {"pt_gloo_runloop", "pt_nccl_watchdg"};

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		struct facts *f = at_the_start(0);

		f->stack_threads = 2;
		facts_stack_of(f, 0, threads[i], f->ranks[0].pid + 1, "epoll_wait@libc.so.6");
		facts_expect(f, VERDICT_HOST_STALL, "0", "1-3");
		facts_free(f);
	}
	(void)state;
}

/* Those who wait in an operation have had their start. */
static void who_is_late_to_an_operation_has_started(void **state)
{
	struct facts *f = foreign(4, 0, SLEEPS);

	f->stack_span = 2.2;
	f->stack_threads = 1;
	facts_expect(f, VERDICT_HOST_STALL, "0", "1-3");
	facts_free(f);
	(void)state;
}

#define IMPORTS                                                                                    \
	"read@libc.so.6 < get_data@<frozen importlib._bootstrap_external>:1073 < "                 \
	"<module>@" TORCH "serialization.py:24 < "                                                \
	"_call_with_frames_removed@<frozen importlib._bootstrap>:241 < "                           \
	"_find_and_load@<frozen importlib._bootstrap>:1176 < <module>@/home/me/base.py:6"

/* The file of a module that is imported tells what it is for: nothing is saved, or read, yet. */
static void an_import_is_no_checkpoint(void **state)
{
	struct facts *f = foreign(4, 2, IMPORTS);

	f->stack_span = 2.2;
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_USER_CODE);
	facts_free(f);
	(void)state;
}

/* Another thread of it goes on with calls of its own: that moves nobody who waits for this one. */
static void who_calls_elsewhere_is_not_merely_late(void **state)
{
	struct facts *f = facts_new(4);
	struct facts_extra *extra = &f->extra[f->nextra++];
	struct judged j;

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 64, 85);
	facts_outside(f, 3, 84);
	*extra = (struct facts_extra){.kind = EXTRA_THREAD, .rank = 3, .of_ring = true};
	extra->is.thread = (struct job_thread){.tid = f->ranks[3].pid + 1,
		.name = "python",
		.state = JOB_THREAD_OUTSIDE,
		.call = "",
		.group = JOB_NONE,
		.since = facts_ns(FACTS_NOW - 0.1),
		.cite = "ring:lane1"};
	facts_stack_of(f, 3, "python", f->ranks[3].pid, SLEEPS);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	j = judge(f);
	expect_says(&j, "that calls there is at train.py:70 in clean, 16 s after its last call");
	dismiss(j);
	/* Its own thread has left a call just now: it is late, and comes. */
	facts_outside(f, 3, FACTS_NOW - 0.1);
	facts_expect(f, VERDICT_SLOW, "3", "0-2");
	facts_free(f);
	(void)state;
}

/* All were told to end, and no rank says anything of what it did; but that was looked at before. */
static void where_it_was_before_all_were_ended(void **state)
{
	struct facts *f = facts_missing(4, 2, 59);
	struct job_stack *stack = facts_stack_of(f, 2, "python", 0, SLEEPS);
	struct judged j;

	stack->main = true;
	for (int rank = 0; rank < 4; rank++) {
		facts_signal(f, rank, SIGTERM, 1, "python", 90);
		facts_end(f, rank, JOB_SIGNALED, SIGTERM, 90.1);
	}
	facts_expect(f, VERDICT_HOST_STALL, "2", "0,1,3");
	j = judge(f);
	expect_says(&j, "was at train.py:70 in clean, still for 2.2 s, before it ended");
	dismiss(j);
	/* It has gone on since that look: nobody knows where to. */
	stack->when = facts_ns(5);
	j = judge(f);
	assert_false(says(j.v, "was at "));
	dismiss(j);
	stack->when = facts_ns(FACTS_NOW);
	/* Where a death struck is no place that others waited for. */
	stack->how = JOB_STACK_FATAL;
	j = judge(f);
	assert_false(says(j.v, "was at "));
	done(&j, f);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_for_a_key_is_no_culprit),
		cmocka_unit_test(who_was_not_seen_may_set_the_key),
		cmocka_unit_test(who_waits_for_a_request_may_be_idle),
		cmocka_unit_test(who_waits_for_its_own_listener_may_be_idle),
		cmocka_unit_test(who_runs_an_event_loop_is_no_server),
		cmocka_unit_test(a_listener_that_all_have_tells_nothing),
		cmocka_unit_test(whose_program_is_over_is_told),
		cmocka_unit_test(who_works_beside_a_loop_is_no_server),
		cmocka_unit_test(who_has_no_group_never_came_to_init),
		cmocka_unit_test(who_has_a_group_had_come_to_init),
		cmocka_unit_test(who_is_late_to_an_operation_has_started),
		cmocka_unit_test(an_import_is_no_checkpoint),
		cmocka_unit_test(who_calls_elsewhere_is_not_merely_late),
		cmocka_unit_test(without_rings_the_graph_leads_to_who_is_elsewhere),
		cmocka_unit_test(without_rings_an_exit_is_an_early_exit),
		cmocka_unit_test(without_rings_a_death_explains_who_stays_away),
		cmocka_unit_test(where_it_was_before_all_were_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
