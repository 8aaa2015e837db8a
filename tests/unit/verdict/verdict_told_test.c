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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_rings_the_graph_leads_to_who_is_elsewhere),
		cmocka_unit_test(without_rings_an_exit_is_an_early_exit),
		cmocka_unit_test(without_rings_a_death_explains_who_stays_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
