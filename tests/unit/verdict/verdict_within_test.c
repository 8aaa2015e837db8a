/* SPDX-License-Identifier: Apache-2.0 */
/* What happens within a rank that lives: to its children, to its threads. It is no end of it. */
#include "tests/unit/unit.h"

#include <signal.h>

#include "tests/unit/facts.h"

/* True if the first verdict has such a fact; its next step and outlook go to the others. */
static bool tells(const struct facts *f, enum verdict_fact_kind kind, enum verdict_next *ret_next,
	enum verdict_outlook *ret_outlook)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	bool found = false;

	for (size_t i = 0; i < v->at[0].nevidence; i++)
		found |= v->at[0].evidence[i].kind == kind;
	*ret_next = v->at[0].next;
	*ret_outlook = v->at[0].outlook;
	verdicts_free(v);
	job_free(job);
	return found;
}

/*
 * A launcher that rank 3 started writes its error into the file that rank 3 would write its own to.
 * Once rank 3 has ended, it may be its own.
 */
static void the_error_file_of_a_rank_that_lives(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);

	facts_note(f, 3, "DistNetworkError: address already in use", 60);
	f->extra[f->nextra - 1].is.note.by_file = true;
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	facts_end(f, 3, JOB_EXITED, 1, 61);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "3", VERDICT_BY_EXCEPTION);
	facts_free(f);
}

/* The process that loads its batches is stopped: that can be mended. */
static void a_stopped_loader(void **state)
{
	struct facts *f = facts_missing(4, 1, 59);
	enum verdict_outlook outlook;
	enum verdict_next next;

	facts_span(f, 1, JOB_SPAN_INPUT, "train", "", 59, FACTS_OPEN);
	facts_child(f, 1, "pt_data_worker");
	assert_false(tells(f, FACT_CHILD_STOPPED, &next, &outlook));
	f->extra[f->nextra - 1].is.process.state = 'T';
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_INPUT);
	assert_true(tells(f, FACT_CHILD_STOPPED, &next, &outlook));
	assert_int_equal(next, VERDICT_NEXT_CONTINUE_CHILD);
	facts_free(f);
}

/* A thread that fills a queue has died: for its rank, which waits there, nothing will come. */
static void a_queue_that_nobody_fills(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);
	enum verdict_outlook outlook;
	enum verdict_next next;

	facts_say(f, 3, "thread exception: ValueError: bad sample", 58);
	facts_stack(f, 3,
		"__futex_abstimed_wait_common@libc.so.6 < lock_PyThread_acquire_lock@python3.12 < "
		"Condition.wait@/usr/lib/python3.12/threading.py:355 < "
		"Queue.get@/usr/lib/python3.12/queue.py:171 < step@/me/train.py:88");
	facts_expect_cause(f, VERDICT_RANK_DEATH, "3", VERDICT_BY_EXCEPTION);
	assert_true(tells(f, FACT_THREAD_DIED, &next, &outlook));
	assert_int_equal(outlook, VERDICT_KILL);
	facts_free(f);
}

/*
 * A logger reduces in a thread of its own. The others gave up their wait for the rank and ended:
 * that the logger then lost them is an effect of it.
 */
static void a_thread_that_lost_those_who_gave_up(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);

	facts_say(f, 3, "thread exception: RuntimeError: Connection closed by peer", 90);
	facts_expect(f, VERDICT_HOST_STALL, "3", "0-2");
	facts_free(f);
}

/* A thread that only reported has died: its rank computes, and waits for nobody. */
static void a_thread_that_only_reported(void **state)
{
	struct facts *f = facts_missing(4, 3, 59);
	enum verdict_outlook outlook;
	enum verdict_next next;

	facts_say(f, 3, "thread exception: ConnectionError: no route", 58);
	facts_stack(f, 3, "nanosleep@libc.so.6 < tokenize@/me/data.py:12 < step@/me/train.py:88");
	facts_expect_where(f, VERDICT_HOST_STALL, "3", VERDICT_IN_USER_CODE);
	assert_true(tells(f, FACT_THREAD_DIED, &next, &outlook));
	assert_int_not_equal(outlook, VERDICT_KILL);
	facts_free(f);
}

/* os._exit(0) behind an exception: the status is made up, and what it said is told. */
static void an_exit_in_good_order_behind_an_exception(void **state)
{
	struct facts *f = facts_missing(4, 2, 59);
	enum verdict_outlook outlook;
	enum verdict_next next;

	facts_note(f, 2, "exception: ValueError: bad sample", 59);
	facts_end(f, 2, JOB_EXITED, 0, 60);
	facts_expect_cause(f, VERDICT_RANK_DEATH, "2", VERDICT_BY_EXCEPTION);
	assert_true(tells(f, FACT_EXCEPTION, &next, &outlook));
	assert_int_equal(next, VERDICT_NEXT_READ_TRACEBACK);
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_error_file_of_a_rank_that_lives),
		cmocka_unit_test(a_stopped_loader),
		cmocka_unit_test(a_queue_that_nobody_fills),
		cmocka_unit_test(a_thread_that_lost_those_who_gave_up),
		cmocka_unit_test(a_thread_that_only_reported),
		cmocka_unit_test(an_exit_in_good_order_behind_an_exception),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
