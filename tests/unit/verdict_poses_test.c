/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rank keeps the others, told by stacks alone: one situation each, as they are met in jobs
 * that nobody prepared. Who is not named must not be accused by any finding.
 */
#include "tests/unit/bystacks.h"

#include <stdlib.h>

#include "report/headline.h"

#define SITE  "/env/lib/python3.11/site-packages/"
#define TRAIN " < step@/home/me/train.py:88" MAIN

/* The first verdict's headline and facts, a line each. */
static char *words_of(const struct facts *f)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	struct str text = {0};
	char *words;

	headline_sentence(&text, v, &v->at[0]);
	for (size_t i = 0; i < v->at[0].nevidence; i++) {
		str_add(&text, "\n");
		wording_fact(&text, &v->at[0].evidence[i]);
	}
	words = strdup(str_text(&text));
	str_release(&text);
	verdicts_free(v);
	job_free(job);
	return words;
}

static void expect_words(const struct facts *f, const char *expected)
{
	char *words = words_of(f);

	if (!strstr(words, expected))
		fail_msg("nothing says \"%s\":\n%s", expected, words);
	free(words);
}

/* -- locks ------------------------------------------------------------------------------------- */

/* Its thread moves, from a sleep to flock() and back, and stands in the lock all the same. */
static void a_lock_that_is_polled(void **state)
{
	struct facts *f = foreign(4, 1,
		"clock_nanosleep@libc.so.6 < acquire@" SITE "filelock/_api.py:300 < __enter__@" SITE
		"filelock/_api.py:376 < prepare@/home/me/data.py:12" MAIN);
	struct job_stack *stack = &f->extra[1].is.stack.fact;

	stack->moved = JOB_YES;
	stack->still = 3;
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_LOCK);
	expect_words(f, "at data.py:12 in prepare, still for 2.2 s");
	stack->still = 1; /* at another look it was elsewhere */
	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_LOCK);
	expect_words(f, "at data.py:12 in prepare, moving");
	facts_free(f);
}

/* Of a program in C its own line is told, not that of libc in which it sleeps. */
static void a_mutex_in_a_program_of_c(void **state)
{
	struct facts *f = foreign(4, 1,
		"__lll_lock_wait@libc.so.6|futex-internal.h:146 < __pthread_mutex_lock@libc.so.6 < "
		"add_to_metrics@train < step@train < main@train");

	facts_expect_where(f, VERDICT_HOST_STALL, "1", VERDICT_IN_LOCK);
	expect_words(f, "at add_to_metrics of train, still for 2.2 s");
	expect_words(f, "waits for a lock, in a mutex");
	facts_free(f);
}

/* The program's own line where it waits for the others, too. */
static void a_program_of_c_that_waits(void **state)
{
	struct facts *f = facts_new(4);

	facts_no_probe(f);
	for (int i = 0; i < 4; i++)
		facts_stack(f, i,
			i == 2 ? "read@libc.so.6 < read_chunk@train < main@train"
			       : "epoll_wait@libc.so.6 < MPI_Allreduce@libmpi.so.40 < "
				 "step@train < main@train");
	facts_expect_where(f, VERDICT_HOST_STALL, "2", VERDICT_IN_USER_CODE);
	expect_words(f, "at read_chunk of train, still for 2.2 s");
	expect_words(f, "in MPI_Allreduce, at step of train, still for 2.2 s");
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_that_is_polled),
		cmocka_unit_test(a_mutex_in_a_program_of_c),
		cmocka_unit_test(a_program_of_c_that_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
