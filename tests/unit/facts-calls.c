/* SPDX-License-Identifier: Apache-2.0 */
/* What threads of jobs made by hand were in: each op's call, and the synchronisation at the end. */
#include "tests/unit/facts.h"

/* It took a second, or less where the next thing came. */
static int64_t returned_of(const struct facts *f, int rank, const struct job_op *op)
{
	const int64_t second = facts_ns(1) - facts_ns(0), since = f->ranks[rank].thread.since;
	int64_t to = op->entered < INT64_MAX - second ? op->entered + second : INT64_MAX;

	if (op->returned != JOB_YES)
		return JOB_UNKNOWN;
	if (since > op->entered && since < to)
		to = since;
	for (int group = 0; group < f->ngroups; group++)
		for (size_t i = 0; i < f->members[group][rank].nops; i++) {
			int64_t next = f->members[group][rank].ops[i].entered;

			if (next > op->entered && next < to)
				to = next;
		}
	return to;
}

void facts_give_calls(
	const struct facts *f, struct job_builder *b, struct job_who who, int rank)
{
	const struct job_thread *thread = &f->ranks[rank].thread;
	const struct job_call sync = {{0}, 0, JOB_CALL_WAIT, {0}, thread->call, JOB_NONE, 0,
		thread->since, JOB_UNKNOWN, "ring"};

	for (int group = 0; group < f->ngroups; group++) {
		const struct facts_member *m = &f->members[group][rank];

		for (size_t i = 0; m->in && i < m->nops; i++) {
			const struct job_call call = {.name = "ncclAllReduce",
				.sig = m->ops[i].sig,
				.index = m->ops[i].index,
				.entered = m->ops[i].entered,
				.returned = returned_of(f, rank, &m->ops[i]),
				.cite = "ring"};

			job_add_calls(b, who, &call, 1, &f->group_keys[group], 1);
		}
	}
	if (thread->state == JOB_THREAD_IN_WAIT)
		job_add_calls(b, who, &sync, 1, NULL, 0);
}
